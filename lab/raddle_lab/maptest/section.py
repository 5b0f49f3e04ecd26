"""A part of the report: a table with a title and remarks, which is formatted as text or as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from raddle_lab.tables import aligned, paragraph


@dataclass(frozen=True, slots=True)
class Section:
    """A table, a list of remarks, or both."""

    title: str
    rows: Sequence[Sequence[str]] = ()  # the first row is the header
    remarks: Sequence[str] = ()
    left: int = 1  # number of left-aligned columns

    def text(self) -> str:
        """Return the section for a terminal."""
        parts = [paragraph(self.title)]
        if self.rows:
            parts.append(aligned(self.rows, left=self.left))
        parts += [paragraph(remark) for remark in self.remarks]
        return "\n\n".join(parts)

    def markdown(self, table: Callable[..., str]) -> str:
        """Return the section without its title; `table` formats rows, the first `left` columns of which are texts.

        >>> Section("Bugs", [["class"]], ["none", "no *time*"]).markdown(lambda rows, left: "| class |")
        '| class |\\n\\n* none\\n* no \\\\*time\\\\*'
        """
        remarks = "\n".join("* " + remark.replace("*", "\\*") for remark in self.remarks)
        return "\n\n".join(filter(None, [table(self.rows, left=self.left) if self.rows else "", remarks]))


def number(value: float | None, digits: int = 1) -> str:
    """Format a number for a table; "-" if there is none.

    >>> number(1234.56), number(None), number(-0.001, 2)
    ('1,234.6', '-', '0.00')
    """
    return "-" if value is None else f"{round(value, digits) + 0.0:,.{digits}f}"
