"""The Jinja environment of the pages. It escapes everything except raddle's own markup."""

from __future__ import annotations

from typing import Any

import jinja2
from markupsafe import Markup, escape

from raddle.report.plain import plain


def environment() -> jinja2.Environment:
    """Return the Jinja environment. An undefined name in a template is an error."""
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
    """Escape text from the measured program, so that none of it acts as markup and invisible characters become visible.

    >>> text_markup("<b> \\u202e")
    Markup('&lt;b&gt; \\\\u202e')
    """
    return escape(plain(text))


def _finalized(value: Any) -> Any:
    """Escape invisible characters in every text that a template writes; leave raddle's own markup unchanged."""
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def with_names(sentence: str) -> Markup:
    """Mark up a sentence: text between backticks is a name in the program and becomes code.

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
