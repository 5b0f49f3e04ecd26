"""What a terminal would obey, or what would turn a line around, is shown and never written."""

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
from raddle.report.story import headline, tell
from raddle.schedule import Schedule
from raddle.store import add
from raddle.tally import Covered, Tally
from raddle.trace import Trace

EVIL = "a\u202eb\x1b[31mc\0d\u2066e\x9bf\rg\x7fh"
SEEN = r"a\u202eb\x1b[31mc\x00d\u2066e\x9bf\rg\x7fh"
BIDIRECTIONAL = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def hides(character):
    """By the tables of Unicode: control characters, halves of characters, ends of lines, and what sets directions."""
    if character in "\t\n":
        return False
    return (
        unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(character) in BIDIRECTIONAL
        or character in "\u200e\u200f\u061c"  # the marks of direction, which are as strong as a letter
    )


def test_every_character_of_unicode():
    every = [chr(number) for number in range(0x11_0000)]
    hidden = {character for character in every if hides(character)} | {"\ufffe", "\uffff"}  # which are no characters
    others = "".join(character for character in every if character not in hidden)
    assert plain(others) == others
    assert [character for character in sorted(hidden) if plain(character) != ascii(character)[1:-1]] == []


@given(st.text())
def test_once_is_enough(text):
    assert plain(plain(text)) == plain(text)
    assert "\n" not in in_one_line(text)


def test_lines_of_windows_end_as_others_do():
    assert plain("a\r\nb\rc") == "a\nb\\rc"


def evil_finding():
    events = (Event("T1", "write", EVIL, 1, "c.py", 3, value=EVIL), Event("T2", "read", EVIL, 1, EVIL, 4, value="\n"))
    return Finding(
        "assertion", EVIL, "T1", THIS_INTERPRETER, Schedule.parse("T0; T1."), Trace(events), (EVIL,),
        (Preemption(1, "T1", EVIL),), {EVIL: ""},
    )  # fmt: skip


def test_a_story_shows_what_would_hide():
    """As `raddle explore` and the plugin print it."""
    story = tell(evil_finding(), EVIL)
    assert not [character for character in story if hides(character)]
    # The message, a variable with its value, one with its file, the stop, the details, the command.
    assert story.count(SEEN) == 8
    assert f"writes {SEEN}: {SEEN}\n" in story
    assert f"reads {SEEN}: \\n\n" in story
    assert headline(evil_finding()).startswith(f"assertion in T1: {SEEN} (can happen")


def test_a_line_of_source_in_a_story(tmp_path):
    file = tmp_path / "c.py"
    file.write_bytes("x = 1  # \u202e\n".encode())
    event = Event("T1", "acquire", "Lock 1", 1, "c.py", 1)
    finding = replace(evil_finding(), trace=Trace((event,)), preemptions=(), paths={"c.py": str(file)})
    assert r"x = 1  # \u202e  acquires Lock 1" in tell(finding)


def test_a_report_shows_what_would_hide(tmp_path, monkeypatch):
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
    # The file in its table, its note, the other note, the warning, the message, the details, a variable with its value;
    # with --missing only the note on the file.
    for arguments, least in ([], 8), (["--missing", "sync"], 1):
        output = CliRunner().invoke(report, arguments, standalone_mode=False).output
        assert output.count(SEEN) >= least
        assert not [character for character in output if hides(character)]


def test_texts_are_kept_as_they_are_for_machines():
    (found,) = stored_findings(contents({**LOST_UPDATE, "message": EVIL}))
    assert found.finding.message == EVIL
