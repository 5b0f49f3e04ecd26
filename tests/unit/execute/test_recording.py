"""A record contains the sites that its warnings name."""

from __future__ import annotations

import importlib
import sys
from textwrap import dedent

import raddle
from raddle.checks.warning_texts import warning_sentence
from raddle.measuring.measurement import Measurement
from raddle.measuring.recording import NATIVE, make_record
from raddle.site import INDEX_BITS, Site, SiteTable
from raddle.static_model import StaticModel
from raddle.warning import ReportedWarning

HOLDER = """\
    class Holder:
        def __init__(self, value):
            self.value = value
"""

SCENARIO = """\
    import threading
    from recorded_holder import Holder

    def scenario():
        kept = []

        def put():
            kept.append(Holder(1))

        def read():
            for holder in kept:
                assert holder.value

        threads = [threading.Thread(target=function) for function in (put, read)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
"""


def test_warnings_name_sites_of_a_module_in_which_only_a_constructor_ran(tmp_path, monkeypatch):
    (tmp_path / "recorded_holder.py").write_text(dedent(HOLDER), encoding="utf-8")
    (tmp_path / "recorded_scenario.py").write_text(dedent(SCENARIO), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    names = ["recorded_holder", "recorded_scenario"]
    try:
        module = importlib.import_module("recorded_scenario")
        result = raddle.explore(module.scenario, source=names, criteria="default", executions=50)
        (sentence,) = [warning["sentence"] for warning in result.warnings if warning["subject"] == "Holder.value"]
        assert "recorded_holder.py:3" in sentence
        assert "in code without probes" not in sentence
    finally:
        for name in names:
            sys.modules.pop(name, None)


class Suspicious:
    """A check that reports a data race at the given sites in every execution."""

    def __init__(self, *sites):
        self.sites = sites

    def begin(self, entities):
        pass

    def feed(self, steps):
        pass

    def warnings(self):
        return [ReportedWarning("data-race", "C.n", self.sites, "read, written")]


def test_a_record_omits_modules_that_no_warning_names():
    table = SiteTable()
    named, other = 5 << INDEX_BITS, 6 << INDEX_BITS
    for base, file in ((named, "named.py"), (other, "other.py")):
        sites = tuple(Site(file, line, 0, "read", "n", "f", switchable=False) for line in (3, 4))
        table.add(base, sites, file=file, path=file)
    measurement = Measurement([], checks=[Suspicious(named, 0)])
    record = make_record(measurement, table, StaticModel(), origin="a test", mode=NATIVE)
    assert set(record.sites) == {named, named + 1}  # all sites of the module
    assert warning_sentence(record.warnings[0], record.sites) == (
        "`C.n` is read at named.py:3 and written by another thread in code "
        "without probes, and no synchronization orders them"
    )
