"""The templates of the pages, everything in them escaped unless it is markup of our own."""

from __future__ import annotations

from typing import Any

import jinja2
from markupsafe import Markup, escape

from raddle.report.plain import plain


def environment() -> jinja2.Environment:
    """Where templates are found; an undefined name is an error of ours."""
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("raddle.report.html"),
        autoescape=True,
        finalize=_finalized,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["names"] = with_names
    return found


def text_markup(text: str) -> Markup:
    """A text of the measured program as markup: nothing in it is obeyed, and nothing hides.

    >>> text_markup("<b> \\u202e")
    Markup('&lt;b&gt; \\\\u202e')
    """
    return escape(plain(text))


def _finalized(value: Any) -> Any:
    """Every text that a template writes goes through here; markup of our own is left alone."""
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def with_names(sentence: str) -> Markup:
    """What stands between backticks is a name of the program.

    >>> with_names("`<a>` is read & written")
    Markup('<code>&lt;a&gt;</code> is read &amp; written')
    """
    parts = sentence.split("`")
    if len(parts) % 2 == 0:
        return text_markup(sentence)
    return Markup("").join(
        Markup("<code>{}</code>").format(text_markup(part)) if odd % 2 else text_markup(part)
        for odd, part in enumerate(parts)
    )
