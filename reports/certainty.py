"""How sure the ranking is, in sentences and in lines of a table. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from contest.model import Certainty, OtherFormat, OtherWinner, TeamCertainty
from contest.plurals import form, listed, plural

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


def certainty_facts(
    found: Certainty, most: int | None = None, played: str = "with other chance"
) -> CertaintyFacts:
    """`most`: so many lines at most; None for all teams. `played`: how sentences call the other contests."""
    sensitivity = filter(None, (" ".join(_leave_one_out(found)), " ".join(_sensitivity(found))))
    if found.contests == 1:
        return CertaintyFacts((_CERTAIN, *sensitivity))
    shown = found.teams[:most]
    has_final = _has_final(found)
    return CertaintyFacts(
        (" ".join(_sentences(found, played)), *sensitivity),
        ("team", "place", "first", *(["final"] if has_final else []), "90 of 100", "worse"),
        tuple(_line(team, found.contests, has_final=has_final) for team in shown),
        (_KEY_WITH_FINAL if has_final else _KEY).format(played=played),
        len(found.teams) - len(shown),
    )


_KEY = (
    "Of 100 contests {played}: in `first` the team won, in 90 its place was within `90 of 100`, and "
    "in `worse` it got less far than in this one."
)
_KEY_WITH_FINAL = (
    "Of 100 contests {played}: in `first` the team won, in `final` it was in the final, in 90 its "
    "place was within `90 of 100`, and in `worse` it got less far than in this one. Teams that got equally "
    "far share the best of their places."
)
_CERTAIN = (
    "No chance takes part in this contest: its games are computed exactly, and nothing is drawn. With the "
    "same programs it always ends like this."
)


def _line(team: TeamCertainty, contests: int, *, has_final: bool) -> tuple[str, ...]:
    places = str(team.low) if team.low == team.high else f"{team.low} to {team.high}"
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


def _sentences(found: Certainty, played: str) -> Iterator[str]:
    yield (
        f"The whole contest was drawn and played again {found.contests:,} times {played}. This "
        "changes no result."
    )
    winners = [team for team in found.teams if team.place == 1]
    for team in winners:
        yield f"{team.entry} is first in {_share(team.first, found.contests)} of 100 such contests."
    likeliest = max(found.teams, key=lambda team: team.first)
    if likeliest.first > max((team.first for team in winners), default=0):
        yield (f"Most often first is {likeliest.entry}: in {_share(likeliest.first, found.contests)} of 100.")
    places = {team.entry: team.place for team in found.teams}
    ends = [(places[run[0]], places[run[-1]]) for run in found.alike]
    if alike := [f"{first} to {last}" for first, last in ends if first < last]:
        yield f"Places {listed(alike)} cannot be told apart."
    yield f"The shares here can be off by {found.margin} in 100."


def _has_final(found: Certainty) -> bool:
    """Whether some are out before the final, so that a draw decides who meets whom."""
    return any(team.final < found.contests for team in found.teams)


def _leave_one_out(found: Certainty) -> Iterator[str]:
    if not found.left_out:
        return
    first = [team.entry for team in found.teams if team.place == 1]
    behind = len(found.teams) - len(first)
    yield (
        "Does the first place depend on who else takes part? The contest was played "
        f"{plural(found.left_out, 'more time')} from the same seed, and each time another team was left out, "
        f"never {'the winner' if len(first) == 1 else 'a winner'}."
    )
    if found.left_out < behind:
        these = form(found.left_out, "this was the first", f"these were the first {found.left_out}")
        yield f"To leave out all {behind} others would take too long, so {these} of them."
    if not found.without:
        yield "That made no difference."
    elif len(found.without) <= _MAX_NAMED:
        for winners, absent in _by_winners(found.without).items():
            yield f"Without {_or(absent)}, {_would_win(winners, first)}."
    else:
        which = "all of" if len(found.without) == found.left_out else f"{len(found.without)} of"
        yield f"In {which} these contests another team won: {_counted(found.without)}."
    if found.without and _has_final(found):
        yield "With one team fewer the draw is different, too."


def _would_win(winners: Sequence[str], before: Sequence[str]) -> str:
    if not winners:
        return "nobody would have won"
    if len(winners) > 1:
        return f"{listed(winners)} would have shared the first place"
    return f"{winners[0]} would have won{' alone' if winners[0] in before else ''}"


def _counted(others: Sequence[OtherWinner]) -> str:
    """How often who won, the most frequent first."""
    times = {winners: len(absent) for winners, absent in _by_winners(others).items()}
    most = sorted(times, key=lambda winners: (-times[winners], winners))[:_MAX_COUNTED]
    counts = [f"{listed(winners or ('nobody',))} {_times(times[winners])}" for winners in most]
    rest = len(others) - sum(times[winners] for winners in most)
    return listed([*counts, *([f"others {_times(rest)}"] if rest else [])])


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _sensitivity(found: Certainty) -> Iterator[str]:
    for winners, doubled in _by_winners(found.twice).items():
        yield f"If {_or(doubled)} had been in the final twice, {listed(winners)} would have won."
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
    return f"{', '.join(before)} or {last}" if before else last


def _format_sentence(other: OtherFormat) -> str:
    tau = f"{'-' if other.tau < 0 else ''}{abs(other.tau) // 100}.{abs(other.tau) % 100:02}"
    return (
        f"In {other.title} {other.winner} comes first on average, and Kendall's tau to this ranking is {tau} "
        "(1: the same order, 0: no relation)."
    )
