"""A line of source as markup. By hand, as a template takes five times as long, and reports have 10⁵ lines."""

from __future__ import annotations

from markupsafe import Markup

from raddle.report.html.marked import MEANINGS, SIGNS, Line, Mark
from raddle.report.html.templating import text_markup

_NOT_RUN, _ALONE = "⊘", "┆"


def line_markup(line: Line) -> Markup:
    """Everything that comes from the measured program is escaped here.

    >>> line_markup(Line(3, ("x < 1",)))
    Markup('<li id="L3"><span class="no">3</span><span class="sign"></span><code>x &lt; 1</code></li>')
    """
    number = line.number
    code = "".join([_mark(piece) if isinstance(piece, Mark) else text_markup(piece) for piece in line.pieces])
    alone = "" if line.probed else ' class="alone"'
    return Markup(
        f'<li id="L{number}"{alone}><span class="no">{number}</span>{_sign(line)}<code>{code}</code></li>'
    )  # every part is a number, one of our own texts, or escaped


def _sign(line: Line) -> str:
    if not line.run:
        return f'<span class="sign {line.status}" title="no execution ran this">{_NOT_RUN}</span>'
    if line.status:
        return f'<span class="sign {line.status}" title="{MEANINGS[line.status]}">{SIGNS[line.status]}</span>'
    if not line.probed:
        return f'<span class="sign" title="not instrumented">{_ALONE}</span>'
    return '<span class="sign"></span>'


def _mark(mark: Mark) -> str:
    sites = " ".join(map(str, mark.sites))
    text = text_markup(mark.text)
    then = " then" if mark.then else ""
    return (
        f'<button type="button" class="site {mark.status}{then}" data-s="{sites}" aria-pressed="false" '
        f'aria-label="{text}: {text_markup(mark.label)}">{text}</button>'
    )
