"""The report as JUnit XML: scenarios and criteria as test cases.

A scenario fails if it has findings, and a criterion fails if its coverage is below the threshold. A test case has at
most one failure, as most consumers of JUnit XML expect. This failure contains the stories of all findings of the
scenario.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from xml.etree import ElementTree

from raddle.report.coverage import Row
from raddle.report.numbers import percent_text, total_text
from raddle.report.plain import plain
from raddle.report.source import notes_of
from raddle.report.stored_findings import Stored, stored_findings
from raddle.report.threshold import BELOW, NOTHING, Verdict
from raddle.report.warning_groups import distinct_warnings
from raddle.store.contents import Contents
from raddle.wording import count

UNKNOWN_ORIGIN = "unknown origin"
MAX_STORIES = 100  # maximum number of stories in one test case


def junit(contents: Contents, rows: Sequence[Row], verdicts: Mapping[str, Sequence[Verdict]]) -> str:
    """Return the XML document. `verdicts` maps the name of a criterion to its verdicts.

    >>> junit(Contents(), [], {}).splitlines()[1]
    '<testsuites name="raddle" tests="0" failures="0" errors="0" skipped="0" />'
    """
    suites = ElementTree.Element("testsuites", name="raddle")
    scenarios = _scenarios(contents)
    warnings = [sentence for _, sentence in distinct_warnings(contents)]
    _add_suite(suites, "raddle.scenarios", scenarios, output=[*warnings, *notes_of(contents)])
    _add_suite(suites, "raddle.criteria", [_criterion(row, verdicts.get(row.name, ())) for row in rows])
    _count(suites)
    ElementTree.indent(suites)
    body = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{body}\n'


def _scenarios(contents: Contents) -> list[ElementTree.Element]:
    found: dict[str, list[Stored]] = {run.origin: [] for run in contents.runs}
    for one in stored_findings(contents):
        found.setdefault(one.origin or UNKNOWN_ORIGIN, []).append(one)
    return [_scenario(origin, findings) for origin, findings in found.items()]


def _scenario(origin: str, findings: Sequence[Stored]) -> ElementTree.Element:
    case = _case(origin, "raddle.scenarios")
    if findings:
        more = f", and {len(findings) - 1:,} more" if len(findings) > 1 else ""
        kinds = ", ".join(dict.fromkeys(one.finding.kind for one in findings))
        failure = ElementTree.SubElement(case, "failure", message=plain(findings[0].headline + more), type=plain(kinds))
        stories = [one.story for one in findings[:MAX_STORIES]]
        if len(findings) > MAX_STORIES:
            stories.append(f"{count(len(findings) - MAX_STORIES, 'finding')} omitted; `raddle json` lists all findings")
        failure.text = plain("\n\n".join(stories))
    return case


def _criterion(row: Row, verdicts: Iterable[Verdict]) -> ElementTree.Element:
    case = _case(row.name, "raddle.criteria")
    sentences = {outcome: [one.sentence for one in verdicts if one.outcome == outcome] for outcome in (BELOW, NOTHING)}
    if sentences[BELOW]:
        text = "\n".join(sentences[BELOW])
        ElementTree.SubElement(case, "failure", message=plain(text), type="coverage").text = plain(text)
    elif sentences[NOTHING]:
        ElementTree.SubElement(case, "skipped", message=plain("\n".join(sentences[NOTHING])))
    out = ElementTree.SubElement(case, "system-out")
    out.text = f"{row.covered:,} of {total_text(row)}, {percent_text(row)}, in {row.executions:,} executions"
    return case


def _case(name: str, suite: str) -> ElementTree.Element:
    return ElementTree.Element("testcase", classname=suite, name=plain(name), time="0")


def _add_suite(
    suites: ElementTree.Element, name: str, cases: Sequence[ElementTree.Element], output: Sequence[str] = ()
) -> None:
    if not cases and not output:
        return
    suite = ElementTree.SubElement(suites, "testsuite", name=name)
    suite.extend(cases)
    _count(suite)
    suite.set("time", "0")
    if output:
        ElementTree.SubElement(suite, "system-out").text = plain("\n".join(output))


def _count(element: ElementTree.Element) -> None:
    element.set("tests", str(len(list(element.iter("testcase")))))
    element.set("failures", str(len(list(element.iter("failure")))))
    element.set("errors", "0")
    element.set("skipped", str(len(list(element.iter("skipped")))))
