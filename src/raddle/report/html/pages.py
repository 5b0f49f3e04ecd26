"""The pages of an HTML report, rendered from the contents of a data file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any

from markupsafe import Markup

from raddle.criteria import shape_of
from raddle.criteria.base import Criterion
from raddle.report.coverage import Row, rows
from raddle.report.html import views
from raddle.report.html.lanes import Code, lanes_of
from raddle.report.html.line_markup import line_markup
from raddle.report.html.long_texts import bounded, folded
from raddle.report.html.order import MAX_SENTENCES, happens_before, lock_graph
from raddle.report.html.places import Places, finding_page
from raddle.report.html.processes import processes_views
from raddle.report.html.replay_commands import finding_command, replay_commands
from raddle.report.html.site_data import SiteData
from raddle.report.html.site_marks import STATUS_MEANINGS, STATUS_SIGNS, marked_lines
from raddle.report.html.site_requirements import SiteRequirements
from raddle.report.html.source import Source, load
from raddle.report.html.templating import environment
from raddle.report.html.waits import ring, wait_views
from raddle.report.lock_names import with_names
from raddle.report.source import Sources
from raddle.report.stored_findings import Stored, stored_findings
from raddle.report.story import details_of
from raddle.report.summary import SEQUENTIAL, Summary, summarize
from raddle.requirement import Requirement
from raddle.site import Site
from raddle.store.contents import Contents

MAX_FINDINGS = 300  # maximum number of findings that have their own page
MAX_LISTED = 100  # maximum number of findings, of warnings, of notes and of runs on the index page
MAX_CELLS = 12_000  # maximum number of cells in the table of files on one page; the other files are on further pages


class Report:
    """All pages of one data file."""

    def __init__(
        self, contents: Contents, *, title: str, version: str, criteria: Mapping[str, Criterion] | None = None
    ) -> None:
        self.contents = contents
        self.places = Places(contents)
        self._where = Sources(contents)
        self._criteria = criteria
        self._rows: list[Row] = rows(contents, criteria=criteria)
        self._summary: Summary = summarize(contents, self._rows, criteria=criteria)
        self._templates = environment()
        self._templates.globals.update(
            title=title,
            version=version,
            headline=views.headline(self._summary),
            has_findings=bool(contents.findings),
            has_graphs=bool(contents.model.graphs),
            signs=STATUS_SIGNS,
            meanings=STATUS_MEANINGS,
        )

    def everything(self) -> Iterator[tuple[str, str]]:
        """Yield the name and content of each file of the report."""
        yield from self._indexes()
        yield from self._source_pages()
        for number, finding in enumerate(self._findings[:MAX_FINDINGS], 1):
            yield finding_page(number), self._finding_page(finding, number)
        yield "growth.html", self._growth_page()
        yield "locks.html", self._graph_page("locks")
        yield "order.html", self._graph_page("order")
        if self.contents.model.graphs:
            graphs = processes_views(self.contents)
            yield "processes.html", self._render("processes.html", page="processes", graphs=graphs, limit=MAX_SENTENCES)

    def _render(self, template: str, **values: Any) -> str:
        return self._templates.get_template(template).render(**values)

    # -- index ---------------------------------------------------------------------------------------

    @cached_property
    def _findings(self) -> Sequence[Stored]:
        """All findings; repetitions of a failure come last, because the page limit omits the last findings."""
        alike: dict[tuple[str, str], int] = defaultdict(int)
        order = []
        for one in stored_findings(self.contents):
            what = (one.finding.kind, one.origin)
            order.append((alike[what], one))
            alike[what] += 1
        return [one for _, one in sorted(order, key=itemgetter(0))]

    @cached_property
    def _found(self) -> list[views.FindingView]:
        return [
            views.finding_view(
                finding,
                number,
                finding_page(number) if number <= MAX_FINDINGS else "",
                self.contents,
                self._code_of(finding),
            )
            for number, finding in enumerate(self._findings, 1)
        ]

    @cached_property
    def _sources(self) -> dict[str, Source]:
        return {label: load(self._where.found(label)) for label in self.places.pages}

    def _indexes(self) -> Iterator[tuple[str, str]]:
        cells = self._summary.files
        names = [row.name for row in self._rows if any(row.name in some for some in cells.values())]
        labels = [*self.places.pages, *(label for label in cells if label not in self.places.pages)]
        views_ = [
            views.file_view(
                label,
                self.places.pages.get(label, ""),
                cells.get(label, {}),
                names,
                self._sources[label].state if label in self._sources else "",
            )
            for label in labels
        ]
        files_per_page = max(1, MAX_CELLS // max(1, len(names)))
        parts = [views_[start : start + files_per_page] for start in range(0, len(views_), files_per_page)] or [[]]
        pages = ["index.html", *(f"files-{number}.html" for number in range(2, len(parts) + 1))]
        shared = {"names": names, "pages": pages, "all_files": len(views_)}
        groups = self._summary.warning_groups
        warnings = [
            (group, next((self.places.of_site(site) for site in group.sites if site in self.contents.sites), ""))
            for group in groups[:MAX_LISTED]
        ]
        yield (
            "index.html",
            self._render(
                "index.html",
                page="index",
                criteria=views.criterion_views(self.contents, self._rows),
                patterns=views.pattern_views(self._summary),
                kinds=views.total_kinds(self._rows),
                findings=self._found[:MAX_LISTED],
                more_findings=max(0, len(self._found) - MAX_LISTED),
                paged=min(len(self._found), MAX_FINDINGS),
                warnings=warnings,
                more_warnings=max(0, len(groups) - MAX_LISTED),
                nothing=self._summary.nothing,
                notes=self.contents.notes[:MAX_LISTED],
                runs=self.contents.runs[-MAX_LISTED:],
                chance=views.chance_sentence(self.contents),
                files=parts[0],
                **shared,
            ),
        )
        for number, part in enumerate(parts[1:], 2):
            yield pages[number - 1], self._render("files.html", page="files", files=part, number=number, **shared)

    # -- source --------------------------------------------------------------------------------------

    def _source_pages(self) -> Iterator[tuple[str, str]]:
        measured = [row for row in self._rows if row.name not in SEQUENTIAL]
        site_requirements = SiteRequirements(self.contents, measured, criteria=self._criteria)
        by_file: dict[str, dict[int, Site]] = defaultdict(dict)
        for number, site in self.contents.sites.items():
            by_file[site.file][number] = site
        commands = replay_commands(self.contents)
        unrun = self._unrun_lines()
        labels = list(self.places.pages)
        for place, label in enumerate(labels):
            sites, source = by_file[label], self._sources[label]
            lines = marked_lines(
                source, sites, site_requirements.by_site, numbers=self.places.numbers, unrun=unrun.get(label, ())
            )
            script = f"data/{self.places.pages[label].removesuffix('.html')}.js"
            yield script, SiteData(sites, site_requirements, self.places, commands).script()
            yield (
                self.places.pages[label],
                self._render(
                    "source.html",
                    page="source",
                    label=label,
                    remark=source.remark(sites),
                    script=script,
                    lines=Markup("\n").join(map(line_markup, lines)),
                    more_lines=len(source.lines) - sum(line.number <= len(source.lines) for line in lines),
                    cells=self._summary.files.get(label, {}),
                    probed=bool(sites),
                    earlier=self.places.pages[labels[place - 1]] if place else "",
                    later=self.places.pages[labels[place + 1]] if place + 1 < len(labels) else "",
                ),
            )

    def _unrun_lines(self) -> dict[str, set[int]]:
        """Map each file to the first lines of blocks that no execution ran; return {} unless `blocks` was measured."""
        found: dict[str, set[int]] = defaultdict(set)
        if "blocks" in self.contents.criteria:
            covered = self.contents.tally.covered.get("blocks", {})
            ran = {site for key in covered for site in Requirement(shape_of("blocks"), key).sites}
            for number in self.contents.model_for("blocks").blocks:
                if number not in ran and number in self.contents.sites:
                    site = self.contents.sites[number]
                    if site.function != "<module>":  # module-level code runs on import, before measurement starts
                        found[site.file].add(site.line)
        return found

    # -- findings, growth, graphs -------------------------------------------------------------------

    def _code_of(self, one: Stored) -> Code:
        """Return a function that looks up source lines. It returns "" if the source has changed since the failure."""

        def code(label: str, line: int) -> str:
            source = self._sources.get(label)
            if source is None or not self._where.path(label, self._where.versions(label, one.origin)):
                return ""
            return source.lines[line - 1] if 0 < line <= len(source.lines) else ""

        return code

    def _finding_page(self, one: Stored, number: int) -> str:
        finding = one.finding
        waits = wait_views(with_names(finding.waits, finding.trace))
        return self._render(
            "finding.html",
            page="finding",
            message=folded(finding.message),
            schedule=str(finding.schedule or ""),
            view=self._found[number - 1],
            number=number,
            lanes=lanes_of(finding, self._code_of(one)),
            details=bounded(details_of(finding)),
            waits=waits,
            ring=ring(waits),
            replay=finding_command(one),
            link=self.places.of_line,
            earlier=finding_page(number - 1) if number > 1 else "",
            later=finding_page(number + 1) if number < min(len(self._found), MAX_FINDINGS) else "",
        )

    def _growth_page(self) -> str:
        return self._render(
            "growth.html",
            page="growth",
            charts=views.growth_views(self.contents, self._rows, self._found[:MAX_FINDINGS]),
            findings=[view for view in self._found[:MAX_FINDINGS] if view.execution][:MAX_LISTED],
            chance=views.chance_sentence(self.contents),
            executions=self.contents.tally.executions,
        )

    def _graph_page(self, name: str) -> str:
        make_graph = lock_graph if name == "locks" else happens_before
        graph = make_graph(self.contents, self.places)
        return self._render(f"{name}.html", page=name, graph=graph, limit=MAX_SENTENCES)
