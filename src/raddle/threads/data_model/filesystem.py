"""Files and databases: which calls read them, and which change them.

A probe cannot tell which file a call accesses, and two paths can name the same file. So all files and databases count
as one variable, and any write conflicts with every other access. Console output is not tracked.
"""

from __future__ import annotations

import sys
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from raddle.inspection import module_of, mro, name_of
from raddle.operation import READ, WRITE, Effect, Kind
from raddle.threads.data_model.variables import MAX_CLASSES


class Disk:
    """The owner of the single variable that represents all files and databases."""


DISK = Disk()
CONTENTS = "files"

# Functions that read files or databases, and functions that change them, by module.
_STATUS = "exists lexists isfile isdir islink ismount getsize getmtime getatime getctime samefile"
_OS_READERS = "stat lstat access listdir scandir readlink walk fwalk read pread"
_OS_WRITERS = (
    "open mkdir makedirs rename renames replace remove unlink rmdir removedirs link symlink truncate ftruncate utime "
    "chmod chown write pwrite mkfifo mknod system popen posix_spawn posix_spawnp spawnl spawnv fdopen"
)
_SHUTIL = "copy copy2 copyfile copyfileobj copymode copystat copytree move rmtree make_archive unpack_archive chown"
_TEMPFILE = "mkdtemp mkstemp NamedTemporaryFile TemporaryFile TemporaryDirectory SpooledTemporaryFile"
_READERS = {
    **dict.fromkeys(("genericpath", "posixpath", "ntpath"), _STATUS),
    **dict.fromkeys(("os", "posix", "nt"), _OS_READERS),
    "glob": "glob iglob",
}
_WRITERS = {
    **dict.fromkeys(("os", "posix", "nt"), _OS_WRITERS),
    "shutil": _SHUTIL, "tempfile": _TEMPFILE, "sqlite3": "connect", "_sqlite3": "connect",
    "_io": "FileIO", "bz2": "BZ2File open", "codecs": "open", "dbm": "open", "fileinput": "input FileInput",
    "gzip": "GzipFile open", "logging": "FileHandler", "lzma": "LZMAFile open", "mailbox": "Maildir mbox",
    "logging.handlers": "RotatingFileHandler TimedRotatingFileHandler WatchedFileHandler",
    "shelve": "open DbfilenameShelf", "subprocess": "Popen call check_call check_output getoutput run",
    "tarfile": "TarFile open", "zipfile": "ZipFile PyZipFile",
}  # fmt: skip
_EFFECTS = {
    (module, name): kind
    for kind, table in ((READ, _READERS), (WRITE, _WRITERS))
    for module, names in table.items()
    for name in names.split()
}

# Methods of paths, file methods without an effect, and the classes of files and databases.
_PATH_READERS = (
    "exists glob group is_block_device is_char_device is_dir is_fifo is_file is_mount is_socket is_symlink iterdir "
    "lstat owner read_bytes read_text readlink rglob samefile stat walk"
)
_PATH_WRITERS = (
    "chmod hardlink_to lchmod mkdir open rename replace rmdir symlink_to touch unlink write_bytes write_text"
)
_HARMLESS = frozenset({"fileno", "isatty", "readable", "seekable", "writable"})
_FILES = frozenset({"BufferedRandom", "BufferedRWPair", "BufferedReader", "BufferedWriter", "FileIO", "TextIOWrapper"})
_DATABASES = frozenset({"Connection", "Cursor"})
_TEMPORARY = frozenset({"_TemporaryFileWrapper", "SpooledTemporaryFile"})
_ARCHIVE_CLASSES = frozenset({"BZ2File", "GzipFile", "LZMAFile", "TarFile", "ZipFile"})
_ARCHIVE_MODULES = frozenset({"bz2", "gzip", "lzma", "tarfile", "zipfile"})


def effect_on_disk(called: Any) -> Effect:
    """Return the effect of a call on files and databases, or None if it has none.

    >>> import os, os.path, shutil
    >>> [effect_on_disk(f) for f in (os.path.exists, os.mkdir, shutil.rmtree, os.path.join, len)]
    ['read', 'write', 'write', None, None]
    """
    kind = type(called)
    if kind is BuiltinFunctionType or kind is MethodType:
        owner = called.__self__
        if owner is not None and is_external(type(owner)):  # a bound method stored for later: `write = file.write`
            return effect_of_method(owner, called.__name__)
        called = called if kind is BuiltinFunctionType else called.__func__
        kind = type(called)
    if kind is BuiltinFunctionType or kind is FunctionType:
        return _EFFECTS.get((called.__module__ or "", called.__name__))
    if issubclass(kind, type):
        return _EFFECTS.get((module_of(called), name_of(called)))
    return None


def effect_of_opening(mode: object) -> Kind:
    """Return the effect of `open` with the given mode.

    >>> effect_of_opening("r"), effect_of_opening("a+")
    ('read', 'write')
    """
    return READ if type(mode) is str and not set(mode) & set("wax+") else WRITE


_cache: dict[int, tuple[type, bool]] = {}  # maps the id of a class to the class (kept alive) and the result


def is_external(kind: type) -> bool:
    """Return whether a class represents paths, files or databases, whose methods may access the disk.

    >>> import pathlib, sqlite3
    >>> is_external(pathlib.Path), is_external(sqlite3.Cursor), is_external(dict)
    (True, True, False)
    """
    cached = _cache.get(id(kind))
    if cached is None:
        if len(_cache) >= MAX_CLASSES:
            _cache.clear()
        cached = _cache[id(kind)] = kind, any(map(_is_external_class, mro(kind)))
    return cached[1]


def _is_external_class(kind: type) -> bool:
    module, name = module_of(kind), name_of(kind)
    return (
        (module == "_io" and name in _FILES)
        or (module == "sqlite3" and name in _DATABASES)
        or (module == "tempfile" and name in _TEMPORARY)
        or (module.partition(".")[0] in _ARCHIVE_MODULES and name in _ARCHIVE_CLASSES)
        or (module.partition(".")[0] == "pathlib" and name == "Path")
    )


def effect_of_method(obj: Any, name: str) -> Effect:
    """Return how a method of a path, file or database affects the disk, or None if it does not.

    >>> import pathlib
    >>> [effect_of_method(pathlib.Path(), name) for name in ("exists", "mkdir", "with_suffix")]
    ['read', 'write', None]
    """
    if not is_external(type(obj)):
        return None
    if any(module_of(base).partition(".")[0] == "pathlib" for base in mro(type(obj))):
        return READ if name in _PATH_READERS.split() else WRITE if name in _PATH_WRITERS.split() else None
    is_console = any(obj is stream for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__))
    return None if is_console or name in _HARMLESS else READ if name == "tell" else WRITE
