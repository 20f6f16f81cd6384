"""Which teams decide who wins: the whole contest played once more without each of them.

All else is as on the contest day: the rules, the programs, and the seed. Streams of chance go by their names,
so two teams that meet in a round play the same game, throw by throw, whoever else takes part. Groups and
brackets are drawn from the same streams, but of one name fewer, so they differ. With one entry fewer the seed
itself would be another one, because it is made of the list of entries; the question here is what one team
changes, not what another seed does.

Nothing is sampled: a game is the game that the contest would have had. As games go by their streams, each is
played once for all of these contests, and those of the published one are known. Where all meet in one group,
nothing is left to play.

Costs are counted in instructions, so that every host leaves out the same teams.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice

from contest.games.base import GameInfo
from contest.model import GameJob, GameResult, GroupPlan, OtherWinner, RoundOutcome
from contest.protocols import Runner
from tournament import referee
from tournament.field import Field
from tournament.runners.recorded import results_by_streams

_BUDGET_INSTRUCTIONS = 30_000_000_000  # some 12 s of one core
_INSTRUCTIONS_PER_GAME = 300_000  # what a quick game costs that needs none
# Of a game of programs that are asked for moves, and whose time is counted in fuel:
_INSTRUCTIONS_PER_QUESTION = 6_000_000  # a new instance, about 2.5 ms
_UNITS_PER_INSTRUCTION = 4
_INSTRUCTIONS_PER_USE = 50_000  # a game that is known, with its part in the referee's work
_INSTRUCTIONS_PER_GROUP = 1_000_000
_MAX_GAMES_AT_ONCE = 50_000  # in memory, of a round
_CHUNK_GAMES = 20_000  # that one call of the runner plays


def without_each(
    field: Field, history: Sequence[RoundOutcome], candidates: Sequence[str], runner: Runner
) -> tuple[int, tuple[OtherWinner, ...]]:
    """Leave out one candidate after the other. Returns how many, and those without whom others would win.

    `history`: the rounds as published, with all games. As many candidates as fit into the budget, from the
    first; none if the field does not give the published winners, because the organizer took out somebody in
    mid-contest. Raises EngineFailed as the referee does.
    """
    contests = _Contests(field, history, runner)
    names = tuple(field.images)
    winners = _winners(field, history)
    if contests.winners([names]) != [winners]:
        return 0, ()
    cost, games = (
        _published_cost(field, history),
        sum(len(g.matches) for each in history for g in each.groups),
    )
    found: list[OtherWinner] = []
    done = 0
    while done < len(candidates) and contests.cost + cost <= _BUDGET_INSTRUCTIONS:
        affordable = (_BUDGET_INSTRUCTIONS - contests.cost) // cost
        batch = candidates[done : done + min(affordable, max(1, _MAX_GAMES_AT_ONCE // max(1, games)))]
        before = contests.cost
        others = contests.winners([tuple(n for n in names if n != without) for without in batch])
        found += [OtherWinner(n, other) for n, other in zip(batch, others, strict=True) if other != winners]
        done += len(batch)
        cost = max(1, (contests.cost - before) // len(batch))  # less and less, as more games are known
    return done, tuple(found)


def _winners(field: Field, history: Sequence[RoundOutcome]) -> tuple[str, ...]:
    return tuple(sorted(line.entry for line in field.format.ranking(history) if line.rank == 1))


def _published_cost(field: Field, history: Sequence[RoundOutcome]) -> int:
    """What such a contest costs if none of its games is known."""
    groups = [group for each in history for group in each.groups]
    matches = [match for group in groups for match in group.matches]
    games = sum(game_cost(field.info, match.result) + _INSTRUCTIONS_PER_USE for match in matches)
    return len(groups) * _INSTRUCTIONS_PER_GROUP + games


def game_cost(info: GameInfo, result: GameResult) -> int:
    """What this game takes, in instructions of the contest machine; a core does 2.5 billion a second."""
    used = sum(seat.instructions for seat in result.seats)
    if info.play.is_quick:
        return _INSTRUCTIONS_PER_GAME + used
    questions = result.turns * len(result.seats)
    return used // _UNITS_PER_INSTRUCTION + questions * _INSTRUCTIONS_PER_QUESTION


class _Contests:
    """Plays contests of parts of the field by the contest's own seed. `cost`: of all so far, in instructions.

    It is the runner of their games, and plays each game once.
    """

    def __init__(self, field: Field, history: Sequence[RoundOutcome], runner: Runner) -> None:
        self._field = field
        self._runner = runner
        self._known: dict[tuple[bytes, ...], GameResult] = {}
        for each in history:
            self._known |= results_by_streams(each.plan.number, each.groups, field.seeds)
        self.cost = 0

    def winners(self, fields: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """The winners of the contests of these names, which are played round by round at the same time."""
        histories: list[tuple[RoundOutcome, ...]] = [()] * len(fields)
        playing = list(range(len(fields)))
        while playing:
            plans = {n: self._field.format.plan(fields[n], histories[n], self._field.seeds) for n in playing}
            drawn = {n: plan for n, plan in plans.items() if plan is not None}
            groups = [self._waves(group, plan.final) for plan in drawn.values() for group in plan.groups]
            outcomes = iter(referee.play_together(groups, self))
            for number, plan in drawn.items():
                played = tuple(islice(outcomes, len(plan.groups)))
                histories[number] = (*histories[number], RoundOutcome(plan, played))
            self.cost += len(groups) * _INSTRUCTIONS_PER_GROUP
            playing = list(drawn)
        return [_winners(self._field, history) for history in histories]

    def play(self, jobs: Sequence[GameJob]) -> list[GameResult]:
        """The results, in the order of the jobs."""
        new = iter({job.streams: job for job in jobs if job.streams not in self._known}.values())
        while chunk := list(islice(new, _CHUNK_GAMES)):
            results = referee.carry_out(chunk, self._runner)
            self._known.update((job.streams, result) for job, result in zip(chunk, results, strict=True))
            self.cost += sum(game_cost(self._field.info, result) for result in results)
        self.cost += len(jobs) * _INSTRUCTIONS_PER_USE
        return [self._known[job.streams] for job in jobs]

    def _waves(self, plan: GroupPlan, final: bool) -> referee.Waves:
        return referee.waves(
            plan,
            images=self._field.images,
            seeds=self._field.seeds,
            protocols_for=frozenset(),
            standings=partial(self._field.format.standings, plan, final),
            fault_rule=self._field.info.fault_rule,
        )
