"""The pages for a lesson: the handout, and the sheet for the board."""

from __future__ import annotations

from pathlib import Path

import pytest

from knobeln.classes.handout import as_page
from tests.support.command_line import knobeln, knobeln_in

TEXT = """\
The contest
===========

A paragraph <with signs>
of two lines.

1. Begin
--------

    main ()
    {

      throw ();
    }

The end.
"""


def test_a_page_has_headings_paragraphs_and_what_is_copied() -> None:
    page = as_page(TEXT, "a & b", "en", print_points=20)
    assert page.partition("<main>\n")[2].partition("\n</main>")[0].split("\n") == [
        "<h1>The contest</h1>",
        "<p>A paragraph &lt;with signs&gt;",
        "of two lines.</p>",
        "<h2>1. Begin</h2>",
        "<pre>main ()",
        "{",
        "",
        "  throw ();",
        "}</pre>",
        "<p>The end.</p>",
    ]
    assert "<title>a &amp; b</title>" in page
    assert "font-size: 20pt" in page


@pytest.mark.parametrize("name", ["board.html", "board.txt"])
def test_the_sheet_for_the_board_is_in_the_language_of_the_contest(
    tmp_path: Path, name: str
) -> None:
    contest, names, board = tmp_path / "course", tmp_path / "names.csv", tmp_path / name
    knobeln("init", contest, "--class", "--language", "de", "--beacon", "none")
    names.write_text("Name\nAda Lovelace\n", encoding="utf-8")
    said = knobeln_in(contest, "class", "open", names, "--board", board).output
    sheet = board.read_text(encoding="utf-8")
    for text in (said, sheet):
        assert "Subject: join Vorname Nachname" in text
        assert "Internationaler KNOBELN-Wettbewerb" in text
        assert "Ein Roboter antwortet binnen Minuten." in text
    assert ("<!doctype html>" in sheet) == (name == "board.html")
