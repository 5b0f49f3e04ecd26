"""Control characters and text-direction characters are escaped in human-readable output."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from sample_findings import LOST_UPDATE, RACE, SITES, contents, step

from raddle.cli.report import report
from raddle.event import Event, Preemption
from raddle.finding import THIS_INTERPRETER, Finding
from raddle.record import Record
from raddle.report.plain import in_one_line, plain
from raddle.report.stored_findings import stored_findings
from raddle.report.story import headline, story_text
from raddle.schedule import Schedule
from raddle.store import add
from raddle.tally import Covered, Tally
from raddle.trace import Trace

EVIL = "a\u202eb\x1b[31mc\0d\u2066e\x9bf\rg\x7fh"
ESCAPED = r"a\u202eb\x1b[31mc\x00d\u2066e\x9bf\rg\x7fh"
BIDIRECTIONAL = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def is_hidden(character):
    """Return whether this is a Unicode control character, surrogate, line separator or direction character."""
    if character in "\t\n":
        return False
    return (
        unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(character) in BIDIRECTIONAL
        or character in "\u200e\u200f\u061c"  # direction marks, which have the bidirectional class of a letter
    )


def test_exactly_the_hidden_characters_of_unicode_are_escaped():
    every = [chr(number) for number in range(0x11_0000)]
    hidden = {character for character in every if is_hidden(character)} | {"\ufffe", "\uffff"}  # noncharacters
    others = "".join(character for character in every if character not in hidden)
    assert plain(others) == others
    assert [character for character in sorted(hidden) if plain(character) != ascii(character)[1:-1]] == []


@given(st.text())
def test_escaping_twice_changes_nothing(text):
    assert plain(plain(text)) == plain(text)
    assert "\n" not in in_one_line(text)


def test_windows_line_endings_become_newlines():
    assert plain("a\r\nb\rc") == "a\nb\\rc"


def evil_finding():
    events = (Event("T1", "write", EVIL, 1, "c.py", 3, value=EVIL), Event("T2", "read", EVIL, 1, EVIL, 4, value="\n"))
    return Finding(
        "assertion", EVIL, "T1", THIS_INTERPRETER, Schedule.parse("T0; T1."), Trace(events), (EVIL,),
        (Preemption(1, "T1", EVIL),), {EVIL: ""},
    )  # fmt: skip


def test_a_story_escapes_hidden_characters():
    """`raddle explore` and the pytest plugin print this story."""
    story = story_text(evil_finding(), EVIL)
    assert not [character for character in story if is_hidden(character)]
    # The text occurs in the message, a variable and its value, another variable and its file, the preemption, the
    # details and the command.
    assert story.count(ESCAPED) == 8
    assert f"writes {ESCAPED}: {ESCAPED}\n" in story
    assert f"reads {ESCAPED}: \\n\n" in story
    assert headline(evil_finding()).startswith(f"assertion in T1: {ESCAPED} (can happen")


def test_a_source_line_in_a_story_is_escaped(tmp_path):
    file = tmp_path / "c.py"
    file.write_bytes("x = 1  # \u202e\n".encode())
    event = Event("T1", "acquire", "Lock 1", 1, "c.py", 1)
    finding = replace(evil_finding(), trace=Trace((event,)), preemptions=(), paths={"c.py": str(file)})
    assert r"x = 1  # \u202e  acquires Lock 1" in story_text(finding)


def test_a_report_escapes_hidden_characters(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    evil = {**LOST_UPDATE, "message": EVIL, "details": [EVIL], "steps": [step("T1", 9, "acquire", EVIL, EVIL)]}
    sites = {number: replace(site, name=EVIL, file=EVIL) for number, site in SITES.items()}
    add(
        tmp_path / ".raddle",
        Record(
            origin="explore counter.py::scenario", mode="controlled",
            tally=Tally.of({"sync": {(next(iter(SITES)), "visited"): Covered(1, 1)}}, executions=2),
            sites=sites, paths={}, findings=(evil,), warnings=(replace(RACE, subject=EVIL),), notes=(EVIL,),
        ),
    )  # fmt: skip
    # The text occurs in the file table, the note on the file, the other note, the warning, the message, the details,
    # and a variable and its value. With --missing, it occurs only in the note on the file.
    for arguments, minimum in ([], 8), (["--missing", "sync"], 1):
        output = CliRunner().invoke(report, arguments, standalone_mode=False).output
        assert output.count(ESCAPED) >= minimum
        assert not [character for character in output if is_hidden(character)]


def test_stored_texts_are_not_escaped():
    (found,) = stored_findings(contents({**LOST_UPDATE, "message": EVIL}))
    assert found.finding.message == EVIL
