"""Find the games of a contest that are worth a look, by measures that everybody can check. Pure.

Some measures need results only. Those that need the course of a game are given it game by game, because all
throws of a contest do not fit into memory.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import accumulate, pairwise

from contest.games.game import GameInfo
from contest.language import gettext, listed, noted_plural, number, translated, translated_plural
from contest.model import GroupOutcome, GroupPlan, Match, RoundOutcome, Standing
from reports.results import points_of
from reports.scores import places
from reports.text import grouped_points as points
from reports.text import plural

Gains = Sequence[Sequence[int]]
"""For each seat what it won in each turn, in points of the game."""

MOST = 4
_BEFORE_THE_END = 50  # turns at which a look at a long game begins at the latest
_FEWEST_TURNS = 3  # of a stretch that is worth telling


@dataclass(frozen=True)
class Highlight:
    """A game worth a look. `turn`: where to look, from 1; 0 = the whole game.

    `measure` says in a sentence why it is this game and no other.
    """

    title: str
    sentence: str
    measure: str
    plan: GroupPlan
    match: Match
    turn: int = 0


# --- results -----------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Meeting:
    """Two entries that met, the winner first, and the games that count. Points are half points, summed."""

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


def closest(found: Iterable[Meeting]) -> Meeting | None:
    """The meeting with the smallest margin that was not drawn; of several that with most points.

    None where all margins are equal, because then none is closer than another.
    """
    margins: set[int] = set()
    best: Meeting | None = None
    for meeting in found:
        if not meeting.is_drawn:
            margins.add(meeting.margin)
            if best is None or (meeting.margin, -sum(meeting.points)) < (best.margin, -sum(best.points)):
                best = meeting
    return best if len(margins) > 1 else None


def upsets(found: Iterable[Meeting], ranks: Mapping[str, int], most: int) -> list[Meeting]:
    """The meetings whose winner stands below the loser, the greatest distance first, then by margin."""
    ranked = (m for m in found if not m.is_drawn and all(name in ranks for name in m.players))
    low = (m for m in ranked if distance(m, ranks) > 0)
    return nsmallest(most, low, key=lambda meeting: (-distance(meeting, ranks), -meeting.margin))


def distance(meeting: Meeting, ranks: Mapping[str, int]) -> int:
    """How many ranks the winner stands below the loser."""
    winner, loser = meeting.players
    return ranks[winner] - ranks[loser]


# --- courses -----------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Stretch:
    """Consecutive turns of a game, from 1, and the points that were won in them.

    `seat`: the one that won them; None = both together.
    """

    points: int
    first: int
    last: int
    seat: int | None = None


def greatest_peace(gains: Gains) -> Stretch | None:
    """The stretch of a game of two in which most points were won, and neither got away from the other.

    That is: at no time within it one has won more than the best turn of the game is worth beyond what the
    other won.
    """
    best_turn = max((max(turn) for turn in zip(*gains, strict=True)), default=0)
    return _worth_telling(level_stretch(gains, best_turn))


def level_stretch(gains: Gains, most_apart: float) -> Stretch:
    """The stretch of a game of two in which most points were won, and neither won more than so many points
    beyond the other at any time within it."""
    leads = list(accumulate((a - b for a, b in zip(*gains, strict=True)), initial=0))
    sums = list(accumulate((a + b for a, b in zip(*gains, strict=True)), initial=0))
    lowest: deque[int] = deque()  # positions of the least leads that can still become the least of a stretch
    highest: deque[int] = deque()
    start, found = 0, Stretch(0, 1, 0)
    for end, lead in enumerate(leads):
        while lowest and leads[lowest[-1]] >= lead:
            lowest.pop()
        while highest and leads[highest[-1]] <= lead:
            highest.pop()
        lowest.append(end)
        highest.append(end)
        while leads[highest[0]] - leads[lowest[0]] > most_apart:
            start += 1
            for positions in (lowest, highest):
                if positions[0] < start:
                    positions.popleft()
        if sums[end] - sums[start] > found.points:
            found = Stretch(sums[end] - sums[start], start + 1, end)
    return found


def greatest_exploitation(gains: Gains) -> Stretch | None:
    """The stretch of a game of two in which one won most points, and the other none."""
    found = Stretch(0, 1, 0)
    for seat in (0, 1):
        start = points = 0
        for turn, (own, theirs) in enumerate(zip(gains[seat], gains[1 - seat], strict=True), start=1):
            start, points = (turn, 0) if theirs else (start, points + own)
            if points > found.points:
                found = Stretch(points, start + 1, turn, seat)
    return _worth_telling(found)


def _worth_telling(stretch: Stretch) -> Stretch | None:
    return stretch if stretch.last - stretch.first + 1 >= _FEWEST_TURNS and stretch.points > 0 else None


def is_scored_by_turns(gains: Gains) -> bool:
    """Whether points are won all the time, so that stretches say something; not at the end alone."""
    scored = sum(map(any, zip(*gains, strict=True)))
    return 2 * scored >= len(gains[0]) > 0


def turn_of_no_return(gains: Gains, winner: int) -> int:
    """The turn in which the winner took the lead that it kept; 0 if it never had one."""
    leads = list(
        accumulate((a - b for a, b in zip(gains[winner], gains[1 - winner], strict=True)), initial=0)
    )
    if leads[-1] <= 0:
        return 0
    return max((turn for turn, (before, _) in enumerate(pairwise(leads), start=1) if before <= 0), default=1)


# --- the search --------------------------------------------------------------------------------------------
class Search:
    """Looks for the highlights of a finished contest. Hand in the games of `wanted`, then ask `found`."""

    def __init__(
        self, history: Sequence[RoundOutcome], ranking: Sequence[Standing], game: GameInfo, *, moves: bool
    ) -> None:
        """`moves`: everybody may see the games move by move."""
        self._game, self._history, self._last = game, history, history[-1]
        self._moves = moves and game.play.has_moves
        self._ranks = {s.entry: s.rank for s in ranking if s.rank is not None}
        self._closest = closest(meetings(history))
        self._upset = next(iter(upsets(meetings(history), self._ranks, 1)), None)
        self._peace: tuple[int, Highlight] | None = None
        self._exploitation: tuple[int, Highlight] | None = None
        self._no_return: dict[int, int] = {}  # by the identity of a match

    @property
    def wanted(self) -> Iterator[Match]:
        """The games whose course matters: those of the last round, and the deciding ones of the others."""
        if self._moves:
            yield from (game for meeting in meetings([self._last]) for game in meeting.games)
            yield from (meeting.games[-1] for meeting in (self._closest, self._upset) if meeting)

    def see(self, plan: GroupPlan, match: Match, gains: Gains) -> None:
        """Measure a game by its course."""
        for meeting in (self._closest, self._upset):
            if meeting and meeting.games[-1] is match:
                winner = match.players.index(meeting.players[0])
                self._no_return[id(match)] = turn_of_no_return(gains, winner)
        if plan.round != self._last.plan.number or not is_scored_by_turns(gains):
            return
        peace, exploitation = greatest_peace(gains), greatest_exploitation(gains)
        if peace and (self._peace is None or peace.points > self._peace[0]):
            best_turn = max(max(turn) for turn in zip(*gains, strict=True))
            self._peace = peace.points, self._peaceful(plan, match, peace, best_turn)
        if exploitation and (self._exploitation is None or exploitation.points > self._exploitation[0]):
            self._exploitation = exploitation.points, self._exploited(plan, match, exploitation)

    @property
    def found(self) -> tuple[Highlight, ...]:
        """The highlights, at most `MOST`."""
        by_course = [found[1] for found in (self._peace, self._exploitation) if found]
        candidates = [
            *([self._close(self._closest)] if self._closest else []),
            *([self._surprise(self._upset)] if self._upset else []),
            *(by_course or self._by_length()),
            *self._duel(),
        ]
        return tuple(candidates[:MOST])

    # --- words ---------------------------------------------------------------------------------------------
    def _points(self, half_points: int) -> str:
        return points(half_points, self._game.point)

    def _close(self, meeting: Meeting) -> Highlight:
        decided = sum(not each.is_drawn for each in meetings(self._history))
        margin = self._points(meeting.margin)
        one, many = noted_plural(
            "%(winner)s beat %(loser)s by %(margin)s point, %(points)s to %(loser_points)s.",
            "%(winner)s beat %(loser)s by %(margin)s points, %(points)s to %(loser_points)s.",
        )
        values = {**self._values(meeting), "margin": margin}
        sentence = self._rate(meeting) or translated_plural(one, many, 1 if margin == "1" else 2) % values
        measure = gettext(
            "The smallest difference in points of the %(decided)s that were not drawn.",
            decided=number(decided),
        )
        return self._of(meeting, gettext("Closest game"), sentence, measure)

    def _surprise(self, meeting: Meeting) -> Highlight:
        ranked = {
            role: gettext("%(name)s (rank %(rank)s)", name=name, rank=self._ranks[name])
            for role, name in zip(("winner", "loser"), meeting.players, strict=True)
        }
        sentence = self._rate(meeting, **ranked) or gettext(
            "%(winner)s beat %(loser)s, %(points)s to %(loser_points)s.",
            **{**self._values(meeting), **ranked},
        )
        measure = gettext("No winner stands further below the loser in the ranking.")
        return self._of(meeting, gettext("Greatest upset"), sentence, measure)

    def _values(self, meeting: Meeting) -> Mapping[str, str]:
        winner, loser = meeting.players
        own, theirs = map(self._points, meeting.points)
        return {"winner": winner, "loser": loser, "points": own, "loser_points": theirs}

    def _rate(self, meeting: Meeting, **names: str) -> str:
        """The result of games that are computed at once; "" for others. `names`: what the two are called."""
        if self._game.play.has_moves:
            return ""
        return gettext(
            "%(winner)s beat %(loser)s with a win rate of %(points)s.", **{**self._values(meeting), **names}
        )

    def _of(self, meeting: Meeting, title: str, sentence: str, measure: str) -> Highlight:
        last = meeting.games[-1]
        turn = self._no_return.get(id(last), 0) if len(meeting.games) == 1 else 0
        if turn <= 1:
            return Highlight(title, sentence, measure, meeting.plan, last)
        word = translated(self._game.turn_word)
        if turn == last.result.turns:
            lead = gettext("It took the lead for good in the last %(turn_word)s.", turn_word=word)
        else:
            lead = gettext(
                "It took the lead for good in %(turn_word)s %(turn)s.", turn_word=word, turn=number(turn)
            )
        start = max(1, min(turn, last.result.turns - _BEFORE_THE_END))
        return Highlight(title, f"{sentence} {lead}", measure, meeting.plan, last, start)

    def _span(self, stretch: Stretch) -> Mapping[str, object]:
        return {
            "turn_word": translated(self._game.turn_word),
            "start": number(stretch.first),
            "end": number(stretch.last),
            "points": number(stretch.points),
        }

    def _peaceful(self, plan: GroupPlan, match: Match, peace: Stretch, best: int) -> Highlight:
        first, second = match.players
        return Highlight(
            gettext("Greatest peace"),
            gettext(
                "From %(turn_word)s %(start)s to %(end)s %(first)s and %(second)s won %(points)s points "
                "together, and neither got more than %(most)s ahead.",
                **self._span(peace),
                first=first,
                second=second,
                most=number(best),
            ),
            gettext("The most points shared without either pulling ahead."),
            plan,
            match,
            peace.first,
        )

    def _exploited(self, plan: GroupPlan, match: Match, stretch: Stretch) -> Highlight:
        winner, loser = match.players if stretch.seat == 0 else match.players[::-1]
        return Highlight(
            gettext("Most beautiful exploitation"),
            gettext(
                "From %(turn_word)s %(start)s to %(end)s %(winner)s won %(points)s points against %(loser)s, "
                "which won none.",
                **self._span(stretch),
                winner=winner,
                loser=loser,
            ),
            gettext("The most points that one side won in a row before the other won any."),
            plan,
            match,
            stretch.first,
        )

    def _by_length(self) -> Iterator[Highlight]:
        """The shortest and the longest game, where there is only one such; if nothing is won by turns."""
        played = ((m.plan, game) for m in meetings(self._history) for game in m.games)
        games = [(plan, game) for plan, game in played if game.result.turns and game.result.is_flawless]
        won = [(plan, g) for plan, g in games if len({seat.points for seat in g.result.seats}) > 1]
        for plan, game in _only(won, min):
            winner, loser = (name for name, _ in sorted(game.sides, key=lambda side: -side[1].points))
            sentence = gettext(
                "%(winner)s beat %(loser)s in %(turns)s.",
                winner=winner,
                loser=loser,
                turns=plural(game.result.turns, self._game.turn_word),
            )
            measure = gettext("The shortest game without a fault that somebody won.")
            yield Highlight(gettext("Quickest win"), sentence, measure, plan, game)
        for plan, game in _only(games, max):
            sentence = gettext(
                "%(players)s needed %(turns)s.",
                players=listed(game.players),
                turns=plural(game.result.turns, self._game.turn_word),
            )
            measure = gettext("The game without a fault that took longest.")
            yield Highlight(gettext("Longest game"), sentence, measure, plan, game)

    def _duel(self) -> Iterator[Highlight]:
        """Of games of many: the longest time for which the last two stood against each other."""
        duels = []
        for group in self._last.groups:
            for match in (m for m in group.matches if m.counted and len(m.players) > 2):
                found = places(match, self._game.max_turns)
                # Those that are left, and then those that fell, the last one first.
                ends = sorted(((p.fell_in or match.result.turns + 1), p.entry) for p in found)
                (begin, _), (_, one), (end, other) = ends[-3:]
                end = min(end, match.result.turns)
                if any(p.fell_in for p in found) and end > begin:
                    duels.append((end - begin, begin, group.plan, match, (other, one)))
        if duels:
            length, begin, plan, match, last_two = max(duels, key=lambda duel: duel[0])
            yield Highlight(
                gettext("Longest duel"),
                gettext(
                    "%(players)s were the last two alive, for %(turns)s.",
                    players=listed(last_two),
                    turns=plural(length, self._game.turn_word),
                ),
                gettext("Counted from the end of the third last player to the end of the game."),
                plan,
                match,
                begin + 1,
            )


def _only(
    games: Sequence[tuple[GroupPlan, Match]], extreme: Callable[[Iterable[int]], int]
) -> Sequence[tuple[GroupPlan, Match]]:
    """The game with the fewest or the most turns, if it is the only one; else nothing."""
    if not games:
        return ()
    wanted = extreme(game.result.turns for _, game in games)
    found = [each for each in games if each[1].result.turns == wanted]
    return found if len(found) == 1 else ()
