"""The standard library behaves the same with probes: modules compile, and CPython's language tests pass."""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import pytest

import processes
from raddle.instrument.compiled import compile_probed

HERE = Path(__file__).parent
LIBRARY = Path(sysconfig.get_paths()["stdlib"])

# The test modules that thoroughly exercise the language itself, containers and classes.
MODULES = """
    test_augassign test_class test_compare test_contains test_coroutines test_decorators test_dict
    test_dictviews test_enum test_fstring test_generators test_grammar test_iter test_keywordonlyarg test_list
    test_listcomps test_named_expressions test_patma test_property test_scope test_slice test_super test_tuple
    test_unpack test_unpack_ex test_with
""".split()  # noqa: SIM905 - a list of 26 quoted names is no easier to read

# Name prefixes of tests that inspect interpreter internals, each with the difference that these tests observe.
KNOWN = {
    "test.test_patma.TestTracing.": "a trace function sees the line of `def` once more when a function is entered",
    "test.test_scope.ScopeTests.testLocalsFunction": "locals() also has the token of the function's cells",
}


def test_cpythons_tests_have_the_same_outcomes_with_probes() -> None:
    plain, probed = run_tests("plain"), run_tests("recorded")
    assert len(plain) > 1000
    different = {name for name in plain.keys() | probed.keys() if plain.get(name) != probed.get(name)}
    new = [name for name in sorted(different) if not name.startswith(tuple(KNOWN))]
    assert [(name, plain.get(name), probed.get(name)) for name in new] == []


def run_tests(mode: str) -> dict[str, str]:
    names = [f"test.{name}" for name in MODULES]
    pytest.importorskip("test.test_grammar", reason="this Python has no `test` package")
    command = [sys.executable, str(HERE / "run_unittest.py"), mode, *names]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}  # do not write into the interpreter's folders
    completed = processes.run(command, env=environment, capture_output=True, text=True)
    assert completed.returncode == 0, completed.stderr
    return dict(json.loads(completed.stdout))


def sample() -> list[Path]:
    """Return every fifth module and some grammar tests.

    Together, these files contain every syntax form and still compile quickly.
    """
    modules = sorted(LIBRARY.glob("*.py"))[::5]
    return [*modules, *(LIBRARY / "test" / f"{name}.py" for name in ("test_grammar", "test_patma", "test_scope"))]


@pytest.mark.parametrize("file", [pytest.param(file, id=file.name) for file in sample()])
def test_a_module_compiles_with_all_lines_preserved(file: Path) -> None:
    if not file.exists():
        pytest.skip("this Python has no `test` package")
    source = file.read_bytes()
    plain = _code_by_name_and_line(compile(source, str(file), "exec", dont_inherit=True))
    lines = source.splitlines()
    for tokens in (True, False):
        probed = _code_by_name_and_line(compile_probed(source, file=file.name, path=str(file), tokens=tokens).code)
        assert plain.keys() == probed.keys()
        for key, codes in plain.items():
            assert len(codes) == len(probed[key])
            for before, after in zip(codes, probed[key], strict=True):
                assert before.co_varnames[: before.co_argcount] == after.co_varnames[: after.co_argcount]
                assert tokens or before.co_freevars == after.co_freevars
                assert before.co_flags == after.co_flags
                # The `enter` and `leave` probes are on the line of the `def`. No other line is added, and none is lost.
                new = {line for line in _lines(after) - _lines(before) if b"def " not in lines[line - 1]}
                assert new == set()
                assert _lines(before) - _lines(after) == set()


def _code_by_name_and_line(module: CodeType) -> dict[tuple[str, int], list[CodeType]]:
    found = defaultdict(list)
    for code in _nested(module):
        found[code.co_name, code.co_firstlineno].append(code)
    return found


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)


def _lines(code: CodeType) -> set[int]:
    return {line for _, _, line in code.co_lines() if line}
