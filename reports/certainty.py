"""How sure the ranking is, in a sentence and in lines of a table. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from contest.games.game import GameInfo
from contest.language import gettext, listed, noted, number
from contest.model import Certainty, TeamCertainty
from contest.schema.sections import Programs


@dataclass(frozen=True)
class CertaintyFacts:
    """What pages and the command tell: sentences, and a table with its explanation.

    Shares in the table are of 100 contests, as text: `61`, `<1`. The first column is the team's
    name, all others are numeric; their headings are English. Without lines there is no table.
    """

    words: str
    columns: tuple[str, ...] = ()
    lines: tuple[tuple[str, ...], ...] = ()
    key: str = ""


def certainty_facts(certainty: Certainty) -> CertaintyFacts:
    """The sentence of the mail, and each team's chances."""
    if certainty.contests == 1:
        return CertaintyFacts(certainty_sentence(certainty))
    # If all teams are always in the final, the column would say 100 in each line.
    has_final = any(team.final < certainty.contests for team in certainty.teams)
    return CertaintyFacts(
        " ".join(
            filter(None, (certainty_sentence(certainty), _likely(certainty), _alike(certainty)))
        ),
        tuple(word for word in _COLUMNS if has_final or word != "final"),
        tuple(_line(team, certainty.contests, has_final=has_final) for team in certainty.teams),
        gettext(_KEY_WITH_FINAL if has_final else _KEY),
    )


def why_no_certainty(info: GameInfo, programs: Programs) -> str:
    """Why nobody computed how sure a contest's ranking is, where programs are counted; ""
    elsewhere.

    tournament.certainty decides it.
    """
    if info.play.is_quick or not programs.counted_languages:
        return ""
    return gettext(
        "How sure this ranking is was not computed. That takes games of two, which are played many"
        " times, and programs that begin each of them anew and whose time is counted."
    )


_COLUMNS = (
    noted("team"),
    noted("place"),
    noted("first"),
    noted("final"),
    noted("90 of 100"),
    noted("worse"),
)
_KEY = noted(
    "Of 100 contests with other random numbers: in `first` the team won, in 90 its place was within"
    " `90 of 100`, and in `worse` it got less far than in this one."
)
_KEY_WITH_FINAL = noted(
    "Of 100 contests with other random numbers: in `first` the team won, in `final` it was in the"
    " final, in 90 its place was within `90 of 100`, and in `worse` it got less far than in this"
    " one. Teams that got equally far share the best of their places."
)
_CERTAIN = noted(
    "No chance takes part in this contest: its games are computed exactly, and nothing is drawn."
    " With the same programs it always ends like this."
)


def _line(team: TeamCertainty, contests: int, *, has_final: bool) -> tuple[str, ...]:
    places = (
        str(team.low)
        if team.low == team.high
        else gettext("%(low)s to %(high)s", low=team.low, high=team.high)
    )
    final = [_share(team.final, contests)] if has_final else []
    return (
        team.entry,
        str(team.place),
        _share(team.first, contests),
        *final,
        places,
        _share(team.worse, contests),
    )


def _share(count: int, contests: int) -> str:
    """The share in 100, as text: 0 only for never, 100 only for always, otherwise `<1` and
    `>99`."""
    share = round(100 * count / contests)
    if not share and count:
        return "<1"
    return ">99" if share == 100 and count < contests else str(share)


def certainty_sentence(certainty: Certainty) -> str:
    """Who would win with other random numbers, in a sentence: the winners, and who else does most
    often."""
    if certainty.contests == 1:
        return gettext(_CERTAIN)
    named = [team for team in certainty.teams if team.place == 1]
    others = [team for team in certainty.teams if team.place > 1 and team.first]
    if others:
        named.append(min(others, key=lambda team: (-team.first, team.entry)))
    wins = [
        gettext("%(entry)s won %(wins)s", entry=team.entry, wins=number(team.first))
        for team in named
    ]
    return gettext(
        "How much is luck? The whole contest was drawn and played again %(contests)s times"
        " with other random numbers, which changes no result: %(wins)s. Each may be off by"
        " %(margin)s.",
        contests=number(certainty.contests),
        wins=listed(wins),
        margin=number(math.ceil(certainty.margin * certainty.contests / 100)),
    )


_MOST_NAMES = 8


def _likely(certainty: Certainty) -> str:
    """The teams that nearly always include the winner; "" if that is the one that won."""
    names = certainty.likely_winners
    if len(names) == 1 and any(team.entry in names and team.place == 1 for team in certainty.teams):
        return ""
    if len(names) > _MOST_NAMES:
        return gettext(
            "In 95 of 100 the winner is one of %(count)s teams: those that win most.",
            count=len(names),
        )
    return gettext("In 95 of 100 the winner is one of these: %(names)s.", names=", ".join(names))


def _alike(certainty: Certainty) -> str:
    """Which places cannot be told apart; "" if all can."""
    places = {team.entry: team.place for team in certainty.teams}
    ends = [(places[run[0]], places[run[-1]]) for run in certainty.alike]
    alike = [
        gettext("%(low)s to %(high)s", low=first, high=last) for first, last in ends if first < last
    ]
    return gettext("Places %(alike)s cannot be told apart.", alike=listed(alike)) if alike else ""
