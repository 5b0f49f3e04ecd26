import inspect

import pytest

from raddle.generation.expressions import Container, Imported, Literal, TemporaryPath
from raddle.generation.paths import PathUse, has_text, is_safe, path_guesses, path_use
from raddle.generation.surface import Method, MethodKind, Parameter
from raddle.generation.usage import Fact, Usage, Use


def use(method, name, *, hint=inspect.Parameter.empty, default=inspect.Parameter.empty, facts=()):
    parameter = Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, hint, default)
    return path_use(Method(method, MethodKind.METHOD, Imported("shop", "Shop")), parameter, Usage(tuple(facts)))


@pytest.mark.parametrize("name", ["path", "log_file", "filename", "directory", "base_dir", "lock_path"])
def test_some_names_mean_paths(name):
    assert use("open", name) is PathUse.ALWAYS


@pytest.mark.parametrize(
    "function", ["posix.remove", "shutil.rmtree", "io.open", "pathlib.Path", "posixpath.join", "os.makedirs"]
)
def test_arguments_of_functions_for_files_are_paths(function):
    assert use("get", "thing", facts=[Fact((), Use.PASSED, function)]) is PathUse.ALWAYS


@pytest.mark.parametrize("method", ["remove", "unlink", "rmtree", "save", "write_to", "dump", "delete_all", "rename"])
def test_texts_are_paths_in_methods_that_could_delete_or_overwrite(method):
    assert use(method, "thing") is PathUse.TEXTS
    assert use(method, "thing", facts=[Fact((), Use.KEY)]) is PathUse.NEVER
    assert use(method, "thing", hint=int) is PathUse.NEVER
    assert use(method, "thing", facts=[Fact((), Use.ATTRIBUTE, "key")]) is PathUse.NEVER  # neither a text nor a path
    assert use(method, "thing", facts=[Fact((), Use.ATTRIBUTE, "strip")]) is PathUse.TEXTS


def test_a_stream_is_not_a_path():
    assert use("load", "file", facts=[Fact((), Use.ATTRIBUTE, "read")]) is PathUse.TEXTS
    assert use("load", "file", default=inspect) is PathUse.NEVER  # the default value is an object


def test_other_parameters_are_not_paths():
    assert use("get", "key", hint=str) is PathUse.NEVER


def test_a_folder_is_more_likely_to_be_the_temporary_folder_itself():
    first = [path_guesses(Parameter(name, inspect.Parameter.POSITIONAL_ONLY))[0].expression for name in ("file", "dir")]
    assert first == [TemporaryPath("a"), TemporaryPath("")]


@pytest.mark.parametrize("text", ["/etc/passwd", "~/x", "C:\\x", "data.json", "a/b"])
def test_texts_that_look_like_paths_are_not_taken_from_tests(text):
    assert not is_safe(Literal(text))
    assert not is_safe(Container("list", (Literal(text),)))


def test_other_texts_are_taken_from_tests():
    assert is_safe(Container("list", (Literal("ann"), Literal("1.5"))))


def test_texts_inside_containers_count():
    assert has_text(Container("tuple", (Literal(1), Literal(b"a"))))
    assert not has_text(TemporaryPath("a"))
