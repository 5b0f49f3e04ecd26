"""What is outside of the process: which calls look at files and databases, and which change them.

Nobody can see which file a call is about, and two paths can lead to one. So all of it is one variable, the disk's: two
threads of which one changes something there can be in each other's way. What is printed is nobody's datum.
"""

from __future__ import annotations

import sys
from types import BuiltinFunctionType, FunctionType
from typing import Any

from raddle.execute.kinds import MOST_KINDS, module_of


class Disk:
    """Has one variable, which stands for everything that is kept outside."""


DISK = Disk()
CONTENTS = "files"

# By module: functions that only look, and those that change something; the others have nothing to do with it.
_STATUS = "exists lexists isfile isdir islink ismount getsize getmtime getatime getctime samefile"
_OS_LOOKING = "stat lstat access listdir scandir readlink walk fwalk read pread"
_OS_CHANGING = (
    "open mkdir makedirs rename renames replace remove unlink rmdir removedirs link symlink truncate ftruncate utime "
    "chmod chown write pwrite mkfifo"
)
_SHUTIL = "copy copy2 copyfile copyfileobj copymode copystat copytree move rmtree make_archive unpack_archive chown"
_TEMPFILE = "mkdtemp mkstemp NamedTemporaryFile TemporaryFile TemporaryDirectory SpooledTemporaryFile"
_LOOKING = {
    **dict.fromkeys(("genericpath", "posixpath", "ntpath"), _STATUS),
    **dict.fromkeys(("os", "posix", "nt"), _OS_LOOKING),
    "glob": "glob iglob",
}
_CHANGING = {
    **dict.fromkeys(("os", "posix", "nt"), _OS_CHANGING),
    "shutil": _SHUTIL, "tempfile": _TEMPFILE, "sqlite3": "connect", "_sqlite3": "connect",
}  # fmt: skip
_EFFECTS = {
    (module, name): kind
    for kind, table in (("read", _LOOKING), ("write", _CHANGING))
    for module, names in table.items()
    for name in names.split()
}

# Methods of a path, and of a file.
_PATH_LOOKING = (
    "exists glob group is_block_device is_char_device is_dir is_fifo is_file is_mount is_socket is_symlink iterdir "
    "lstat owner read_bytes read_text readlink rglob samefile stat walk"
)
_PATH_CHANGING = (
    "chmod hardlink_to lchmod mkdir open rename replace rmdir symlink_to touch unlink write_bytes write_text"
)
_PURE = frozenset({"fileno", "isatty", "readable", "seekable", "writable"})
_FILES = frozenset({"BufferedRandom", "BufferedRWPair", "BufferedReader", "BufferedWriter", "FileIO", "TextIOWrapper"})
_DATABASES = frozenset({"Connection", "Cursor"})
_TEMPORARY = frozenset({"_TemporaryFileWrapper", "SpooledTemporaryFile"})


def effect_on_disk(called: Any) -> str:
    """What calling a function does to the disk: "read", "write", or "" for nothing.

    >>> import os, os.path, shutil
    >>> [effect_on_disk(f) for f in (os.path.exists, os.mkdir, shutil.rmtree, os.path.join, len)]
    ['read', 'write', 'write', '', '']
    """
    if type(called) not in (BuiltinFunctionType, FunctionType) and not isinstance(called, type):
        return ""
    return _EFFECTS.get((getattr(called, "__module__", None) or "", called.__name__), "")


def effect_of_opening(mode: object) -> str:
    """The same for `open`.

    >>> effect_of_opening("r"), effect_of_opening("a+")
    ('read', 'write')
    """
    return "read" if isinstance(mode, str) and not set(mode) & set("wax+") else "write"


_known: dict[type, bool] = {}


def is_outside(kind: type) -> bool:
    """Do methods of such objects look at the disk, or change it?

    >>> import pathlib, sqlite3
    >>> is_outside(pathlib.Path), is_outside(sqlite3.Cursor), is_outside(dict)
    (True, True, False)
    """
    known = _known.get(kind)
    if known is None:
        if len(_known) >= MOST_KINDS:
            _known.clear()
        known = _known[kind] = any(map(_is_outside, kind.__mro__))
    return known


def _is_outside(kind: type) -> bool:
    module, name = module_of(kind), kind.__name__
    return (
        (module == "_io" and name in _FILES)
        or (module == "sqlite3" and name in _DATABASES)
        or (module == "tempfile" and name in _TEMPORARY)
        or (module.partition(".")[0] == "pathlib" and name == "Path")
    )


def effect_of_method(obj: Any, name: str) -> str:
    """What a method of an object does to the disk, if that is outside.

    >>> import pathlib
    >>> [effect_of_method(pathlib.Path(), name) for name in ("exists", "mkdir", "with_suffix")]
    ['read', 'write', '']
    """
    if not is_outside(type(obj)):
        return ""
    if any(module_of(base).partition(".")[0] == "pathlib" for base in type(obj).__mro__):
        return "read" if name in _PATH_LOOKING.split() else "write" if name in _PATH_CHANGING.split() else ""
    printed = any(obj is stream for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__))
    return "" if printed or name in _PURE else "read" if name == "tell" else "write"
