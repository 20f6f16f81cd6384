"""Parse the plain text of a mail into blocks, so that a page can show it in any width. Pure.

Our mails mark their structure by layout: underlined headings, questions with `Q: `, lists with
`- `, samples indented by blanks, paragraphs filled to a width. A line that ends where the next word
would have had room was ended on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from textwrap import dedent

from reports.text import WIDTH, columns_of

_SIGNATURE = re.compile(r"^-- ?$", re.MULTILINE)
_UNDERLINE = re.compile(r"(=|-)\1{2,}")
_QUESTION = re.compile(r"[A-Z]: (.*)")
_ITEM, _INDENT = "- ", "  "


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    SAMPLE = "sample"  # keeps its lines and blanks


@dataclass(frozen=True)
class Block:
    """A piece of a text. `lines`: the heading, the lines of a paragraph that were ended on purpose,
    the items of a list, or those of a sample."""

    kind: BlockKind
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def blocks(text: str, width: int = WIDTH) -> tuple[Block, ...]:
    """The blocks of a mail's text, whose lines were filled to `width` columns, without the
    signature."""
    body = _SIGNATURE.split(text)[0]
    pieces = [
        block
        for part in re.split(r"\n[ \t]*\n", body)
        for block in _blocks_of(part.split("\n"), width)
    ]
    return tuple(_joined(pieces))


def _blocks_of(lines: Sequence[str], width: int) -> Iterator[Block]:
    """The blocks between two blank lines."""
    lines = [line for line in lines if line.strip()]
    if len(lines) > 1 and _UNDERLINE.fullmatch(lines[1].strip()):
        yield Block(BlockKind.HEADING, (lines[0].strip(),))
        yield from _blocks_of(lines[2:], width)
    elif lines and (question := _QUESTION.match(lines[0])):
        yield Block(BlockKind.HEADING, (" ".join(map(str.strip, [question[1], *lines[1:]])),))
    elif lines and lines[0].startswith(_ITEM):
        yield Block(BlockKind.LIST, tuple(_items(lines)))
    else:
        for is_sample, group in groupby(lines, key=lambda line: line.startswith(_INDENT)):
            part = tuple(group)
            yield (
                Block(BlockKind.SAMPLE, part)
                if is_sample
                else Block(BlockKind.PARAGRAPH, _refilled(part, width))
            )


def _items(lines: Sequence[str]) -> Iterator[str]:
    item: list[str] = []
    for line in lines:
        if line.startswith(_ITEM) and item:
            yield " ".join(item)
            item = []
        item.append(line.removeprefix(_ITEM).strip())
    yield " ".join(item)


def _refilled(lines: Sequence[str], width: int) -> tuple[str, ...]:
    """The lines that were ended on purpose; all others are joined."""
    filled, room = [lines[0].strip()], width - columns_of(lines[0])
    for line in lines[1:]:
        if room > columns_of(line.split()[0]):
            filled.append(line.strip())
        else:
            filled[-1] += f" {line.strip()}"
        room = width - columns_of(line)
    return tuple(filled)


def _joined(pieces: Sequence[Block]) -> Iterator[Block]:
    """Join samples and lists that only blank lines separate."""
    for kind, group in groupby(pieces, key=lambda block: block.kind):
        if kind is BlockKind.SAMPLE:
            whole = dedent("\n\n".join(block.text for block in group))
            yield Block(kind, tuple(whole.split("\n")))
        elif kind is BlockKind.LIST:
            yield Block(kind, tuple(item for block in group for item in block.lines))
        else:
            yield from group


def spans(text: str) -> tuple[tuple[bool, str], ...]:
    """Parts of the text; True for those between backticks, which a letter or a program has
    literally."""
    pieces = re.split(r"`([^`\n]+)`", text)
    return tuple((bool(index % 2), piece) for index, piece in enumerate(pieces) if piece)
