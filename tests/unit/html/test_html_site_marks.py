"""The marks that show sites in source lines."""

from __future__ import annotations

from report_contents import READ, SOURCE, WRITE

from raddle.report.html.line_markup import line_markup
from raddle.report.html.site_marks import LONGEST_LINE, MAX_CHARACTERS, Mark, marked_lines, status_of
from raddle.report.html.site_requirements import RequirementAtSite, SiteCoverage
from raddle.report.html.source import Source
from raddle.report.source import AS_MEASURED, CHANGED
from raddle.site import INDEX_BITS, Site
from raddle.tally import Covered

COVERED = SiteCoverage(covered={"map": [RequirementAtSite("map", (READ,), (READ,), Covered(1, 1))]})
MISSING = SiteCoverage(missing={"map": [RequirementAtSite("map", (READ,), (READ,), None)]})


def marks(text, *sites, parts=None):
    numbered = dict(enumerate(sites, 1))
    source = Source((text,), AS_MEASURED, digests=frozenset({0}))  # small site numbers have the digest 0
    lines = marked_lines(source, numbered, parts or {}, numbers={number: number for number in numbered})
    return [piece for piece in lines[0].pieces if isinstance(piece, Mark)], lines[0]


def site(column, kind="read", name="x", line=1):
    return Site("m.py", line, column, kind, name, "f", switchable=True)


def test_the_status_says_how_much_was_covered():
    assert status_of([COVERED]) == "all"
    assert status_of([COVERED, MISSING]) == "some"
    assert status_of([MISSING, None]) == "none"
    assert status_of([None]) == "quiet"


def test_a_mark_covers_the_whole_name():
    (mark,), line = marks("    return self.items + 1", site(11))
    assert mark.text == "self.items"
    assert (
        "".join(piece.text if isinstance(piece, Mark) else piece for piece in line.pieces)
        == "    return self.items + 1"
    )


def test_columns_are_counted_in_bytes():
    (mark,), _ = marks("é = name", site(5))  # é takes two bytes in UTF-8
    assert mark.text == "name"


def test_sites_at_one_place_share_a_mark():
    (mark,), _ = marks("x.n += 1", site(0), site(0, "write"), parts={2: MISSING})
    assert mark.sites == (2, 1)  # sites with requirements come first
    assert mark.label.startswith("write x and read x: no requirement here is covered")


def test_a_column_beyond_the_line_is_marked_at_its_end():
    (mark,), _ = marks("x", site(40))
    assert mark.text == "¶"


def test_blocks_and_function_exits_have_no_marks():
    found, line = marks("x = 1", site(0, "block", ""), site(0, "leave", ""))
    assert found == []
    assert line.status == ""


def test_code_and_names_are_escaped():
    found, line = marks('a = "<&>"', Site("m.py", 1, 0, "read", '"><i>', "f", switchable=True))
    assert found[0].label.startswith('read "><i>')
    text = str(line_markup(line))
    assert "&lt;&amp;&gt;" in text
    assert "<i>" not in text


def test_lines_that_never_ran_and_functions_without_probes_are_known():
    lines = marked_lines(
        Source(tuple(SOURCE.splitlines()), AS_MEASURED, digests=frozenset({READ >> INDEX_BITS})),
        {READ: site(14, line=6), WRITE: site(8, line=7)},
        {},
        numbers={READ: 0, WRITE: 1},
        unrun=[6],
    )
    assert [line.number for line in lines if not line.run] == [6]
    # `__init__` on lines 2 and 3 and `idle` on lines 9 and 10 have no sites.
    assert [line.number for line in lines if not line.probed] == [2, 3, 9, 10]
    assert "no execution ran this" in line_markup(lines[5])


# -- sources that differ from the measured version -------------------------------------------------------

MEASURED_SITES = {
    1: site(0, "read", "value"),
    2: site(0, "write", "value"),
    3: site(9, "call", "lock.release"),
    4: site(4),
}


def shape(line):
    """Return the text of a line with its marks in brackets."""
    return "".join(f"[{piece.text}]" if isinstance(piece, Mark) else piece for piece in line.pieces)


def test_sites_of_a_missing_source_are_marked_phrases():
    # Columns 0, 4 and 9 refer to a source that no longer exists, so they only determine the order.
    (line,) = marked_lines(Source(), MEASURED_SITES, {}, numbers={number: 10 * number for number in MEASURED_SITES})
    assert shape(line) == "[read value], [write value], [read x], [call lock.release]"
    assert [piece.sites for piece in line.pieces if isinstance(piece, Mark)] == [(10,), (20,), (40,), (30,)]


def test_a_site_without_a_name_is_described_by_its_function():
    (line,) = marked_lines(Source(), {1: site(0, "enter", "")}, {}, numbers={1: 1})
    assert shape(line) == "[enter f]"


def test_two_sites_with_the_same_description_share_a_phrase():
    (line,) = marked_lines(Source(), {1: site(0), 2: site(8)}, {}, numbers={1: 1, 2: 2})
    assert [piece.sites for piece in line.pieces] == [(1, 2)]


def test_a_changed_source_is_marked_by_line():
    sites = {1: site(11, name="value", line=2), 2: site(0, name="gone", line=5)}
    changed = Source(("def f(self):", "    return 12 * self.value"), CHANGED)
    lines = marked_lines(changed, sites, {}, numbers={1: 1, 2: 2})
    assert [(line.number, shape(line)) for line in lines] == [
        (1, "def f(self):"),
        (2, "    return 12 * self.value  [read value]"),  # column 11 now contains the number 12
        (5, "[read gone]"),  # the file now has fewer lines
    ]
    assert [line.status for line in lines] == ["", "quiet", "quiet"]
    assert 'class="site quiet description"' in line_markup(lines[1])


def test_sites_of_another_version_are_described_after_the_line():
    now, before = 7 << INDEX_BITS, 8 << INDEX_BITS
    source = Source(("x = y",), AS_MEASURED, digests=frozenset({7}))
    (line,) = marked_lines(source, {now: site(4, name="y"), before: site(0, name="z")}, {}, numbers={now: 1, before: 2})
    assert shape(line) == "x = [y]  [read z]"
    assert source.remark([now]) == ""
    assert source.remark([now, before]).startswith("This file was measured in several versions.")


def test_functions_of_a_changed_source_are_not_marked_as_uninstrumented():
    lines = marked_lines(Source(("def f():", "    pass"), CHANGED), {}, {}, numbers={})
    assert all(line.probed for line in lines)


def test_a_very_long_line_is_cut_and_later_sites_are_described():
    text = "x" + " " * LONGEST_LINE + "far"
    found, line = marks(text, site(0), site(LONGEST_LINE + 1, name="far"))
    assert [mark.text for mark in found] == ["x", "read far"]
    assert len(shape(line)) < LONGEST_LINE + 30


def test_a_source_with_many_long_lines_is_cut():
    lines = marked_lines(Source(("x" * LONGEST_LINE,) * 1_000, CHANGED), {}, {}, numbers={})
    assert len(lines) == MAX_CHARACTERS // LONGEST_LINE


def test_invisible_characters_are_escaped():
    _, line = marks("s = '\u202e\x1b[31m'", site(0))
    assert "s</button> = &#39;\\u202e\\x1b[31m&#39;</code>" in line_markup(line)
