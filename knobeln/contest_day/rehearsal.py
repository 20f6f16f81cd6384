"""Rehearsal: the whole contest day, played in a copy of the contest. It sends nothing and changes nothing."""

from __future__ import annotations

import secrets
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click
from rich.progress import Progress

from contest.errors import NotNow
from contest.formats import format_named
from contest.model import Phase, RoundPlan, Team, TeamState
from contest.plurals import form
from contest.store import Store, Transaction, decisions, migrate, outbox, results, submissions, teams
from contest.store import contest_state as contest_store
from contest.store.copying import copy_contest
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.output import json_option, moment, print_json, table
from knobeln.contest_day.run import ProgressBars, contest_day, progress, work_off
from knobeln.context import ContestContext, contest_folder

MANY_BYTES = 1_000_000  # of mails to one team
NAMED_AT_MOST = 10  # teams, in a warning


@dataclass(frozen=True)
class Round:
    """A round of the rehearsal; `seconds` on this computer."""

    number: int
    final: bool
    groups: tuple[int, ...]  # their sizes
    games: int
    seconds: float


@dataclass(frozen=True)
class Mails:
    """The mails of one kind."""

    kind: str
    count: int
    size: int  # bytes


@dataclass(frozen=True)
class Rehearsal:
    """What would happen."""

    programs: int
    rounds: tuple[Round, ...]
    seconds: float
    mails: tuple[Mails, ...]
    warnings: tuple[str, ...]


@click.command(cls=ContestCommand)
@json_option
def rehearse(as_json: bool) -> None:
    """Play the whole contest day with the programs that there are, send nothing, and say what would happen.

    It is played in a copy, and with another contest seed: who will win is not to be known before.
    """
    folder = contest_folder()
    with folder.store.read() as tx:
        if contest_store.state(tx).phase is not Phase.OPEN:
            raise NotNow("the contest has started already; what is left cannot be rehearsed")
    with scratch_copy(folder) as copy:
        found = _play(copy, silent=as_json)
    if as_json:
        print_json(asdict(found))
    else:
        _show(found)


@contextmanager
def scratch_copy(folder: ContestContext) -> Iterator[ContestContext]:
    """The contest in another place, with another seed and not paused; it is gone with the context."""
    with tempfile.TemporaryDirectory(prefix="knobeln-rehearsal-") as name:
        path = Path(name)
        store = Store(f"sqlite:///{path / 'contest.db'}")
        try:
            migrate.upgrade(store)
            copy_contest(folder.store, store)
            with store.write() as tx:
                contest_store.reseed(tx, secrets.token_bytes(32))
                decisions.resume(tx)
            yield replace(folder, path=path, store=store)
        finally:
            store.close()


class _Watch(ProgressBars):
    """Looks at the clock with every round."""

    def __init__(self, shown: Progress) -> None:
        super().__init__(shown)
        self.drawn: list[float] = []

    def round_drawn(self, plan: RoundPlan) -> None:
        self.drawn.append(time.monotonic())
        super().round_drawn(plan)


def _play(folder: ContestContext, *, silent: bool) -> Rehearsal:
    with progress(quiet=silent) as shown:
        watch = _Watch(shown)
        work_off(folder)
        with folder.store.read() as tx:
            last = outbox.newest(tx)
            before = _before(folder, tx)
        start = time.monotonic()
        contest_day(folder, watch).run()
        ends = [*watch.drawn[1:], time.monotonic()]
    with folder.store.read() as tx:
        seconds = [end - begin for begin, end in zip(watch.drawn, ends, strict=True)]
        mails = outbox.volume(tx, last)
        entries = submissions.all_entries(tx)
        return Rehearsal(
            len(entries),
            _rounds(tx, seconds),
            round(ends[-1] - start, 1),
            _by_kind(mails),
            (*before, *_after(folder, tx, len(entries), _by_team(mails))),
        )


def _rounds(tx: Transaction, seconds: list[float]) -> tuple[Round, ...]:
    played = zip(results.all_rounds(tx), seconds, strict=True)
    return tuple(
        Round(
            plan.number,
            plan.final,
            tuple(len(group.members) for group in plan.groups),
            sum(pairing.games for group in plan.groups for pairing in group.pairings),
            round(spent, 1),
        )
        for (plan, _), spent in played
    )


def _by_kind(mails: Mapping[tuple[str, int | None], outbox.Volume]) -> tuple[Mails, ...]:
    counts, sizes = Counter[str](), Counter[str]()
    for (kind, _), (count, size) in mails.items():
        counts[kind] += count
        sizes[kind] += size
    return tuple(Mails(kind, counts[kind], sizes[kind]) for kind in sorted(counts))


def _by_team(mails: Mapping[tuple[str, int | None], outbox.Volume]) -> dict[int, int]:
    sizes = Counter[int]()
    for (_, team_id), (_, size) in mails.items():
        if team_id is not None:
            sizes[team_id] += size
    return dict(sizes)


# --- warnings ----------------------------------------------------------------------------------------------
def _before(folder: ContestContext, tx: Transaction) -> list[str]:
    """What should be seen to before the day begins."""
    dates, now, found = folder.settings.dates, folder.clock.now(), []
    if now < dates.compilation_closes:
        found.append(f"programs are taken until {moment(dates.compilation_closes)}: others may come")
    waiting = [team.name for team in teams.all_teams(tx) if team.state is TeamState.PENDING]
    if waiting:
        found.append(f"{_named(waiting)}: the registration waits for your word")
    troubles = outbox.troubles(tx)
    unreached = [team.name for team in teams.all_teams(tx) if team.id in troubles]
    if unreached:
        found.append(f"{_named(unreached)}: mails did not arrive, see `knobeln teams`")
    if decisions.reports_held(tx):
        found.append("the reports are held, and would wait for `knobeln release`")
    return found


def _after(folder: ContestContext, tx: Transaction, entries: int, sizes: dict[int, int]) -> list[str]:
    """What the day itself showed."""
    found = []
    tournament = folder.settings.tournament
    if format_named(tournament.format).has_groups and entries < tournament.group_min:
        found.append(
            f"only {entries} {form(entries, 'program takes', 'programs take')} part, fewer than the "
            f"{tournament.group_min} of a group: one smaller group plays"
        )
    every = teams.all_teams(tx)
    playing, out = submissions.participants(tx), decisions.all_bans(tx)
    idle = [t.name for t in every if t.name not in {*playing, *out} and t.state is TeamState.ACTIVE]
    if idle:
        found.append(f"{_named(idle)}: there is no program that was accepted, so they would not play")
    failed = _disqualified(tx)
    if failed:
        found.append(f"{_named(failed)}: the program failed twice in a round, and was disqualified")
    return [*found, *_megabytes(every, sizes)]


def _disqualified(tx: Transaction) -> list[str]:
    lines = (line for _, done in results.all_rounds(tx) for outcome in done for line in outcome.standings)
    return sorted({line.entry for line in lines if line.disqualified})


def _megabytes(every: tuple[Team, ...], sizes: dict[int, int]) -> Iterator[str]:
    for team in every:
        if sizes.get(team.id, 0) > MANY_BYTES:
            codes = ",".join(team.registration.preferences)
            yield f"{team.name} would get {_megabyte(sizes[team.id])} of mail, by its mail-preference {codes}"


def _named(names: list[str]) -> str:
    more = f" and {len(names) - NAMED_AT_MOST} more" if len(names) > NAMED_AT_MOST else ""
    return ", ".join(names[:NAMED_AT_MOST]) + more


# --- in words ----------------------------------------------------------------------------------------------
def _show(found: Rehearsal) -> None:
    rows = [
        (
            "final" if each.final else each.number,
            sum(each.groups),
            len(each.groups),
            _sizes(each.groups),
            each.games,
            f"{each.seconds:.1f}",
        )
        for each in found.rounds
    ]
    table(
        f"rehearsal: {found.programs} {form(found.programs, 'program')}, {found.seconds:.0f} seconds",
        ("#round", "#programs", "#groups", "of", "#games", "#seconds"),
        rows,
    )
    total = Mails("all", sum(m.count for m in found.mails), sum(m.size for m in found.mails))
    mails = [(m.kind, m.count, _megabyte(m.size)) for m in (*found.mails, total)]
    table("mails", ("kind", "#mails", "#size"), mails)
    for warning in found.warnings:
        click.echo(f"! {warning}")
    click.echo("Nothing was sent, nothing was changed.")


def _sizes(groups: tuple[int, ...]) -> str:
    least, most = min(groups), max(groups)
    return str(least) if least == most else f"{least} to {most}"


def _megabyte(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB" if size >= 100_000 else f"{size / 1_000:.1f} kB"
