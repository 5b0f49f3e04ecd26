"""Small thread-safe classes, each with a scenario that tells right from wrong; their locks are made to be removed.

Every critical section is a `with self.lock:` (the name ends in "lock"), and leaving any of them out makes some
schedule go wrong. No scenario depends on anything but the interleaving of its threads.
"""

import threading


def together(*bodies):
    """Run functions in threads of their own, and wait for all of them."""
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
