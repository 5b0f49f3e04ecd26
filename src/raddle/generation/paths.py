"""Parameters that receive paths. They only ever receive paths in a temporary folder."""

from __future__ import annotations

import inspect
import pathlib
import re
import typing
from enum import Enum

from raddle.generation.expressions import Expression, Literal, parts_of
from raddle.generation.guesses import Guess, merged
from raddle.generation.hint_guesses import is_path_class, path_of
from raddle.generation.surface import Method, Parameter
from raddle.generation.usage import Usage, Use

_NAME = re.compile(
    r"(.*_)?(path|paths|file|files|filename|filenames|filepath|dir|dirname|directory|folder|pathname|fname|cwd|root"
    r"|socket_path|certfile|keyfile|logfile|lockfile|basename)",
    re.IGNORECASE,
)
_MODULES = frozenset({"posix", "nt", "posixpath", "ntpath", "os", "shutil", "pathlib", "io", "_io", "tempfile", "glob"})
_FUNCTIONS = frozenset({"open", "fopen", "makedirs", "rmtree", "unlink", "chmod", "fdopen", "listdir", "abspath"})
_PATH_METHODS = frozenset({"unlink", "mkdir", "rmdir", "touch", "write_text", "write_bytes", "joinpath", "with_suffix"})
# Methods that could delete or overwrite a file that a text names.
_DESTRUCTIVE = re.compile(
    r"(.*_)?(remove|unlink|rmtree|rmdir|delete|save|write|dump|rename|replace|move|copy|truncate|purge|erase|export)"
    r"(_.*)?",
    re.IGNORECASE,
)
_STREAM_METHODS = frozenset({"read", "write", "readline", "flush"})
_FOLDER = re.compile(r"dir|folder|root|cwd", re.IGNORECASE)
_KINDS_OF_TEXT = (str, bytes, inspect.Parameter.empty, typing.Any)


class PathUse(Enum):
    """Whether the texts that a parameter receives must be paths in the temporary folder."""

    NEVER = "never"
    TEXTS = "texts"  # values other than texts are allowed
    ALWAYS = "always"


def path_use(method: Method, parameter: Parameter, usage: Usage) -> PathUse:
    """Return whether an argument could name a file.

    In methods such as `remove` and `save`, a text could name a file unless the source uses it as a key, compares it, or
    reads an attribute that neither texts nor paths have.

    >>> from raddle.generation.expressions import Imported
    >>> from raddle.generation.surface import MethodKind
    >>> save = Method("save_to", MethodKind.METHOD, Imported("shop", "Cart"))
    >>> where = Parameter("where", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    >>> path_use(save, where, Usage())
    <PathUse.TEXTS: 'texts'>
    """
    if any(map(is_path_class, _parts(parameter.hint))):
        return PathUse.ALWAYS
    if not _accepts_text(parameter):
        return PathUse.NEVER
    if _is_passed_to_file_function(usage) or _PATH_METHODS & usage.attributes:
        return PathUse.ALWAYS
    if _NAME.fullmatch(parameter.name):
        return PathUse.TEXTS if _STREAM_METHODS & usage.attributes else PathUse.ALWAYS
    is_key = usage.has(Use.KEY, Use.COMPARED, Use.ARITHMETIC, Use.ORDERED)
    is_other = any(not hasattr(str, name) and not hasattr(pathlib.Path, name) for name in usage.attributes)
    is_suspicious = _DESTRUCTIVE.fullmatch(method.name) and not is_key and not is_other
    return PathUse.TEXTS if is_suspicious else PathUse.NEVER


def path_guesses(parameter: Parameter) -> list[Guess]:
    """Return guesses for a path in the temporary folder; "" stands for the folder itself.

    >>> [guess.expression for guess in path_guesses(Parameter("path", inspect.Parameter.POSITIONAL_ONLY))]
    [TemporaryPath(name='a'), TemporaryPath(name='b'), TemporaryPath(name='')]
    """
    cls = next(filter(is_path_class, _parts(parameter.hint)), str)
    folder = 6 if _FOLDER.search(parameter.name) else 1
    return merged(Guess(path_of(name, cls), weight) for name, weight in {"a": 4, "b": 3, "": folder}.items())


def has_text(expression: Expression) -> bool:
    """Return whether a text is part of an expression.

    >>> has_text(Literal("a")), has_text(Literal(1))
    (True, False)
    """
    if isinstance(expression, Literal):
        return isinstance(expression.value, str | bytes)
    return any(map(has_text, parts_of(expression)))


def is_safe(expression: Expression) -> bool:
    """Return whether a value learned elsewhere may be an argument: it does not look like the path of a file.

    >>> is_safe(Literal("a")), is_safe(Literal("/etc/passwd")), is_safe(Literal("~/.profile"))
    (True, False, False)
    """
    match expression:
        case Literal(str() as text):
            return not re.search(r"[/\\~]|\.[a-z]\w{0,3}$", text)
        case Literal(bytes() as data):
            return not re.search(rb"[/\\~]", data)
    return all(map(is_safe, parts_of(expression)))


def _parts(hint: object) -> tuple[object, ...]:
    """Return the members of a union, or the hint itself."""
    parts = typing.get_args(hint)
    origin = typing.get_origin(hint)
    if origin is not None and is_path_class(origin):
        return (origin,)
    is_union = origin in (typing.Union, type(int | None))
    return tuple(typing.get_origin(part) or part for part in parts) if is_union else (hint,)


def _accepts_text(parameter: Parameter) -> bool:
    """Return whether a text can be an argument, judged by the hint, or else by the type of the default value."""
    if parameter.hint not in (None, inspect.Parameter.empty):
        return any(part is kind for part in _parts(parameter.hint) for kind in _KINDS_OF_TEXT)
    default = parameter.default
    return default is inspect.Parameter.empty or default is None or isinstance(default, str | bytes)


def _is_passed_to_file_function(usage: Usage) -> bool:
    for name in usage.details(Use.PASSED):
        module, _, function = name.rpartition(".")
        if module.partition(".")[0] in _MODULES or function in _FUNCTIONS or module.startswith(("os.", "pathlib.")):
            return True
    return False
