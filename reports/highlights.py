"""Find the games of a contest that are worth a look, by measures that everybody can check. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from contest.games.game import GameInfo
from contest.language import gettext, listed, noted, noted_plural, number, translated_plural
from contest.model import GroupOutcome, GroupPlan, Match, RoundOutcome, Standing
from reports.results import points_of
from reports.scores import places
from reports.text import grouped_points as points
from reports.text import plural

_BEFORE_THE_END = 50  # turns at which a look at a close game begins


@dataclass(frozen=True)
class Highlight:
    """A game worth a look. `turn`: where to look, from 1; 0 = where replays begin.

    `measure` says in a sentence why it is this game and no other.
    """

    title: str
    sentence: str
    measure: str
    plan: GroupPlan
    match: Match
    turn: int = 0


# --- results --------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Meeting:
    """Two entries that met, the winner first, and the games that count. Points are half points,
    summed."""

    plan: GroupPlan
    players: tuple[str, str]
    points: tuple[int, int]
    games: tuple[Match, ...]

    @property
    def margin(self) -> int:
        return self.points[0] - self.points[1]

    @property
    def is_drawn(self) -> bool:
        return not self.margin


def meetings(rounds: Iterable[RoundOutcome]) -> Iterator[Meeting]:
    """Each two that met in these rounds, with the sum of all their games that count."""
    for outcome in rounds:
        for group in outcome.groups:
            yield from _meetings(group)


def _meetings(group: GroupOutcome) -> Iterator[Meeting]:
    games: dict[tuple[str, ...], list[Match]] = {}
    for match in group.matches:
        if match.counted and len(match.players) == 2 and not match.pairing.is_self:
            games.setdefault(match.pairing.players, []).append(match)
    for (first, second), played in games.items():
        own = sum(points_of(match, first)[0] for match in played)
        theirs = sum(points_of(match, second)[0] for match in played)
        if own >= theirs:
            yield Meeting(group.plan, (first, second), (own, theirs), tuple(played))
        else:
            yield Meeting(group.plan, (second, first), (theirs, own), tuple(played))


def closest(met: Iterable[Meeting]) -> Meeting | None:
    """The meeting with the smallest margin that was not drawn; of several that with most points.

    None where all margins are equal, because then none is closer than another.
    """
    margins: set[int] = set()
    best: Meeting | None = None
    for meeting in met:
        if not meeting.is_drawn:
            margins.add(meeting.margin)
            if best is None or (meeting.margin, -sum(meeting.points)) < (
                best.margin,
                -sum(best.points),
            ):
                best = meeting
    return best if len(margins) > 1 else None


def upsets(met: Iterable[Meeting], ranks: Mapping[str, int], most: int) -> list[Meeting]:
    """The meetings whose winner stands below the loser, the greatest distance first, then by
    margin."""
    ranked = (m for m in met if not m.is_drawn and all(name in ranks for name in m.players))
    low = (m for m in ranked if distance(m, ranks) > 0)
    return nsmallest(most, low, key=lambda meeting: (-distance(meeting, ranks), -meeting.margin))


def distance(meeting: Meeting, ranks: Mapping[str, int]) -> int:
    """How many ranks the winner stands below the loser."""
    winner, loser = meeting.players
    return ranks[winner] - ranks[loser]


# --- the choice -----------------------------------------------------------------------------------
def highlights(
    history: Sequence[RoundOutcome], ranking: Sequence[Standing], game: GameInfo
) -> tuple[Highlight, ...]:
    """The games of a finished contest that are worth a look."""
    ranks = {s.entry: s.rank for s in ranking if s.rank is not None}
    close = closest(meetings(history))
    return (
        *([_close(close, game, history)] if close else []),
        *(_surprise(meeting, game, ranks) for meeting in upsets(meetings(history), ranks, 1)),
        *_duel(history[-1], game),
    )


def _close(meeting: Meeting, game: GameInfo, history: Sequence[RoundOutcome]) -> Highlight:
    margin = points(meeting.margin, game.point)
    values = {**_values(meeting, game), "margin": margin}
    if game.play.has_moves:
        one, many = noted_plural(
            "%(winner)s beat %(loser)s by %(margin)s point, %(points)s to %(loser_points)s.",
            "%(winner)s beat %(loser)s by %(margin)s points, %(points)s to %(loser_points)s.",
        )
        sentence = translated_plural(one, many, 1 if margin == "1" else 2) % values
    else:
        sentence = gettext("%(winner)s beat %(loser)s with a win rate of %(points)s.", **values)
    measure = gettext(
        noted("The smallest difference in points of the %(decided)s that were not drawn.")
        if game.play.has_moves
        else noted("The win rate nearest to one half, of the %(decided)s that are not one half."),
        decided=number(sum(not meeting.is_drawn for meeting in meetings(history))),
    )
    last = meeting.games[-1]
    start = max(0, last.result.turns - _BEFORE_THE_END)
    return Highlight(
        title=gettext("Closest game"),
        sentence=sentence,
        measure=measure,
        plan=meeting.plan,
        match=last,
        turn=start,
    )


def _surprise(meeting: Meeting, game: GameInfo, ranks: Mapping[str, int]) -> Highlight:
    ranked = {
        role: gettext("%(name)s (rank %(rank)s)", name=name, rank=ranks[name])
        for role, name in zip(("winner", "loser"), meeting.players, strict=True)
    }
    sentence = gettext(
        noted("%(winner)s beat %(loser)s, %(points)s to %(loser_points)s.")
        if game.play.has_moves
        else noted("%(winner)s beat %(loser)s with a win rate of %(points)s."),
        **{**_values(meeting, game), **ranked},
    )
    measure = gettext("No winner stands further below the loser in the ranking.")
    return Highlight(gettext("Greatest upset"), sentence, measure, meeting.plan, meeting.games[-1])


def _values(meeting: Meeting, game: GameInfo) -> Mapping[str, str]:
    winner, loser = meeting.players
    own, theirs = (points(half, game.point) for half in meeting.points)
    return {"winner": winner, "loser": loser, "points": own, "loser_points": theirs}


def _duel(last: RoundOutcome, game: GameInfo) -> Iterator[Highlight]:
    """Of games of many: the longest time for which the last two stood against each other."""
    duels = []
    for group in last.groups:
        for match in (m for m in group.matches if m.counted and len(m.players) > 2):
            seats = places(match, game.max_turns)
            # Those that are left, and then those that fell, the last one first.
            ends = sorted(((p.fell_in or match.result.turns + 1), p.entry) for p in seats)
            (begin, _), (_, one), (end, other) = ends[-3:]
            end = min(end, match.result.turns)
            if any(p.fell_in for p in seats) and end > begin:
                duels.append((end - begin, begin, group.plan, match, (other, one)))
    if duels:
        length, begin, plan, match, last_two = max(duels, key=lambda duel: duel[0])
        yield Highlight(
            title=gettext("Longest duel"),
            sentence=gettext(
                "%(players)s were the last two alive, for %(turns)s.",
                players=listed(last_two),
                turns=plural(length, game.turn_word),
            ),
            measure=gettext(
                "Counted from the end of the third last player to the end of the game."
            ),
            plan=plan,
            match=match,
            turn=begin + 1,
        )
