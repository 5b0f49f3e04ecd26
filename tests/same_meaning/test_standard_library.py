"""The standard library means the same with probes: all of it compiles, and its tests of the language pass."""

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

# Those that try the language itself, and containers and classes thoroughly.
MODULES = """
    test_augassign test_class test_compare test_contains test_coroutines test_decorators test_dict
    test_dictviews test_enum test_fstring test_generators test_grammar test_iter test_keywordonlyarg test_list
    test_listcomps test_named_expressions test_patma test_property test_scope test_slice test_super test_tuple
    test_unpack test_unpack_ex test_with
""".split()  # noqa: SIM905 - a list of so many strings is no easier to read

# Tests that look at the machinery, by the start of their names, and what they see there.
KNOWN = {
    "test.test_patma.TestTracing.": "a trace function sees the line of `def` again when a function is entered",
    "test.test_scope.ScopeTests.testLocalsFunction": "locals() also has the token of the function's cells",
}


def test_its_tests_give_the_same_results() -> None:
    plain, probed = results("plain"), results("recorded")
    assert len(plain) > 1000
    different = {name for name in plain.keys() | probed.keys() if plain.get(name) != probed.get(name)}
    new = [name for name in sorted(different) if not name.startswith(tuple(KNOWN))]
    assert [(name, plain.get(name), probed.get(name)) for name in new] == []


def results(mode: str) -> dict[str, str]:
    names = [f"test.{name}" for name in MODULES]
    pytest.importorskip("test.test_grammar", reason="this Python has come without its tests")
    command = [sys.executable, str(HERE / "run_unittest.py"), mode, *names]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}  # nothing into the interpreter's own folders
    done = processes.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def sample() -> list[Path]:
    """Every fifth module, and the tests of the grammar: enough to meet every form of code, and fast."""
    modules = sorted(LIBRARY.glob("*.py"))[::5]
    return [*modules, *(LIBRARY / "test" / f"{name}.py" for name in ("test_grammar", "test_patma", "test_scope"))]


@pytest.mark.parametrize("file", [pytest.param(file, id=file.name) for file in sample()])
def test_it_compiles_with_every_line_in_its_place(file: Path) -> None:
    if not file.exists():
        pytest.skip("this Python has come without its tests")
    source = file.read_bytes()
    plain = _codes(compile(source, str(file), "exec", dont_inherit=True))
    lines = source.splitlines()
    for tokens in (True, False):
        probed = _codes(compile_probed(source, file=file.name, path=str(file), tokens=tokens).code)
        assert plain.keys() == probed.keys()
        for key, codes in plain.items():
            assert len(codes) == len(probed[key])
            for one, other in zip(codes, probed[key], strict=True):
                assert one.co_varnames[: one.co_argcount] == other.co_varnames[: other.co_argcount]
                assert tokens or one.co_freevars == other.co_freevars
                assert one.co_flags == other.co_flags
                # `enter` and `leave` are on the line of `def`; no other line comes in, and none is lost.
                new = {line for line in _lines(other) - _lines(one) if b"def " not in lines[line - 1]}
                assert new == set()
                assert _lines(one) - _lines(other) == set()


def _codes(module: CodeType) -> dict[tuple[str, int], list[CodeType]]:
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
