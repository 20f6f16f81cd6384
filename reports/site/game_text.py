"""Write games as text that people can read and the page of replays loads as a script. Pure.

A file is one call with one long text: lines whose fields are parted by tabs. What a line is, its
first word says; a turn begins with its number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from markupsafe import Markup, escape

from contest.games.game import GameInfo
from contest.language import gettext
from contest.model import Match, Verdict
from reports.replay.turns import Replay, lines_of, player_names
from reports.text import one_line, plural, points

_IN_SCRIPT = str.maketrans({"\\": "\\\\", "`": "\\`", "$": "\\$"})


def heading_lines(
    key: str,
    title: str,
    match: Match,
    game: GameInfo,
    verdicts: Mapping[Verdict, str],
    group: tuple[str, str] = ("", ""),
    links: Sequence[str] = (),
) -> str:
    """The first lines of a game, all that is known before it is replayed: who played, and what came
    of it.

    `group`: title and page of its group; `links`: the pages of its players. Without them it stands
    alone.
    """
    lines: list[tuple[str, ...]] = [("game", key), ("title", title), ("group", *group)]
    players = zip(
        player_names(match),
        match.result.seats,
        links or [""] * len(match.players),
        strict=True,
    )
    for name, seat, link in players:
        own = points(2 * seat.points, game.point)
        lines.append(("player", name, own, gettext(verdicts[seat.verdict]), link))
    lines.append(("turns", plural(match.result.turns, game.turn_word)))
    lines.append(("digest", match.result.digest))
    lines.append(("word", game.turn_word, str(game.point)))
    if game.letters:
        words = (part for sign, word in game.letters for part in (sign, gettext(word)))
        lines.append(("letters", *words))
    return "".join(map(_line, lines))


def game_lines(heading: str, replay: Replay) -> str:
    """A game from its heading to its end."""
    pictures = replay.pictures
    return "".join(
        (
            heading,
            _line(("story", replay.story)),
            _line(("show", *replay.views)),
            _line(("picture", pictures.facts, pictures.captions[0], pictures.changes[0]))
            if pictures
            else "",
            *(f"{line}\n" for line in lines_of(replay)),
            "end\n\n",
        )
    )


def _line(fields: Iterable[str]) -> str:
    return "\t".join(map(one_line, fields)) + "\n"


def legend(game: GameInfo) -> str:
    """Say how the lines of turns are to be read."""
    if game.play.is_computed:
        text = gettext(
            "# %(title)s. In each line, one for each %(turn_word)s: what each player did (> begins"
            " a series), and the points that each won by it.",
            title=game.title,
            turn_word=gettext(game.turn_word),
        )
    else:
        text = gettext(
            "# %(title)s. In each line, one for each %(turn_word)s: what each player did (! a"
            " fault, - not asked), and the points that each won by it.",
            title=game.title,
            turn_word=gettext(game.turn_word),
        )
    return f"{text}\n\n"


def in_page(text: str) -> Markup:
    """The text inside a page. Fields are parted by tabs, which a page would otherwise lose as white
    space."""
    return escape(text).replace("\t", Markup("&#9;"))


def script(legend: str, games: Iterable[str]) -> bytes:
    """The file of these games, as the page of replays loads it."""
    text = "".join((legend, *games)).translate(_IN_SCRIPT)
    return f"knobelnGames(`{text}`);\n".encode(errors="replace")
