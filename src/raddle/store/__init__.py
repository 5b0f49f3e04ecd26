"""The store: the data file that connects measuring and reporting."""

from raddle.store.connection import NoDataError, UnusableError
from raddle.store.contents import Contents, Run, contents_of
from raddle.store.file import DATA_FILE, AddResult, add, check, forget_notes, forget_schedules, read, try_to_add
from raddle.store.merge import Combined, combine

__all__ = [
    "DATA_FILE",
    "AddResult",
    "Combined",
    "Contents",
    "NoDataError",
    "Run",
    "UnusableError",
    "add",
    "check",
    "combine",
    "contents_of",
    "forget_notes",
    "forget_schedules",
    "read",
    "try_to_add",
]
