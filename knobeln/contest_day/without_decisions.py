"""Say what the organizer's decisions changed, by computing the contest without them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from contest.archive.contents import Archive, TakenOut, seed_of
from contest.clock import TIME_FORMAT
from contest.config.settings import Settings
from contest.games.base import TextProtocol
from contest.model import EvolutionOutcome, RoundOutcome, Standing, TimeChange
from contest.plurals import form, listed, ordinal, plural
from contest.protocols import ProgressCallback, Runner
from contest.seeds import Seeds
from tournament.counterfactual import ContestOutcome, UnknownGames, play_with_bans
from tournament.derived_settings import format_of
from tournament.field import Field
from tournament.runners import open_runner, runner_of

MAX_ALONE = 8  # so many decisions are undone one at a time; each may cost another contest
MAX_RANK = 10  # of changes that are named one by one

ProgressBar = Callable[[str, int], AbstractContextManager[ProgressCallback]]  # label, total


def without_decisions(archive: Archive, settings: Settings, progress_bar: ProgressBar) -> Iterator[str]:
    """Sentences about the contest as it would be without what the organizer decided after the start.

    All teams that were taken out are let in together, and then each alone, at most MAX_ALONE. `archive`: one
    whose results were found correct. Every further sentence may take as long as the contest. No sentence
    means that there was no such decision.
    """
    contest = _Contest(archive, settings)
    out, again = _taken_out(archive), _played_again(archive)
    undone = [_Undone("the organizer taken nobody out", frozenset(out))] if len(out) > 1 else []
    undone += [
        _Undone(f"{team} not been {listed([_ban(each) for each in bans])}", frozenset({team}))
        for team, bans in list(out.items())[:MAX_ALONE]
    ]
    if again and contest.is_computed and not out:
        undone.append(_Undone(f"{again} not been played again", frozenset()))
    if undone:
        with progress_bar("contests without decisions", len(undone)) as progress:
            for each in undone:
                yield f"had {each.what}, {contest.without(each.teams)}"
                progress(1)
    if len(out) > MAX_ALONE:
        yield f"only the first {MAX_ALONE} of these {len(out)} teams were let in one at a time"
    if again and not contest.is_computed:
        yield (
            f"had {again} not been played again, the former games would count. They are not in the archive, "
            "and programs that talk may have answered differently, so nobody can tell"
        )
    elif again and out:
        yield (
            f"to play {again} again changed no game, as the random numbers are the same. It could only "
            "decide whether a team that was taken out played there"
        )
    if not contest.is_computed:
        yield from map(_time_changed, archive.time_changes)


class _Undone(NamedTuple):
    """What had not been decided, after "had"; and the teams that therefore were not taken out."""

    what: str
    teams: frozenset[str]


def _taken_out(archive: Archive) -> Mapping[str, Sequence[TakenOut]]:
    """By the team. Who was out before the start has no entry, and is missing."""
    entries = {entry.name for entry in archive.entries}
    found: dict[str, list[TakenOut]] = {}
    for each in archive.decisions.taken_out:
        if each.team in entries:
            found.setdefault(each.team, []).append(each)
    return found


def _ban(out: TakenOut) -> str:
    until = f", until {out.lifted_at:{TIME_FORMAT}}" if out.lifted_at else ""
    return f"{out.kind} ({out.at:{TIME_FORMAT}}{until})"


def _played_again(archive: Archive) -> str:
    """What was played again, and when; "" if nothing was."""
    places = [
        f"{f'round {each.round}' if each.group is None else f'group {each.group} of round {each.round}'} "
        f"({each.at:{TIME_FORMAT}})"
        for each in archive.decisions.played_again
    ]
    return listed(places) if places else ""


def _time_changed(change: TimeChange) -> str:
    return (
        f"had the time for a move not been changed from {change.before:g} s to {change.after:g} s "
        f"({change.at:{TIME_FORMAT}}), programs might have answered otherwise from then on. They cannot be "
        "asked again, so nobody can tell"
    )


class _Contest:
    """The archive's contest, to be played without decisions."""

    def __init__(self, archive: Archive, settings: Settings) -> None:
        self.is_computed = {entry.build for entry in archive.entries} <= archive.builds.keys()
        self._archive = archive
        self._out = frozenset(_taken_out(archive))
        seeds = Seeds(seed_of(archive).value)
        builds = {entry.name: entry.build for entry in archive.entries}
        self._field = Field(settings, format_of(settings), builds, seeds)
        self._learns = TextProtocol.STDIO in self._field.info.protocols[:1]
        self._silent = {name for name, build in builds.items() if self._learns or not self._plays(build)}

    def _plays(self, digest: str) -> bool:
        """Whether a program can play games here that it has not played."""
        archive = self._archive
        if digest not in archive.builds or digest in archive.changed_builds:
            return False
        settings = self._field.settings
        return not runner_of(settings).why_not_here(archive.builds[digest], settings)

    def without(self, undone: AbstractSet[str]) -> str:
        """What follows if these teams are not taken out, as the end of a sentence."""
        try:
            return changes(self._with_bans, self._play(self._out - undone), undone)
        except UnknownGames as unknown:
            return self._known(unknown, undone)

    @cached_property
    def _with_bans(self) -> ContestOutcome:
        """The contest as it was, but ranked as by this version: an earlier one did it otherwise."""
        return self._play(self._out)

    def _play(self, bans: AbstractSet[str]) -> ContestOutcome:
        return play_with_bans(self._field, self._archive.history, bans, self._silent, self._open_runner)

    def _open_runner(self, digests: AbstractSet[str]) -> AbstractContextManager[Runner]:
        builds = {digest: self._archive.builds[digest] for digest in digests}
        return open_runner(builds, self._field.settings, self._field.seeds)

    def _known(self, unknown: UnknownGames, undone: AbstractSet[str]) -> str:
        """How far the recorded games tell what follows."""
        number, missing = unknown.plan.number, len(unknown.unknown)
        has_them = all(not undone.isdisjoint(players) for players in unknown.unknown)
        whose, where = (f" of {listed(sorted(undone))}", "") if has_them else ("", ", which would be another")
        if not self.is_computed:
            why = "programs that talk cannot be asked again"
        elif self._learns:
            why = "programs that play all games of a group in one life cannot be asked for single games"
        elif self._archive.counted:
            why = "their programs cannot be run here as they played"
        else:
            why = "their programs are not as they played, because an authentication string was blanked"
        sentences = [
            f"{plural(missing, 'game')}{whose} in round {number}{where} would be needed. The archive "
            f"does not have {form(missing, 'it', 'them')}, and {why}, so nobody can tell the ranking"
        ]
        if number > 1 and _tables(unknown.history) == _tables(self._archive.history[: number - 1]):
            before = "Round 1" if number == 2 else f"Rounds 1 to {number - 1}"
            sentences.append(f"{before} would be as in the archive")
        if others := unknown.games - missing:
            known = f"The other {plural(others, 'game')} of the round would be as in the archive"
            sentences.append(known + (", unless a program learned from another game" if self._learns else ""))
        return ". ".join(sentences)


def _tables(history: Sequence[RoundOutcome]) -> list[tuple[Standing, ...]]:
    return [group.standings for each in history for group in each.groups]


# --- two outcomes ------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Fate:
    """How far a team came. `rank`: None if it has none."""

    rank: int | None
    words: str

    @property
    def is_near(self) -> bool:
        return self.rank is not None and self.rank <= MAX_RANK


def changes(published: ContestOutcome, other: ContestOutcome, undone: AbstractSet[str]) -> str:
    """What the other outcome has different: its winners, the first ranks, the evolution. `undone`: the teams
    that were taken out and are not in the other one."""
    if _tables(published.history) == _tables(other.history) and published.evolution == other.evolution:
        return "nothing would change"
    before, after = _fates(published), _fates(other)
    old, new = _winners(before), _winners(after)
    parts = [f"{_names(new)} would be first instead of {_names(old)}"] if old != new else []
    named = set(new) if parts else set()
    moved = [name for name in after if after[name] != before[name] and name not in named]
    near = [name for name in moved if name in undone or before[name].is_near or after[name].is_near]
    parts += [
        f"{name} would be {after[name].words} instead of {before[name].words}"
        for name in sorted(near, key=lambda name: (after[name].rank or len(after) + 1, name))
    ]
    parts += _other_evolution(published.evolution, other.evolution)
    far = len(moved) - len(near)
    if not parts and not far:
        return "points would change, but no rank"
    rest = (
        f"further down {plural(far, 'team')} would stand elsewhere" if far else "no other rank would change"
    )
    return "; ".join([*parts, rest])


def _fates(outcome: ContestOutcome) -> Mapping[str, _Fate]:
    """Of each team. Who has no place in the ranking was out in a round before."""
    fates: dict[str, _Fate] = {}
    for each in outcome.history:
        for line in (line for group in each.groups for line in group.standings):
            # Who proceeds and is in no later round was taken out in between.
            is_out = line.taken_out or line.advances
            fates[line.entry] = _Fate(None, "taken out" if is_out else f"out in round {each.plan.number}")
    for line in outcome.ranking:
        words = line.fate or "without a rank" if line.rank is None else ordinal(line.rank)
        fates[line.entry] = _Fate(line.rank, words)
    return fates


def _winners(fates: Mapping[str, _Fate]) -> list[str]:
    return sorted(name for name, fate in fates.items() if fate.rank == 1)


def _names(names: Sequence[str]) -> str:
    return listed(names) if names else "nobody"


def _other_evolution(published: EvolutionOutcome | None, other: EvolutionOutcome | None) -> Iterator[str]:
    if published is None or other is None:
        if other is not None:
            yield f"there would be an evolution, won by {_names(_evolved(other)[0])}"
        elif published is not None:
            yield "there would be no evolution"
        return
    (old, before), (new, after) = _evolved(published), _evolved(other)
    if old != new:
        yield f"{_names(new)} would win the evolution instead of {_names(old)}"
    both = before.keys() & after.keys()
    if moved := sum(before[name] != after[name] for name in both - {*old, *new}):
        yield f"{plural(moved, 'more team', 'more teams')} would have another rank in the evolution"


def _evolved(outcome: EvolutionOutcome) -> tuple[list[str], Mapping[str, int | None]]:
    """Its winners, and the ranks."""
    ranks = {line.entry: line.rank for line in outcome.ranking}
    return sorted(name for name, rank in ranks.items() if rank == 1), ranks
