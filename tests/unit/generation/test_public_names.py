"""Tests import classes by public names."""

import importlib
import sys
from dataclasses import replace

import pytest
from sample_cases import call, case, new

from raddle.generation.expressions import Callback, Container, Imported, New, Stub
from raddle.generation.public_names import PublicNames
from raddle.generation.targets import find_targets

FILES = {
    "__init__.py": "from public_names_sample._unix import UnixLock\nfrom public_names_sample.shown import Shown\n"
    "Lock = UnixLock\n",
    "_unix.py": "class UnixLock:\n    class Inner: pass\nclass Hidden: pass\n",
    "shown.py": "class Shown: pass\n",
    "deep.py": "from public_names_sample._unix import Hidden\n",
}
PACKAGE = "public_names_sample"
LOCK, HIDDEN = (Imported(f"{PACKAGE}._unix", name) for name in ("UnixLock", "Hidden"))


@pytest.fixture
def package(tmp_path, monkeypatch):
    (tmp_path / PACKAGE).mkdir()
    for name, text in FILES.items():
        (tmp_path / PACKAGE / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module(PACKAGE)
    yield
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("defined", "public"),
    [
        # The class has two public names in the package, and its own one wins.
        (LOCK, Imported(PACKAGE, "UnixLock")),
        (Imported(f"{PACKAGE}._unix", "UnixLock.Inner"), Imported(PACKAGE, "UnixLock.Inner")),
        # No loaded public module contains it.
        (HIDDEN, HIDDEN),
        # A public place needs no other name.
        (Imported(f"{PACKAGE}.shown", "Shown"), Imported(f"{PACKAGE}.shown", "Shown")),
    ],
)
def test_a_private_place_has_a_public_name(package, defined, public):
    assert PublicNames().of(defined) == public


def test_a_module_that_is_loaded_later_can_give_the_name(package):
    importlib.import_module(f"{PACKAGE}.deep")
    assert PublicNames().of(HIDDEN) == Imported(f"{PACKAGE}.deep", "Hidden")


def test_the_name_of_the_user_is_preferred(package):
    (target,) = find_targets(f"{PACKAGE}:Lock")
    assert target.name == Imported(PACKAGE, "Lock")
    assert PublicNames({LOCK: target.name}).of(LOCK) == Imported(PACKAGE, "Lock")


def test_all_parts_of_a_test_have_public_names(package):
    public = Imported(PACKAGE, "UnixLock")
    value = Container("list", (LOCK, New(LOCK), Callback("done", New(LOCK)), Stub((("lock", LOCK),))))
    test = case(
        [new(LOCK, value, lock=LOCK)], [call("get", LOCK, cls=LOCK)], [call("get", cls=LOCK)], observe=[new(LOCK)]
    )
    named = PublicNames().in_test(test)
    assert "_unix" not in repr(named)
    assert named.threads[0][0] == replace(call("get", public, cls=public), method=named.threads[0][0].method)
