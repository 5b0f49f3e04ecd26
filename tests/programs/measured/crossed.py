"""Two locks acquired in both orders. In a deadlock, neither thread gets the second lock that it requests."""

import threading


class Accounts:
    def __init__(self):
        self.first = threading.Lock()
        self.second = threading.Lock()

    def there(self):
        with self.first, self.second:
            pass

    def back(self):
        with self.second, self.first:
            pass


def scenario():
    accounts = Accounts()
    threads = [threading.Thread(target=accounts.there), threading.Thread(target=accounts.back)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
