"""Draws a finding as an SVG, with a column for each thread. Time runs downwards, and each preemption is marked.

    raddle explore test_tickets.py::TEST --json | python tools/draw_finding.py > finding.svg

Reads the output of `raddle explore --json`, and the source lines from the files that it names.
"""

from __future__ import annotations

import json
import linecache
import sys
from html import escape
from typing import Any

from raddle.operation import verb_of
from raddle.report.rows import OMITTED_KINDS

COLUMN, ROW, TOP, LEFT = 292, 46, 96, 16
STYLE = """
  .page { fill: #ffffff } .lane { fill: #f6f8fa } .rule { stroke: #d0d7de } .name { fill: #57606a }
  .code { fill: #1f2328 } .deed { fill: #57606a } .box { fill: #ffffff; stroke: #d0d7de }
  .stop { fill: #9a3412 } .cut { stroke: #c2410c; stroke-dasharray: 5 4 } .bad { fill: #ffebe9; stroke: #cf222e }
  .flow { stroke: #8c959f; fill: none }
  text { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 13px }
  .head { font-size: 15px; font-weight: 600 } .small { font-size: 11.5px }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } .lane { fill: #161b22 } .rule { stroke: #30363d } .name, .deed { fill: #9198a1 }
    .code { fill: #f0f6fc } .box { fill: #0d1117; stroke: #3d444d } .stop { fill: #ffa657 } .cut { stroke: #ffa657 }
    .bad { fill: #490202; stroke: #f85149 } .flow { stroke: #656c76 }
  }
"""


def draw(finding: dict[str, Any]) -> str:
    """Return an SVG of the finding, given in the form that `Finding.as_json` returns.

    >>> step = {"thread": "T0", "file": "a.py", "line": 1, "operation": "write", "variable": "x", "value": "1"}
    >>> picture = draw({"kind": "assertion", "thread": "T0", "message": "no", "possible_on": "this-interpreter",
    ...                 "steps": [step], "preemptions": []})
    >>> "writes x: 1" in picture
    True
    """
    rows = _rows(finding)
    threads = list(dict.fromkeys(row["thread"] for row in rows if "operation" in row))
    width, height = 2 * LEFT + COLUMN * len(threads), TOP + ROW * len(rows) + 20
    head = f"{finding['kind']} in {finding['thread']}: {finding['message']}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(head)}">',
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{width}" height="{height}" rx="8"/>',
        _text(LEFT + 4, 30, head, "code head"),
    ]
    for number, thread in enumerate(threads):
        x = LEFT + COLUMN * number
        parts.append(f'<rect class="lane" x="{x + 3}" y="48" width="{COLUMN - 6}" height="{height - 62}" rx="6"/>')
        parts.append(_text(x + 16, 72, thread, "name head"))
    last = max((place for place, row in enumerate(rows) if "operation" in row), default=-1)
    before: tuple[int, int] | None = None
    for place, row in enumerate(rows):
        y = TOP + ROW * place
        if "operation" not in row:
            parts += _stop(row, y, width)
            continue
        x = LEFT + COLUMN * threads.index(row["thread"])
        if before is not None and before[0] != x:
            parts.append(_flow(before, (x, y)))
        parts += _step(row, x, y, bad=place == last and finding["kind"] in ("assertion", "exception"))
        before = (x, y)
    return "\n".join([*parts, "</svg>", ""])


def _rows(finding: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the steps to show, and the preemptions between them."""
    stops = {stop["before"]: stop for stop in finding["preemptions"]}
    rows: list[dict[str, Any]] = []
    for number, step in enumerate(finding["steps"]):
        if number in stops:
            rows.append(stops[number])
        if step["operation"] not in OMITTED_KINDS and step["file"] != "stdlib":
            rows.append(step)
    return rows


def _step(step: dict[str, Any], x: int, y: int, *, bad: bool) -> list[str]:
    verb = verb_of(step["operation"])
    value = f": {step['value']}" if step["value"] else ""
    code = linecache.getline(step["file"], step["line"]).strip()
    box = f'<rect class="{"bad" if bad else "box"}" x="{x + 12}" y="{y}" width="{COLUMN - 24}" height="38" rx="4"/>'
    deed = f"{verb} {step['variable']}{value}"
    return [
        box,
        _text(x + 20, y + 16, code if len(code) <= 28 else code[:25] + "...", "code"),
        _text(x + 20, y + 31, deed if len(deed) <= 36 else deed[:33] + "...", "deed small"),
        _text(x + COLUMN - 20, y + 16, f"line {step['line']}", "name small", anchor="end"),
    ]


def _stop(stop: dict[str, Any], y: int, width: int) -> list[str]:
    middle = y + ROW // 2 - 4
    caption = f"{stop['thread']} is preempted here; its next step: {stop['place']}"
    return [
        f'<line class="cut" x1="{LEFT + 3}" x2="{width - LEFT - 3}" y1="{middle + 8}" y2="{middle + 8}"/>',
        _text(LEFT + 16, middle, caption, "stop small"),
    ]


def _flow(one: tuple[int, int], other: tuple[int, int]) -> str:
    """Return a line from one step to the next step, which is in another column."""
    right = other[0] > one[0]
    start = one[0] + (COLUMN - 12 if right else 12), one[1] + 19
    end = other[0] + (40 if right else COLUMN - 40), other[1]
    return f'<path class="flow" d="M{start[0]} {start[1]} H{end[0]} V{end[1]}"/>'


def _text(x: int, y: int, text: str, kind: str, *, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def main() -> None:
    """Read the JSON from stdin and print the SVG of its first finding."""
    findings = json.load(sys.stdin)["findings"]
    if not findings:
        sys.exit("there is no finding to draw")
    sys.stdout.write(draw(findings[0]))


if __name__ == "__main__":
    main()
