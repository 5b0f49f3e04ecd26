"""Threads allocate blocks of a small file system, and there is one more thread than there are locks.

The number of the last thread is beyond the end of the lock table, so every schedule fails.
"""

import functools
import threading

from raddle_lab.sctbench.threads import together

BLOCKS = 26
INODES = 32
THREADS = 27


class FileSystem:
    def __init__(self):
        self.inode_locks = [threading.Lock() for _ in range(BLOCKS)]
        self.block_locks = [threading.Lock() for _ in range(BLOCKS)]
        self.busy = [False] * BLOCKS
        self.inodes = [0] * INODES

    def create(self, number):
        inode = number % INODES
        assert inode < len(self.inode_locks)
        with self.inode_locks[inode]:
            if self.inodes[inode] == 0:
                self.allocate(inode)

    def allocate(self, inode):
        for offset in range(BLOCKS // 2):
            block = (2 * inode + offset) % BLOCKS
            with self.block_locks[block]:
                if not self.busy[block]:
                    self.busy[block] = True
                    self.inodes[inode] = block + 1
                    return


def scenario():
    system = FileSystem()
    together(*(functools.partial(system.create, number) for number in range(THREADS)))
