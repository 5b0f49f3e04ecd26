"""The data file between measuring and reporting."""

from raddle.store.connection import NoDataError
from raddle.store.contents import Contents, Run, contents_of
from raddle.store.file import DATA_FILE, add, check, forget_notes, forget_schedules, read
from raddle.store.merge import Combined, combine

__all__ = [
    "DATA_FILE",
    "Combined",
    "Contents",
    "NoDataError",
    "Run",
    "add",
    "check",
    "combine",
    "contents_of",
    "forget_notes",
    "forget_schedules",
    "read",
]
