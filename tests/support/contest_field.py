"""A contest folder full of teams, put straight into the store: for tests and measurements.

The programs are the house strategies, really compiled; only the mails that would bring them are
left out.
"""

import os
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from pathlib import Path

from sqlalchemy import update

from compiler.build import BuildResult, build
from compiler.toolchain import Toolchain
from contest.config.settings import Settings, game_settings
from contest.config.template import usual_dates
from contest.ledger.receipts import Effect, LedgerEntry, program_digest
from contest.model import LetterState, Member, Registration, Submission, Team, TeamState
from contest.schema.sections import Mail, Programs, Tournament
from knobellib.samples import house_strategies
from knobeln.context import ContestContext, create_contest
from store import Transaction, ledger, letters, submissions, teams
from store.tables import contest
from tests.support.clocks import FixedClock
from tests.support.mail_world import BELIEVED

NOW = datetime(1994, 5, 14, 12, tzinfo=UTC)
SEED = bytes(range(32))
SECRET = bytes(32)
PREFERENCES = (
    "LAP,DGP,GRG,RSM",
    "RSM",
    "LGP,GRP,GRR",
    "GRR",
    "DGP,GRP,GRR,RSM",
    "",
    "GRP,RSM",
    "GRG,GRR",
)


class House(Mapping[str, BuildResult]):
    """The house strategies by name, each compiled when it is first asked for."""

    def __init__(self, kept: Path) -> None:
        """`kept`: a folder of builds, which other test processes may share."""
        self._kept = kept
        self._sources = {strategy.name: strategy.source for strategy in house_strategies()}
        self._built: dict[str, BuildResult] = {}

    def __getitem__(self, name: str) -> BuildResult:
        if name not in self._built:
            file = self._kept / name
            if not file.exists():
                part = self._kept / f"{name}.{os.getpid()}"
                part.write_bytes(pickle.dumps(build(self._sources[name], Programs(), Toolchain())))
                part.rename(file)
            self._built[name] = pickle.loads(file.read_bytes())  # noqa: S301
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)

    def first(self, count: int) -> Mapping[str, BuildResult]:
        return dict(islice(self.items(), count))


def settings(*, workers: int = 2, **tournament: object) -> Settings:
    dates = usual_dates(NOW - timedelta(days=53))
    return Settings(
        dates=dates,
        tournament=Tournament.model_validate({"workers": workers, **tournament}),
        mail=Mail(listen="127.0.0.1:0"),
        registration=BELIEVED,
    )


def short_games(**tournament: object) -> Settings:
    """`settings` for games of 40 throws, and one worker."""
    return settings(**{"workers": 1, **tournament}).model_copy(
        update={"game": game_settings({"L": 40})}
    )


def make_contest(
    path: Path,
    count: int,
    programs: Mapping[str, BuildResult],
    chosen: Settings,
    preferences: Sequence[str] = PREFERENCES,
) -> ContestContext:
    """A contest of `count` teams with these programs in turn; seed, secret and times are always the
    same."""
    clock = FixedClock(NOW)
    folder = replace(create_contest(path, chosen, seed=SEED, clock=clock), clock=clock)
    with folder.store.write() as tx:
        tx.execute(update(contest).values(secret=SECRET))
    add_field(folder, count, programs, preferences)
    return folder


def add_field(
    folder: ContestContext,
    count: int,
    programs: Mapping[str, BuildResult],
    preferences: Sequence[str] = PREFERENCES,
) -> None:
    """`count` teams, whose programs are these in turn."""
    with folder.store.write() as tx:
        for number, (name, codes) in enumerate(
            zip(cycle(programs), cycle(preferences), strict=False), start=1
        ):
            if number > count:
                break
            team = f"team_{number:04}"
            add_team_with_program(tx, team, codes, programs[name], team.encode())


def add_team_with_program(
    tx: Transaction,
    name: str,
    codes: str,
    built: BuildResult,
    source: bytes,
    file: str = "program.c",
) -> None:
    """A team with these mail preferences, whose letter brought this source."""
    files = {file: source}
    letter_id = letters.add(
        tx, raw=name.encode(), sender="", recipients=(), channel="test", now=NOW
    )
    letters.finish(tx, letter_id, LetterState.HANDLED, "", None)
    submission = submissions.add(tx, add_team(tx, name, codes).id, letter_id, files, NOW)
    image = built.image.to_bytes() if built.image else None
    submissions.add_build(tx, submission.id, built.report, image, NOW)
    record_program(tx, submission, files)


def record_program(tx: Transaction, submission: Submission, published: Mapping[str, bytes]) -> None:
    """Append to the ledger that the submission was accepted; `published`: its files for
    everybody."""
    team, letter = (
        teams.get(tx, submission.team_id).name,
        letters.digest_of(tx, submission.letter_id),
    )
    effect, program = Effect.PROGRAM_ACCEPTED, program_digest(published)
    ledger.append(tx, LedgerEntry(effect, team, submission.received_at, letter, program))


def add_team(tx: Transaction, name: str, codes: str) -> Team:
    """A team with these mail preferences and no program."""
    registration = Registration(
        address=f"{name}@teams.example",
        preferences=tuple(code for code in codes.split(",") if code),
        team_name=name,
        organization="Society for the Measurement of Contests, Intellect City, Eggland",
        members=(Member("Player One", 30, "programmer", "knows C since the first edition"),),
    )
    return teams.add(
        tx,
        registration,
        requested_name=name,
        state=TeamState.ACTIVE,
        auth_digest=name,
        letter_id=None,
        now=NOW,
    )
