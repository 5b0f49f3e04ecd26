"""Every documentation page is tested: its files are written, its commands are run, and their output is checked."""

from __future__ import annotations

import doctest
import re
import shutil
import sys
from pathlib import Path

import click
import pytest

import processes
import warm
from raddle import config
from raddle.cli import COMMANDS, group

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import drawn  # noqa: E402 -- tools is not a package
import reference  # noqa: E402
import shown  # noqa: E402

from raddle.criteria import NAMES  # noqa: E402

DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8") for file in [ROOT / "README.md", *DOCS]}
# Pages with tables of results, mapped to the tests that check them.
TABLES = {"docs/search.md": "tests/unit/cli/test_cli_search.py"}
GENERATED = {f"docs/reference/{name}": make for name, make in reference.PAGES.items()}  # pages generated from the code
RUNS = sorted(name for name, page in PAGES.items() if shown.blocks(page) and name not in {*TABLES, *GENERATED})
ROW = re.compile(rf"(criterion|{'|'.join(map(re.escape, NAMES))})  +\S")  # a row of a coverage table


@pytest.mark.parametrize("name", [name for name in RUNS if name != "docs/explanation/criteria.md"])
def test_a_page_shows_the_real_output_of_its_commands(name, tmp_path):
    reader = RecordingReader(tmp_path)
    wrong = [f"{page.command}\n{page.output}\nis really\n{got}" for page, got in reader.differences(PAGES[name])]
    assert not wrong, "\n".join([*wrong, f"`python tools/shown.py {name}` updates the page"])
    rows = {line for block in shown.blocks(PAGES[name]) if block.language == "console"
            for line in block.text.splitlines() if ROW.match(line) and "..." not in line}  # fmt: skip
    assert rows <= reader.printed  # the spaces must match, too


class WarmReader(shown.Reader):
    """Runs commands in forks of a process that has already imported raddle."""

    def python(self, arguments, environment):
        return warm.python(*arguments, cwd=self.folder, env=environment, merged=True)


class RecordingReader(WarmReader):
    """Records every line that a command prints."""

    def __init__(self, folder):
        super().__init__(folder)
        self.printed = set()

    def run(self, command):
        output = super().run(command)
        self.printed |= {line.rstrip() for line in output.splitlines()}
        return output


def test_pages_with_tables_are_checked_by_another_test():
    assert all(
        (ROOT / test).exists() and name.partition("/")[2] in (ROOT / test).read_text() for name, test in TABLES.items()
    )


@pytest.mark.parametrize("name", sorted(PAGES))
def test_commands_on_pages_use_existing_options(name):
    commands = shown.indented_commands(PAGES[name])
    commands += [part.command for block in shown.blocks(PAGES[name]) if block.language == "console"
                 for part in shown.commands(block) if part.command.startswith("raddle ")]  # fmt: skip
    for command in commands:
        _, first, *rest = shown.shlex.split(command, comments=True)
        found = group.get_command(click.Context(group), first)
        assert found is not None, command
        context = found.make_context(first, rest, **{**group.context_settings, "resilient_parsing": False})
        assert isinstance(context, click.Context)


@pytest.mark.parametrize("name", sorted(name for name, page in PAGES.items() if "```toml" in page))
def test_settings_on_pages_are_valid(name, tmp_path):
    for block in shown.blocks(PAGES[name]):
        if block.language == "toml":
            (tmp_path / "pyproject.toml").write_text(block.text)
            assert config.read(tmp_path / "pyproject.toml") != config.Config()


@pytest.mark.parametrize("name", [*sorted(PAGES), "CONTRIBUTING.md"])
def test_links_lead_to_existing_files(name):
    page = PAGES.get(name) or (ROOT / name).read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", re.sub(r"```.*?```", "", page, flags=re.DOTALL)):
        if "://" not in link:
            target = ((ROOT / name).parent / link).resolve()
            assert target.exists(), link


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert [
        name for name in PAGES if name != "README.md" and f" {name.removeprefix('docs/')}\n" not in navigation
    ] == []


@pytest.mark.parametrize("module", [drawn, reference, shown], ids=lambda module: module.__name__)
def test_examples_in_tools_run(module):
    assert doctest.testmod(module).failed == 0


def test_ci_steps_after_a_search_run_even_after_a_finding():
    for block in shown.blocks(PAGES["docs/how-to/ci.md"]):
        if block.language == "yaml" and "raddle explore" in block.text:
            _, *after = block.text.partition("raddle explore")[2].split("\n      - ")
            assert len(after) == 3
            assert all("if: always()" in step for step in after)


# -- the page of the criteria -------------------------------------------------------------------------

CRITERIA = PAGES["docs/explanation/criteria.md"]
DRAWINGS = [(b.mark.removeprefix("drawn: "), b.text) for b in shown.blocks(CRITERIA) if b.mark.startswith("drawn: ")]


def test_every_criterion_has_a_drawing():
    assert sorted(name for name, _ in DRAWINGS) == sorted(NAMES)
    assert len(shown.blocks(CRITERIA)) == len(DRAWINGS)


@pytest.mark.parametrize(("name", "text"), DRAWINGS, ids=[name for name, _ in DRAWINGS])
def test_a_drawing_covers_the_requirements_listed_below_it(name, text):
    drawing, _, sentences = text.partition("\ncovers:\n")
    assert sentences
    assert text == drawn.with_sentences(name, drawing)


# -- generated pages ----------------------------------------------------------------------------------


def test_the_reference_lists_every_option_and_every_key():
    page = PAGES["docs/reference/cli.md"]
    for name, command in ((name, group.get_command(click.Context(group), name)) for name in COMMANDS):
        assert f"## raddle {name}" in page
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.opts[-1] in page
    keys = PAGES["docs/reference/configuration.md"]
    assert all(f"| `{key}` |" in keys for key in config.Config.__dataclass_fields__)


@pytest.mark.parametrize("name", sorted(GENERATED))
def test_the_reference_is_up_to_date(name):
    assert PAGES[name] == GENERATED[name](), "run make reference"


def test_every_fragment_is_included_in_the_changelog():
    pytest.importorskip("towncrier", reason="towncrier is not installed")
    command = [sys.executable, "-m", "towncrier", "build", "--draft"]
    draft = processes.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    lines = {line.removeprefix("- ").strip() for line in draft.splitlines()}
    for fragment in (ROOT / "changes").glob("*.*"):
        if fragment.name != "README.md":
            text = fragment.read_text(encoding="utf-8")
            assert {line.strip() for line in text.splitlines()} <= lines, f"{fragment.name}: see changes/README.md"


def test_the_picture_shows_the_finding_of_the_readme(tmp_path):
    reader = WarmReader(tmp_path)
    for name in ("tickets.py", "test_tickets.py"):
        code = next(block.text for block in shown.blocks(PAGES["README.md"]) if block.mark == f"file: {name}")
        reader.write(name, code)
    target = "test_tickets.py::test_the_last_ticket_is_sold_once"
    found = warm.run("raddle", "explore", target, "--json", cwd=tmp_path).stdout
    picture = warm.python(str(ROOT / "tools/draw_finding.py"), cwd=tmp_path, stdin=found)
    assert picture.stdout == (ROOT / "docs/finding.svg").read_text(encoding="utf-8")


def test_the_citation_names_five_papers_and_this_version():
    import raddle

    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert len(re.findall(r"^  - type: ", text, re.MULTILINE)) == 5
    assert f"\nversion: {raddle.__version__}\n" in text


# -- recipes for contributors -------------------------------------------------------------------------

USED_BY_RECIPES = (
    "docs/formats.md",
    "docs/messages.md",
    "tests/unit/report/sample_findings.py",
    "tests/unit/report/test_every_kind_reported.py",
    "tests/unit/schedulers/fake_threads.py",
)


def test_the_recipes_for_contributors_work(tmp_path):
    shutil.copytree(ROOT / "src/raddle", tmp_path / "src/raddle", ignore=shutil.ignore_patterns("__pycache__"))
    for name in USED_BY_RECIPES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    wrong = [
        f"{expected.command}\n{expected.output}\nis really\n{got}"
        for expected, got in shown.Reader(tmp_path).differences(page)
    ]
    assert not wrong, "\n".join(wrong)
