"""How sure the ranking is, in sentences and in lines of a table. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from contest.config.sections import Programs
from contest.games.base import GameInfo, TextProtocol
from contest.language import decimal, gettext, listed, ngettext, noted, number
from contest.model import Certainty, OtherFormat, OtherWinner, TeamCertainty

_GROUPS = re.compile(r"groups of at most (\d+)")
MAX_LINES = 50  # of the table in a mail; pages and archive have all teams
_MAX_NAMED = 8  # teams whose absence makes other winners; if there are more, these winners are counted
_MAX_COUNTED = 3


@dataclass(frozen=True)
class CertaintyFacts:
    """What mails, pages and the command tell: paragraphs, and a table with its explanation.

    Shares in the table are of 100 contests, as text: `61`, `<1`. The first column is the team's name, all
    others are numeric. Without lines there is no table.
    """

    paragraphs: tuple[str, ...]
    columns: tuple[str, ...] = ()
    lines: tuple[tuple[str, ...], ...] = ()
    key: str = ""
    left_out: int = 0  # teams that the table does not have


def certainty_facts(found: Certainty, most: int | None = None) -> CertaintyFacts:
    """`most`: so many lines at most; None for all teams."""
    sensitivity = filter(None, (" ".join(_leave_one_out(found)), " ".join(_sensitivity(found))))
    if found.contests == 1:
        return CertaintyFacts((gettext(_CERTAIN), *sensitivity))
    shown = found.teams[:most]
    has_final = _has_final(found)
    return CertaintyFacts(
        (" ".join(_sentences(found)), *sensitivity),
        (
            gettext("team"),
            gettext("place"),
            gettext("first"),
            *([gettext("final")] if has_final else []),
            gettext("90 of 100"),
            gettext("worse"),
        ),
        tuple(_line(team, found.contests, has_final=has_final) for team in shown),
        gettext(_KEY_WITH_FINAL if has_final else _KEY),
        len(found.teams) - len(shown),
    )


def why_no_certainty(info: GameInfo, programs: Programs) -> str:
    """Why nobody computed how sure a contest's ranking is, where programs are counted; "" elsewhere.

    tournament.certainty decides it.
    """
    if info.play.is_quick or programs.clock != "fuel":
        return ""
    if info.max_seats > 2:
        return gettext(
            "How sure this ranking is was not computed: that is possible only in games of two players."
        )
    if info.protocols[:1] == (TextProtocol.STDIO,):
        return gettext(
            "How sure this ranking is was not computed: a program plays all games of its group in one life "
            "and may learn from them, so single games cannot be drawn again."
        )
    return gettext(
        "How sure this ranking is was not computed: the time of some programs is not counted, or their games "
        "take too long to be played many times."
    )


_KEY = noted(
    "Of 100 contests with other random numbers: in `first` the team won, in 90 its place was within "
    "`90 of 100`, and in `worse` it got less far than in this one."
)
_KEY_WITH_FINAL = noted(
    "Of 100 contests with other random numbers: in `first` the team won, in `final` it was in the final, in "
    "90 its place was within `90 of 100`, and in `worse` it got less far than in this one. Teams that got "
    "equally far share the best of their places."
)
_CERTAIN = noted(
    "No chance takes part in this contest: its games are computed exactly, and nothing is drawn. With the "
    "same programs it always ends like this."
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
    """So many of 100, as text; nothing that happened is 0, and nothing that failed once is 100."""
    share = round(100 * count / contests)
    if not share and count:
        return "<1"
    return ">99" if share == 100 and count < contests else str(share)


def _sentences(found: Certainty) -> Iterator[str]:
    yield (
        gettext(
            "The whole contest was drawn and played again %(contests)s times with other random numbers. This "
            "changes no result.",
            contests=number(found.contests),
        )
    )
    winners = [team for team in found.teams if team.place == 1]
    for team in winners:
        yield gettext(
            "%(entry)s is first in %(share)s of 100 such contests.",
            entry=team.entry,
            share=_share(team.first, found.contests),
        )
    likeliest = max(found.teams, key=lambda team: team.first)
    if likeliest.first > max((team.first for team in winners), default=0):
        yield (
            gettext(
                "Most often first is %(entry)s: in %(share)s of 100.",
                entry=likeliest.entry,
                share=_share(likeliest.first, found.contests),
            )
        )
    places = {team.entry: team.place for team in found.teams}
    ends = [(places[run[0]], places[run[-1]]) for run in found.alike]
    if alike := [
        gettext("%(low)s to %(high)s", low=first, high=last) for first, last in ends if first < last
    ]:
        yield gettext("Places %(alike)s cannot be told apart.", alike=listed(alike))
    yield gettext("The shares here can be off by %(margin)s in 100.", margin=found.margin)


def _has_final(found: Certainty) -> bool:
    """Whether some are out before the final, so that a draw decides who meets whom."""
    return any(team.final < found.contests for team in found.teams)


def _leave_one_out(found: Certainty) -> Iterator[str]:
    if not found.left_out:
        return
    first = [team.entry for team in found.teams if team.place == 1]
    behind = len(found.teams) - len(first)
    if len(first) == 1:
        yield ngettext(
            "Does the first place depend on who else takes part? The contest was played %(num)s more time "
            "from the same seed, and each time another team was left out, never the winner.",
            "Does the first place depend on who else takes part? The contest was played %(num)s more times "
            "from the same seed, and each time another team was left out, never the winner.",
            found.left_out,
        )
    else:
        yield ngettext(
            "Does the first place depend on who else takes part? The contest was played %(num)s more time "
            "from the same seed, and each time another team was left out, never a winner.",
            "Does the first place depend on who else takes part? The contest was played %(num)s more times "
            "from the same seed, and each time another team was left out, never a winner.",
            found.left_out,
        )
    if found.left_out < behind:
        yield ngettext(
            "To leave out all %(others)s others would take too long, so this was the first of them.",
            "To leave out all %(others)s others would take too long, so these were the first %(num)s of "
            "them.",
            found.left_out,
            others=behind,
        )
    if not found.without:
        yield gettext("That made no difference.")
    elif len(found.without) <= _MAX_NAMED:
        for winners, absent in _by_winners(found.without).items():
            yield gettext(
                "Without %(absent)s, %(would_win)s.", absent=_or(absent), would_win=_would_win(winners, first)
            )
    elif len(found.without) == found.left_out:
        yield gettext(
            "In all of these contests another team won: %(winners)s.", winners=_counted(found.without)
        )
    else:
        yield gettext(
            "In %(number)s of these contests another team won: %(winners)s.",
            number=len(found.without),
            winners=_counted(found.without),
        )
    if found.without and _has_final(found):
        yield gettext("With one team fewer the draw is different, too.")


def _would_win(winners: Sequence[str], before: Sequence[str]) -> str:
    if not winners:
        return gettext("nobody would have won")
    if len(winners) > 1:
        return gettext("%(winners)s would have shared the first place", winners=listed(winners))
    if winners[0] in before:
        return gettext("%(winner)s would have won alone", winner=winners[0])
    return gettext("%(winner)s would have won", winner=winners[0])


def _counted(others: Sequence[OtherWinner]) -> str:
    """How often who won, the most frequent first."""
    times = {winners: len(absent) for winners, absent in _by_winners(others).items()}
    most = sorted(times, key=lambda winners: (-times[winners], winners))[:_MAX_COUNTED]
    nobody = (gettext("nobody"),)
    counts = [f"{listed(winners or nobody)} {_times(times[winners])}" for winners in most]
    rest = len(others) - sum(times[winners] for winners in most)
    return listed([*counts, *([gettext("others %(times)s", times=_times(rest))] if rest else [])])


def _times(number: int) -> str:
    return ngettext("once", "%(num)s times", number)


def _sensitivity(found: Certainty) -> Iterator[str]:
    for winners, doubled in _by_winners(found.twice).items():
        yield gettext(
            "If %(doubled)s had been in the final twice, %(winners)s would have won.",
            doubled=_or(doubled),
            winners=listed(winners),
        )
    for other in found.formats:
        yield _format_sentence(other)


def _by_winners(others: Sequence[OtherWinner]) -> Mapping[tuple[str, ...], Sequence[str]]:
    """The teams by who would have won."""
    found: dict[tuple[str, ...], list[str]] = {}
    for each in others:
        found.setdefault(each.winners, []).append(each.entry)
    return found


def _or(names: Sequence[str]) -> str:
    """("a", "b", "c") -> `a, b or c`."""
    *before, last = names
    return gettext("%(names)s or %(last)s", names=", ".join(before), last=last) if before else last


def _title(other: str) -> str:
    """The title of another format, which the computation gives in English (tournament.certainty)."""
    groups = _GROUPS.fullmatch(other)
    if groups:
        return gettext("groups of at most %(size)s", size=groups[1])
    return gettext("one round robin") if other == "one round robin" else other


def _format_sentence(other: OtherFormat) -> str:
    tau = decimal(f"{'-' if other.tau < 0 else ''}{abs(other.tau) // 100}.{abs(other.tau) % 100:02}")
    return gettext(
        "In %(other)s %(winner)s comes first on average, and Kendall's tau to this ranking is %(tau)s (1: "
        "the same order, 0: no relation).",
        other=_title(other.title),
        winner=other.winner,
        tau=tau,
    )
