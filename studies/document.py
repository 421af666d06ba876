"""A report as sections of text, tables and pictures, for Markdown and HTML."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from studies.escape import fence, prose
from studies.figures.look import Picture
from studies.tables.table import Table

__all__ = ["Code", "Document", "Section", "Shown", "table_file"]


@dataclass(frozen=True)
class Shown:
    """A table in a report.

    Attributes
    ----------
    table : Table
    folder : str
        Where its files lie.
    whole : bool
        Whether the Markdown shows its rows or only names the file.
    """

    table: Table
    folder: str = "tables"
    whole: bool = True

    @property
    def path(self) -> str:
        """Its file without the ending."""
        return f"{self.folder}/{self.table.name}"


@dataclass(frozen=True)
class Code:
    """Text that is shown as it is."""

    text: str


Block = str | Shown | Picture | Code


@dataclass(frozen=True)
class Section:
    """A heading with what follows it."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Document:
    """A report.

    Attributes
    ----------
    title : str
    lead : sequence of str
        What matters most, a line each.
    sections : sequence of Section
    """

    title: str
    lead: Sequence[str]
    sections: Sequence[Section]

    def markdown(self) -> str:
        """Return the report in Markdown; pictures and long tables are linked."""
        lead = "\n".join(f"- {prose(line)}" for line in self.lead)
        parts = [f"# {prose(self.title)}", lead]
        for section in self.sections:
            parts.append(f"## {prose(section.title)}")
            parts += [_markdown(block) for block in section.blocks]
        return "\n\n".join(parts) + "\n"

    def html(self) -> str:
        """Return the report as one page that needs no other file."""
        from jinja2 import Environment, StrictUndefined

        folder = resources.files("studies") / "templates"
        source = (folder / "summary.html.j2").read_text(encoding="utf-8")
        environment = Environment(
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        sections = [(s.title, [_parts(b) for b in s.blocks]) for s in self.sections]
        return str(
            environment.from_string(source).render(
                title=self.title, lead=self.lead, sections=sections
            )
        )

    def tables(self) -> Iterator[Shown]:
        """Give all tables in their order."""
        for section in self.sections:
            yield from (block for block in section.blocks if isinstance(block, Shown))

    def pictures(self) -> Iterator[Picture]:
        """Give all pictures in their order."""
        for section in self.sections:
            yield from (b for b in section.blocks if isinstance(b, Picture))


def table_file(table: Table) -> str:
    """Return a table with its title and note as a Markdown file."""
    notes = " ".join(part for part in (table.note, table.how) if part)
    return f"# {prose(table.title)}\n\n{prose(notes)}\n\n{table.markdown()}\n"


def _markdown(block: Block) -> str:
    if isinstance(block, str):
        return prose(block)
    if isinstance(block, Code):
        around = fence(block.text)
        return f"{around}toml\n{block.text.rstrip()}\n{around}"
    if isinstance(block, Picture):
        path = f"{block.path.parent.name}/{block.path.name}"
        title, alt, caption = map(prose, (block.title, block.alt, block.caption))
        return f"### {title}\n\n![{alt}]({path})\n\n{caption}"
    table = block.table
    files = f"[CSV]({block.path}.csv), [Markdown]({block.path}.md)"
    if not table.rows:
        rows = "None."
    elif block.whole:
        rows = table.markdown()
    else:
        rows = f"{len(table.rows)} lines, in the files."
    note = f"{prose(table.note)} " if table.note else ""
    return f"### {prose(table.title)}\n\n{note}({files})\n\n{rows}"


def _parts(block: Block) -> dict[str, Any]:
    """Return what the template needs of a block."""
    if isinstance(block, str):
        return {"kind": "text", "text": block}
    if isinstance(block, Code):
        return {"kind": "code", "text": block.text}
    if isinstance(block, Picture):
        content = base64.b64encode(Path(block.path).read_bytes()).decode()
        return {
            "kind": "picture",
            "picture": block,
            "source": f"data:image/png;base64,{content}",
        }
    return {
        "kind": "table",
        "table": block.table,
        "rows": block.table.texts(),
        "whole": block.whole,
    }
