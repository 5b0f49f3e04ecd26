"""The pages of the HTML report: their contents, and the escaping of text from the program."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from report_contents import BOX_BASE, LOCKS, LOCKS_BASE, READ, SITES, SOURCE, WRITE, contents, finding, step

from raddle.corpus import CorpusEntry
from raddle.errors import UsageError
from raddle.instrument.rewrite import site_base
from raddle.operation import ACQUIRE
from raddle.place import Place
from raddle.report.html import write_pages
from raddle.report.html.folder import MARKER
from raddle.report.html.long_texts import MAX_CHARACTERS, SHOWN_CHARACTERS
from raddle.report.html.pages import MAX_FINDINGS, MAX_LISTED
from raddle.report.html.places import Places, page_of
from raddle.site import INDEX_BITS, Site
from raddle.store.contents import Contents
from raddle.tally import Covered
from raddle.wait import Lock, Wait
from raddle.warning import ReportedWarning

MAX_BYTES = 2_000_000


class Page(HTMLParser):
    """A parsed page: its texts, links, scripts and ids, and the tags left open at the end."""

    VOID = frozenset({"meta", "link", "input", "br", "rect", "path", "line", "col"})

    def __init__(self, text):
        super().__init__()
        self.texts, self.links, self.scripts, self.ids, self.open = [], [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values["href"]] if tag == "a" and "href" in values else []
        self.scripts += [values.get("src", "inline")] if tag == "script" else []
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        """Ignore a self-closing tag."""

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


def write_and_parse(tmp_path, given):
    folder = tmp_path / "out"
    write_pages(given, folder, title="box")
    return {path.name: Page(path.read_text("utf-8")) for path in folder.glob("*.html")}


def data_of(tmp_path, label):
    text = (tmp_path / "out" / "data" / page_of(label).replace(".html", ".js")).read_text("ascii")
    assert text.startswith("raddle.take(")
    return json.loads(text[len("raddle.take(") : -len(");\n")])


def test_a_report_has_these_pages(tmp_path):
    pages = write_and_parse(tmp_path, contents(tmp_path, findings=[finding()]))
    assert set(pages) == {
        "index.html", "growth.html", "locks.html", "order.html",
        "finding-1.html", page_of("box.py"), page_of("locks.py"),
    }  # fmt: skip
    assert all(not page.open for page in pages.values())  # every tag is closed


def test_every_link_has_a_target(tmp_path):
    pages = write_and_parse(tmp_path, contents(tmp_path, findings=[finding(), finding(message="another")]))
    marks = {f"#s{place}" for place in Places(contents()).numbers.values()}  # targets that the script resolves
    for name, page in pages.items():
        for link in page.links:
            target, _, mark = link.partition("#")
            assert target in pages or not target
            assert not mark or f"#{mark}" in marks or mark in pages[target or name].ids


def test_the_index_shows_coverage_warnings_and_notes(tmp_path):
    index = write_and_parse(tmp_path, contents(tmp_path, findings=[finding()]))["index.html"]
    assert "1 run, 4 executions" in index.text
    assert "map 2 8 static" in index.text  # eight patterns of one variable, two of them covered
    assert "4 0 1 (static) A reads x, B writes x, A reads x" in index.text
    assert "2 of 8" in index.text  # the cell for box.py
    assert "Box.text is read at box.py:6 and written" in index.text
    assert "not instrumented: other.py: no source" in index.text


def test_the_index_groups_the_warnings_about_one_variable(tmp_path):
    # A race between the read and the write, and one between two writes: both are about Box.text.
    given = contents(tmp_path)
    writes = ReportedWarning("data-race", "Box.text", (WRITE, WRITE), "written, written")
    index = write_and_parse(tmp_path, replace(given, warnings=(*given.warnings, writes)))["index.html"]
    warnings = index.text.partition("Warnings")[2]
    assert warnings.count("no synchronization orders") == 1
    assert "1 related" in warnings


def test_pages_load_only_scripts_of_the_report(tmp_path):
    pages = write_and_parse(tmp_path, contents(tmp_path, findings=[finding()]))
    for name, page in pages.items():
        own = [f"data/{name.replace('.html', '.js')}"] if name.startswith("source-") else []
        assert page.scripts == ["assets/report.js", *own]


def test_markup_in_messages_values_and_code_is_escaped(tmp_path):
    script = "<script>alert(1)</script>"
    given = contents(tmp_path, findings=[finding(thread=script, origin=script, details=[script], kind=script)])
    given = replace(
        given, notes=(script,), warnings=tuple(replace(warning, subject=script) for warning in given.warnings)
    )
    pages = write_and_parse(tmp_path, given)
    assert script in pages["index.html"].text
    assert script in pages["finding-1.html"].text
    assert "'<b>'" in pages["finding-1.html"].text
    assert '"<b>"' in pages[page_of("box.py")].text


def test_markup_in_program_names_is_escaped(tmp_path):
    evil = "</script><script>x"
    sites = {number: replace(site, name=evil, function=evil) for number, site in SITES.items()}
    write_and_parse(tmp_path, replace(contents(tmp_path), sites=sites))
    assert data_of(tmp_path, "box.py")["sites"]["1"]["name"] == evil
    for path in (tmp_path / "out" / "data").iterdir():
        assert "<" not in path.read_text("ascii")


def test_markup_in_a_file_name_is_escaped(tmp_path):
    label = "<i>&'\"/box.py"
    sites = {number: replace(site, file=label) for number, site in SITES.items()}
    pages = write_and_parse(tmp_path, replace(contents(), sites=sites))
    assert label in pages["index.html"].text
    assert label in pages[page_of(label)].text


def test_the_data_of_a_site_lists_covered_and_missing_requirements(tmp_path):
    write_and_parse(tmp_path, contents(tmp_path))
    data = data_of(tmp_path, "box.py")
    place = str(Places(contents()).numbers[READ])
    read = data["sites"][place]
    assert (read["covered"], read["missing"]) == (2, 4)  # patterns 1 and 2; patterns 4 to 7 (3 and 8 have no read)
    assert [data["names"][str(partner)][0] for partner in read["partners"]] == ["box.py:7 write text"]
    first = data["sentences"][read["covered_sentences"][0]]
    assert first[1] == "thread A reads `Box.text` at box.py:6, then thread B writes it at box.py:7 (pattern 1)"
    assert first[2] == "1: A reads x, B writes x"
    assert first[4:] == [1, 3]  # first covered by execution 1, and by three executions in all
    assert all(len(data["sentences"][index]) == 4 for index in read["missing_sentences"])


def test_a_witness_has_a_replay_command(tmp_path):
    kept = CorpusEntry(
        "explore box.py::scenario", 4, 1, ((1, 1),), frozenset(), frozenset(), "free-threaded", "T0; T1."
    )
    write_and_parse(tmp_path, replace(contents(tmp_path), corpus=(kept,)))
    assert data_of(tmp_path, "box.py")["commands"] == {"4": "raddle replay box.py::scenario 'T0; T1.'"}


def test_the_number_of_sentences_per_site_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr("raddle.report.html.site_data.MAX_OF_SITE", 3)
    write_and_parse(tmp_path, contents(tmp_path))
    read = data_of(tmp_path, "box.py")["sites"][str(Places(contents()).numbers[READ])]
    assert (len(read["missing_sentences"]), read["missing"]) == (3, 4)


def test_a_missing_source_is_described_by_its_sites(tmp_path):
    page = write_and_parse(tmp_path, contents(paths={"box.py": str(tmp_path / "gone.py")}))[page_of("box.py")]
    assert "The source was found neither at" in page.text
    assert "read text" in page.text  # the site on line 6
    assert "L6" in page.ids


def test_a_changed_source_is_marked_as_changed(tmp_path):
    given = contents(tmp_path, findings=[finding()])
    (tmp_path / "box.py").write_text("# new\n" + SOURCE, "utf-8")
    pages = write_and_parse(tmp_path, given)
    page = pages[page_of("box.py")]
    assert "The source has changed since it was measured" in page.text
    assert "6 def add(self): read text" in " ".join(page.text.replace("● ", "").replace("◐ ", "").split())
    assert "box.py changed" in pages["index.html"].text
    assert "old = self.text" not in pages["finding-1.html"].text  # line 6 has different code now


def test_a_moved_source_is_found_by_its_name(tmp_path, monkeypatch):
    given = contents(tmp_path, findings=[finding()])
    monkeypatch.chdir(tmp_path)
    elsewhere = {name: f"/another/machine/{name}" for name in given.paths}
    pages = write_and_parse(tmp_path, replace(given, paths=elsewhere))
    assert "old = self.text" in pages[page_of("box.py")].text
    assert "The source" not in pages[page_of("box.py")].text
    assert "old = self.text" in pages["finding-1.html"].text


def test_a_finding_of_another_version_shows_no_current_source_lines(tmp_path):
    older = (BOX_BASE >> INDEX_BITS) ^ 1
    given = contents(tmp_path, findings=[finding(), finding(origin="explore box.py::other")])
    (run,) = given.runs
    older_run = replace(run, identity="two", origin="explore box.py::other", files=frozenset({("box.py", older)}))
    sites = {**SITES, older << INDEX_BITS: replace(SITES[READ], name="former")}
    pages = write_and_parse(tmp_path, replace(given, runs=(run, older_run), sites=sites))
    assert "old = self.text" in pages["finding-1.html"].text
    assert "old = self.text" not in pages["finding-2.html"].text
    assert "This file was measured in several versions" in pages[page_of("box.py")].text
    assert "read former" in pages[page_of("box.py")].text


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"# coding: latin-1\nname = '\xe9'\n", "name = 'é'"),
        ("name = 'é'\n".encode("utf-8-sig"), "name = 'é'"),
        (b"# coding: no-such\nname = 1\n", "name = 1"),
        (b"name = '\xff\xfe'\n", "name = '\\xff\\xfe'"),
        (b"name = 1\r\nother = 2\r", "name = 1"),
        (b"name = '\x00'\n", "name = '"),
    ],
)
def test_sources_in_any_encoding_are_shown(tmp_path, data, shown):
    (tmp_path / "odd.py").write_bytes(data)
    page = write_and_parse(tmp_path, contents(paths={"box.py": str(tmp_path / "odd.py")}))[page_of("box.py")]
    assert shown in page.text


def test_functions_without_probes_are_marked(tmp_path):
    write_and_parse(tmp_path, contents(tmp_path))
    text = (tmp_path / "out" / page_of("box.py")).read_text("utf-8")
    assert '<li id="L9" class="alone">' in text  # the line of `def idle`
    assert '<li id="L10" class="alone">' in text
    assert '<li id="L5">' in text  # the line of `def add`
    assert SOURCE.splitlines()[8].strip() == "def idle(self):"


def test_an_empty_data_file_gives_a_report(tmp_path):
    pages = write_and_parse(tmp_path, Contents())
    assert "Nothing to cover: no criterion was measured" in pages["index.html"].text
    assert "0 runs, 0 executions" in pages["index.html"].text
    assert "No criterion was measured" in pages["growth.html"].text
    assert "No thread requested a lock while holding another" in pages["locks.html"].text


def test_a_report_without_findings_has_no_finding_pages(tmp_path):
    pages = write_and_parse(tmp_path, contents(tmp_path))
    assert "No execution failed" in pages["index.html"].text
    assert not [name for name in pages if name.startswith("finding")]


def test_ten_thousand_findings_are_listed_in_part(tmp_path):
    many = [finding(message=f"number {number}") for number in range(9_999)]
    pages = write_and_parse(tmp_path, contents(tmp_path, findings=[*many, finding(kind="deadlock", message="rare")]))
    assert sum(name.startswith("finding") for name in pages) == MAX_FINDINGS
    assert "Findings 10,000" in pages["index.html"].text
    assert f"and {10_000 - MAX_LISTED:,} more" in pages["index.html"].text
    assert "deadlock rare" in pages["index.html"].text  # the first finding of each kind comes before all repetitions
    assert all(path.stat().st_size < MAX_BYTES for path in (tmp_path / "out").glob("*.html"))


def test_findings_with_missing_or_invalid_fields_are_shown(tmp_path):
    pages = write_and_parse(
        tmp_path, contents(tmp_path, findings=[{}, {"kind": None, "steps": [{}, "odd"], "execution": "x"}])
    )
    assert "The data file contains no steps" in pages["finding-1.html"].text


def test_an_unknown_criterion_is_shown(tmp_path):
    pages = write_and_parse(tmp_path, contents(tmp_path, covered={"zebra": {(READ, WRITE): Covered(1, 1)}}))
    assert "zebra" in pages["index.html"].text


def test_many_files_are_split_into_several_pages(tmp_path, monkeypatch):
    monkeypatch.setattr("raddle.report.html.pages.MAX_CELLS", 2)  # a file has two cells, so each file fills a page
    pages = write_and_parse(tmp_path, contents(tmp_path))
    assert "box.py" in pages["index.html"].text
    assert "locks.py" in pages["files-2.html"].text
    assert "2 files on 2 pages" in pages["files-2.html"].text


def test_a_new_report_replaces_the_old_one(tmp_path):
    write_and_parse(tmp_path, contents(tmp_path, findings=[finding(), finding(message="other")]))
    pages = write_and_parse(tmp_path, contents(tmp_path))
    assert "finding-1.html" not in pages


def test_a_folder_with_other_files_is_not_overwritten(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "index.html").write_text("mine", "utf-8")
    with pytest.raises(UsageError, match="files but no raddle report") as caught:
        write_pages(contents(), tmp_path / "out")
    assert caught.value.slug == "output-not-ours"
    assert (tmp_path / "out" / "index.html").read_text("utf-8") == "mine"
    assert not (tmp_path / "out" / MARKER).exists()


def test_a_file_at_the_output_path_is_reported(tmp_path):
    (tmp_path / "out").write_text("mine", "utf-8")
    with pytest.raises(UsageError, match="is a file"):
        write_pages(contents(), tmp_path / "out")
    (tmp_path / "below").write_text("mine", "utf-8")
    with pytest.raises(UsageError, match="the report cannot be written to"):
        write_pages(contents(), tmp_path / "below" / "out")


# -- long texts and invisible characters -----------------------------------------------------------------


@pytest.mark.parametrize("message", ["AssertionError: " + "<" * 20_000, "x" * 800_000, "x\n" * 400_000, "\0" * 200_000])
def test_a_very_long_message_is_folded_and_cut(tmp_path, message):
    given = contents(tmp_path, findings=[finding(message=message, details=["Traceback", message])])
    page = write_and_parse(tmp_path, given)["finding-1.html"]
    path = tmp_path / "out" / "finding-1.html"
    assert path.stat().st_size < MAX_BYTES
    text = path.read_text("utf-8")
    assert len(text[text.index('<p class="message">') : text.index("<details")]) < 6 * SHOWN_CHARACTERS
    assert f"The whole message: {len(message):,} characters" in page.text
    left_out = len(message) - MAX_CHARACTERS
    assert (f"and {left_out:,} more characters" in page.text) == (left_out > 0)


def test_a_short_message_is_not_folded(tmp_path):
    pages = write_and_parse(tmp_path, contents(tmp_path, findings=[finding(message="two\nlines")]))
    assert "The whole message" not in pages["finding-1.html"].text


def test_a_source_line_of_300_000_characters_is_cut(tmp_path):
    long = f"x = self.text{' ' * 300_000}# end\n"
    base = site_base("box.py", long)
    sites = {base: replace(SITES[READ], line=1), base + 1: Site("box.py", 1, 4, "read", "y", "f", switchable=True)}
    steps = [step(f"T{number % 2}", "read", line=1, value="v" * 5_000) for number in range(300)]
    run = replace(contents().runs[0], files=frozenset({("box.py", base >> INDEX_BITS)}))
    given = contents(tmp_path, findings=[finding(steps=steps)])
    (tmp_path / "box.py").write_text(long, "utf-8")
    given = replace(given, sites=sites, runs=(run,), model=Contents().model, warnings=())
    pages = write_and_parse(tmp_path, given)
    assert "x = self.text" in pages["finding-1.html"].text
    assert "# end" not in pages["finding-1.html"].text
    assert "..." in pages["finding-1.html"].text
    assert all(path.stat().st_size < MAX_BYTES // 2 for path in (tmp_path / "out").glob("*.html"))


def test_control_and_direction_characters_are_escaped_everywhere(tmp_path):
    evil = "a\u202eb\x1b[31mc\0d\u2066e\x9bf\rg\ud800h"
    escaped = r"a\u202eb\x1b[31mc\x00d\u2066e\x9bf\rg\ud800h"
    steps = [step("T1", "write", evil, value=evil), step("T2", "read", evil, value=evil)]
    stop = {"before": 1, "thread": "T1", "place": evil}
    given = contents(
        tmp_path, findings=[finding(message=evil, details=[evil], steps=steps, preemptions=[stop], origin=evil)]
    )
    sites = {number: replace(site, name=evil, function=evil) for number, site in SITES.items()}
    locks = LOCKS.replace("a = Lock()", "a = Lock()  # \u202e")
    (tmp_path / "locks.py").write_text(locks, "utf-8")
    moved = {number - LOCKS_BASE + site_base("locks.py", locks): sites.pop(number) for number in list(sites)[3:]}
    warnings = tuple(replace(warning, subject=evil) for warning in given.warnings)
    given = replace(given, sites={**sites, **moved}, warnings=warnings, notes=(evil,))
    pages = write_and_parse(tmp_path, given)
    assert pages["finding-1.html"].text.count(escaped) >= 8
    assert escaped in pages["index.html"].text
    assert r"a = Lock() # \u202e" in pages[page_of("locks.py")].text
    for path in (tmp_path / "out").glob("*.html"):
        assert not [character for character in path.read_text("utf-8") if character in "\u202e\x1b\0\u2066\x9b\r"]
    assert escaped in data_of(tmp_path, "box.py")["sites"]["1"]["name"]
    assert r"\u202e" not in (tmp_path / "out" / "data" / page_of("box.py").replace(".html", ".js")).read_text(
        "ascii"
    ).replace(r"\\u202e", "")


# -- criteria in the index, and lock names in a deadlock -------------------------------------------------


def test_the_index_lists_criteria_in_their_defined_order(tmp_path):
    write_and_parse(tmp_path, contents(tmp_path))
    text = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert re.findall(r'<th scope="row"><a href="growth.html#[^"]*" title="[^"]*">([^<]*)</a>', text) == [
        "map", "goodlock",
    ]  # fmt: skip


def test_a_deadlock_uses_the_lock_names_of_its_steps(tmp_path):
    first, second = Place("locks.py", 3), Place("locks.py", 4)
    waits = [
        Wait("T1", ACQUIRE, "Lock", "T2", second, second, (Lock("Lock", first),)),
        Wait("T2", ACQUIRE, "Lock", "T1", first, first, (Lock("Lock", second),)),
    ]
    stored = {"details": [str(wait) for wait in waits], "waits": [wait.as_json() for wait in waits]}
    steps = [
        step("T1", "acquire", "Lock 1", file="locks.py", line=3, number=1),
        step("T2", "acquire", "Lock 2", file="locks.py", line=4, number=2),
    ]
    given = contents(tmp_path, findings=[finding(kind="deadlock", steps=steps, preemptions=[], **stored)])
    text = write_and_parse(tmp_path, given)["finding-1.html"].text
    assert "T1 (in the cycle) waits to acquire Lock 2, held by T2" in text
    assert "to acquire Lock 1 T1 T2" in text  # the last label of the drawing, then the names of the threads
    assert "T2 waits at locks.py:3 to acquire Lock 1, held by T1 (acquired at locks.py:3); it holds Lock 2 (acq" in text
