"""What is outside of the process: which calls look at files and databases, and which change them.

Nobody can see which file a call is about, and two paths can lead to one. So all of it is one variable, the disk's: two
threads of which one changes something there can be in each other's way. What is printed is nobody's datum.
"""

from __future__ import annotations

import sys
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from raddle.inspection import module_of, mro, name_of
from raddle.operation import READ, WRITE, Effect, Kind
from raddle.threads.data_model.variables import MAX_KINDS


class Disk:
    """Has one variable, which stands for everything that is kept outside."""


DISK = Disk()
CONTENTS = "files"

# By module: functions that only look, and those that change something; the others have nothing to do with it.
_STATUS = "exists lexists isfile isdir islink ismount getsize getmtime getatime getctime samefile"
_OS_LOOKING = "stat lstat access listdir scandir readlink walk fwalk read pread"
_OS_CHANGING = (
    "open mkdir makedirs rename renames replace remove unlink rmdir removedirs link symlink truncate ftruncate utime "
    "chmod chown write pwrite mkfifo mknod system popen posix_spawn posix_spawnp spawnl spawnv fdopen"
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
    "_io": "FileIO", "bz2": "BZ2File open", "codecs": "open", "dbm": "open", "fileinput": "input FileInput",
    "gzip": "GzipFile open", "logging": "FileHandler", "lzma": "LZMAFile open", "mailbox": "Maildir mbox",
    "logging.handlers": "RotatingFileHandler TimedRotatingFileHandler WatchedFileHandler",
    "shelve": "open DbfilenameShelf", "subprocess": "Popen call check_call check_output getoutput run",
    "tarfile": "TarFile open", "zipfile": "ZipFile PyZipFile",
}  # fmt: skip
_EFFECTS = {
    (module, name): kind
    for kind, table in ((READ, _LOOKING), (WRITE, _CHANGING))
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
_PACKED = frozenset({"BZ2File", "GzipFile", "LZMAFile", "TarFile", "ZipFile"})
_PACKING = frozenset({"bz2", "gzip", "lzma", "tarfile", "zipfile"})


def effect_on_disk(called: Any) -> Effect:
    """Return what calling a function does to the disk.

    >>> import os, os.path, shutil
    >>> [effect_on_disk(f) for f in (os.path.exists, os.mkdir, shutil.rmtree, os.path.join, len)]
    ['read', 'write', 'write', None, None]
    """
    kind = type(called)
    if kind is BuiltinFunctionType or kind is MethodType:
        owner = called.__self__
        if owner is not None and is_outside(type(owner)):  # kept before it is called: `write = file.write`
            return effect_of_method(owner, called.__name__)
        called = called if kind is BuiltinFunctionType else called.__func__
        kind = type(called)
    if kind is BuiltinFunctionType or kind is FunctionType:
        return _EFFECTS.get((called.__module__ or "", called.__name__))
    if issubclass(kind, type):
        return _EFFECTS.get((module_of(called), name_of(called)))
    return None


def effect_of_opening(mode: object) -> Kind:
    """The same for `open`.

    >>> effect_of_opening("r"), effect_of_opening("a+")
    ('read', 'write')
    """
    return READ if type(mode) is str and not set(mode) & set("wax+") else WRITE


_known: dict[int, tuple[type, bool]] = {}  # by id: the class, kept alive


def is_outside(kind: type) -> bool:
    """Do methods of such objects look at the disk, or change it?

    >>> import pathlib, sqlite3
    >>> is_outside(pathlib.Path), is_outside(sqlite3.Cursor), is_outside(dict)
    (True, True, False)
    """
    known = _known.get(id(kind))
    if known is None:
        if len(_known) >= MAX_KINDS:
            _known.clear()
        known = _known[id(kind)] = kind, any(map(_is_outside, mro(kind)))
    return known[1]


def _is_outside(kind: type) -> bool:
    module, name = module_of(kind), name_of(kind)
    return (
        (module == "_io" and name in _FILES)
        or (module == "sqlite3" and name in _DATABASES)
        or (module == "tempfile" and name in _TEMPORARY)
        or (module.partition(".")[0] in _PACKING and name in _PACKED)
        or (module.partition(".")[0] == "pathlib" and name == "Path")
    )


def effect_of_method(obj: Any, name: str) -> Effect:
    """Return what a method of an object does to the disk, if that is outside.

    >>> import pathlib
    >>> [effect_of_method(pathlib.Path(), name) for name in ("exists", "mkdir", "with_suffix")]
    ['read', 'write', None]
    """
    if not is_outside(type(obj)):
        return None
    if any(module_of(base).partition(".")[0] == "pathlib" for base in mro(type(obj))):
        return READ if name in _PATH_LOOKING.split() else WRITE if name in _PATH_CHANGING.split() else None
    printed = any(obj is stream for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__))
    return None if printed or name in _PURE else READ if name == "tell" else WRITE
