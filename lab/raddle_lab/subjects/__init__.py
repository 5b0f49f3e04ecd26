"""Small thread-safe classes whose locks are removed one at a time, each with a scenario that checks the result.

Every critical section is a `with self.lock:` block (any attribute whose name ends in "lock"). If any one of them is
removed, some schedule fails. The result of a scenario depends only on the interleaving of its threads.
"""

import threading


def together(*bodies):
    """Run each function in its own thread, and wait for all of them."""
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
