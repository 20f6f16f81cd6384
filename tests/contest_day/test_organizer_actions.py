"""The organizer's levers, by the real commands, before, during and after a real contest day."""

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from sqlalchemy import update

from contest.config.load import FILE_NAME
from contest.config.settings import Settings, game_settings
from contest.errors import EngineFailed, Paused
from contest.interfaces.protocols import Runner
from contest.model import GameJob, GameResult, GroupOutcome, Phase, SeatResult, Standing, Verdict
from contest.schema.sections import Evolution
from knobeln.context import ContestContext
from knobeln.day.run_with_retries import MAX_TRIES, PAUSE, RetryingRun
from sandbox.program_folder import Needs, ProgramFolder
from store import contest_state, decisions, outbox, results, submissions, tables, teams
from store.results import Games
from tests.support import killed_at
from tests.support.clocks import FixedClock
from tests.support.command_line import knobeln_in
from tests.support.contest_days import dump, stumbling_day
from tests.support.contest_field import House, add_team, make_contest, settings
from tests.support.processes import start
from tests.support.servers import wait_for
from tournament.day import Spectator
from tournament.runners import open_runner

SMALL = settings(group_min=4, group_max=8, final_size=6)
PREFERENCES = ("GRR,RSM", "GRP,GRG", "LGP,RSM")
WHY = ("--reason", "because it is so")


def knobeln(folder: ContestContext, *words: object, code: int = 0) -> Result:
    return knobeln_in(folder.path, *words, code=code)


@pytest.fixture
def field(tmp_path: Path, house: House) -> Callable[..., ContestContext]:
    def made(name: str = "contest", count: int = 15, chosen: Settings = SMALL) -> ContestContext:
        return make_contest(tmp_path / name, count, house.first(8), chosen, PREFERENCES)

    return made


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, house: House) -> ContestContext:
    """A contest of `field` that was played undisturbed, and that no test changes."""
    path = tmp_path_factory.mktemp("whole") / "contest"
    return played(make_contest(path, 15, house.first(8), SMALL, PREFERENCES))


@pytest.fixture
def over(whole: ContestContext, tmp_path: Path) -> ContestContext:
    """The same to be changed."""
    copy = Path(shutil.copytree(whole.path, tmp_path / "contest"))
    return replace(ContestContext.open(copy), clock=whole.clock)


def played(
    folder: ContestContext, spectator: Spectator | None = None, *make_runner: Any
) -> ContestContext:
    stumbling_day(folder, spectator or Spectator(), *make_runner).run()
    return folder


def outcomes(folder: ContestContext) -> list[GroupOutcome]:
    with folder.store.read() as tx:
        return [outcome for each in results.all_rounds(tx, Games.ALL) for outcome in each.groups]


def line_of(outcome: GroupOutcome, name: str) -> Standing:
    return next(line for line in outcome.standings if line.entry == name)


def mails(folder: ContestContext, kind: str) -> list[str]:
    """Who got a mail of this kind, by the names of the teams."""
    with folder.store.read() as tx:
        listed = outbox.listing(tx, state=None, to=None, count=10_000)
    return [mail.to.partition("@")[0] for mail in listed if mail.kind == kind]


class After(Spectator):
    """Does something once, when so many groups have been finished."""

    def __init__(self, groups: int, do: Callable[[], object]) -> None:
        self.left, self.do = groups, do

    def group_finished(self, outcome: GroupOutcome) -> None:
        self.left -= 1
        if self.left == 0:
            self.do()


# --- pause ----------------------------------------------------------------------------------------
def test_a_paused_contest_rests_and_goes_on_as_if_nothing_had_been(
    field: Callable[..., ContestContext], whole: ContestContext
) -> None:
    broken = field("broken")
    with pytest.raises(Paused, match="because it is so"):
        played(broken, After(1, lambda: knobeln(broken, "run", "pause", *WHY)))
    before = outcomes(broken)
    assert 0 < len(before) < len(outcomes(whole))
    assert "`knobeln run resume` lets it go on" in knobeln(broken, "status").output
    with pytest.raises(Paused):
        played(broken)
    assert outcomes(broken) == before
    knobeln(broken, "run", "resume")
    played(broken)
    assert outcomes(broken) == outcomes(whole)
    assert mail_keys(broken) == mail_keys(whole)


def mail_keys(folder: ContestContext) -> set[tuple[str, str, str]]:
    with folder.store.read() as tx:
        listed = outbox.listing(tx, state=None, to=None, count=10_000)
    return {(mail.kind, mail.to, mail.subject) for mail in listed}


def test_a_contest_that_is_paused_does_not_start(field: Callable[..., ContestContext]) -> None:
    folder = field()
    knobeln(folder, "run", "pause", *WHY)
    output = knobeln(folder, "run", "--now", "--no-wait", code=75).output
    assert "goes on after `knobeln run resume`" in output
    with folder.store.read() as tx:
        assert contest_state.state(tx).phase is Phase.OPEN
    assert "paused already" in knobeln(folder, "run", "pause", *WHY, code=1).output


@pytest.mark.slow
def test_a_run_in_another_process_waits_while_the_contest_is_paused(
    field: Callable[..., ContestContext],
) -> None:
    folder = field()
    knobeln(folder, "run", "pause", *WHY)
    log = folder.path.parent / "log"
    process = start([sys.executable, "-m", "knobeln", "run", "--now", "-C", str(folder.path)], log)
    try:
        wait_for(lambda: "is paused since" in log.read_text())
        assert process.poll() is None
        knobeln(folder, "run", "resume", *WHY)
        wait_for(lambda: process.poll() is not None)
        assert process.poll() == 0, log.read_text()
    finally:
        process.terminate()
    with folder.store.read() as tx:
        assert contest_state.state(tx).phase is Phase.FINISHED


# --- disqualified, dropped, reinstated ------------------------------------------------------------
def test_a_team_that_is_out_before_the_start_takes_no_part(
    field: Callable[..., ContestContext],
) -> None:
    folder = field()
    knobeln(folder, "teams", "drop", "team_0003", *WHY)
    assert mails(folder, "dropped") == ["team_0003"]
    assert (
        "dropped already"
        in knobeln(folder, "teams", "disqualify", "team_0003", *WHY, code=1).output
    )
    listed = {
        team["name"]: team["state"]
        for team in json.loads(knobeln(folder, "teams", "--json").stdout)
    }
    assert listed["team_0003"] == "dropped"
    played(folder)
    with folder.store.read() as tx:
        assert len(submissions.participants(tx)) == 14
        assert "team_0003" not in submissions.participants(tx)
    assert mails(folder, "no program") == []


@pytest.mark.slow
def test_a_team_that_is_reinstated_before_the_start_takes_part(
    field: Callable[..., ContestContext], whole: ContestContext
) -> None:
    folder = field()
    knobeln(folder, "teams", "disqualify", "team_0003", *WHY)
    knobeln(folder, "teams", "reinstate", "team_0003", *WHY)
    assert outcomes(played(folder)) == outcomes(whole)


def test_a_team_that_is_disqualified_while_its_group_is_played_has_no_game_in_it(
    field: Callable[..., ContestContext],
) -> None:
    folder = field()
    victims: list[str] = []

    @contextmanager
    def meanwhile(*arguments: Any) -> Iterator[Runner]:
        if not victims:  # the first group has been started, and is about to be played
            with folder.store.read() as tx:
                victims.append(results.drawn_round(tx, 1).plan.groups[0].members[0])
            knobeln(folder, "teams", "disqualify", victims[0], *WHY)
        with open_runner(*arguments) as runner:
            yield runner

    played(folder, None, meanwhile)
    (name,) = victims
    first = outcomes(folder)[0]
    assert line_of(first, name) == Standing(name, 0, None, 0, True, False)
    assert not any(name in match.players for match in first.matches)
    assert len({line.rank for line in first.standings if line.rank}) > 1
    assert not any(
        name in outcome.plan.members for outcome in outcomes(folder)[1:] if outcome.plan.round > 1
    )
    assert f"{name} was taken out of the contest" in " ".join(body_of(folder, "GRG").split())
    for told in (*map(body_of, [folder] * 2, ("GRG", "GRR")), knobeln(folder, "results").output):
        assert not re.search(rf"\b{name}\b.*disqualified", told)


def body_of(folder: ContestContext, kind: str) -> str:
    """All mails of this kind."""
    with folder.store.read() as tx:
        listed = outbox.listing(tx, state=None, to=None, count=10_000)
        found = [outbox.get(tx, mail.id) for mail in listed if mail.kind == kind]
    return "\n".join(item.raw.decode() for item in found if item)


@pytest.mark.slow
def test_who_is_disqualified_after_a_group_keeps_its_table_but_does_not_proceed(
    field: Callable[..., ContestContext], whole: ContestContext
) -> None:
    folder, winner = field(), outcomes(whole)[0]
    best = winner.standings[0].entry
    played(folder, After(2, lambda: knobeln(folder, "teams", "disqualify", best, *WHY)))
    found = outcomes(folder)
    assert line_of(found[0], best) == winner.standings[0]
    assert line_of(found[0], best).advances
    assert not any(best in outcome.plan.members for outcome in found if outcome.plan.round > 1)


@pytest.mark.slow
def test_in_a_knock_out_the_other_one_goes_on(field: Callable[..., ContestContext]) -> None:
    chosen = settings(format="double-elimination")
    chosen = chosen.model_copy(update={"evolution": Evolution(enabled=False)})
    whole, folder = played(field("whole", 6, chosen)), field("other", 6, chosen)
    champion = outcomes(whole)[-1].standings[0].entry
    played(folder, After(3, lambda: knobeln(folder, "teams", "drop", champion, *WHY)))
    found = outcomes(folder)
    assert found[-1].standings[0].entry != champion
    lost = [o for o in found if champion in o.plan.members and line_of(o, champion).disqualified]
    assert len(lost) == 1
    assert lost[0].matches == ()
    assert lost[0].standings[0].advances


def test_nobody_is_taken_out_when_the_results_are_out(field: Callable[..., ContestContext]) -> None:
    folder = field(count=7)
    knobeln(folder, "mail", "hold", *WHY)
    played(folder)
    knobeln(folder, "mail", "release")
    before = dump(folder)
    refused = " ".join(knobeln(folder, "teams", "drop", "team_0001", *WHY, code=1).output.split())
    assert (
        "results are out; if they cannot stand: `knobeln run rerun ROUND`, this command again"
        in refused
    )
    assert dump(folder) == before


def test_while_the_reports_are_held_a_team_can_be_taken_out_after_the_last_game(
    field: Callable[..., ContestContext],
) -> None:
    folder = field()
    knobeln(folder, "mail", "hold", *WHY)
    played(folder)
    before = outcomes(folder)
    done = knobeln(folder, "teams", "disqualify", before[-1].standings[0].entry, *WHY).output
    assert "The results stay as they are, unless you say `knobeln run rerun ROUND`" in " ".join(
        done.split()
    )
    assert "Their results stay as they are" in " ".join(body_of(folder, "disqualified").split())
    assert outcomes(folder) == before


# --- played again ---------------------------------------------------------------------------------
def test_a_group_that_is_played_again_comes_out_the_same_if_nothing_has_changed(
    over: ContestContext,
) -> None:
    folder = over
    before, sent = outcomes(folder), len(mails(folder, "GRG"))
    knobeln(folder, "run", "rerun", 1, 2, *WHY)
    with folder.store.read() as tx:
        assert contest_state.state(tx).phase is Phase.RUNNING
        assert [each.plan.number for each in results.all_rounds(tx)] == [1]
        assert results.get_evolution(tx) is None
        members = {
            name for group in results.drawn_round(tx, 1).plan.groups for name in group.members
        }
    assert sorted(mails(folder, "played_again")) == sorted(members)
    played(folder)
    assert outcomes(folder) == before
    again = len([o for o in before if o.plan.round > 1]) + 1
    assert sent < len(mails(folder, "GRG")) <= 2 * sent
    with folder.store.read() as tx:
        (former,) = results.former_outcomes(tx)
    assert (len(former.groups), former.rerun.reason) == (again, "because it is so")


def test_a_round_is_played_again_without_who_was_disqualified_since(over: ContestContext) -> None:
    folder = over
    before = outcomes(folder)
    winner = before[-1].standings[0].entry
    knobeln(folder, "run", "rerun", before[-1].plan.round, *WHY)
    knobeln(folder, "teams", "disqualify", winner, *WHY)
    after = outcomes(played(folder))
    assert after[:-1] == before[:-1]
    assert winner not in {line.entry for line in after[-1].standings}
    with folder.store.read() as tx:
        assert [group for former in results.former_outcomes(tx) for group in former.groups] == [
            before[-1]
        ]


@pytest.mark.slow
def test_reports_that_were_held_when_their_round_is_played_again_never_go_out(
    field: Callable[..., ContestContext], whole: ContestContext
) -> None:
    folder = field()
    knobeln(folder, "mail", "hold", *WHY)
    played(folder)
    knobeln(folder, "run", "rerun", 1, 1, *WHY)
    played(folder)
    knobeln(folder, "mail", "release")
    for kind in ("GRG", "RSM"):
        assert sorted(mails(folder, kind)) == sorted(mails(whole, kind))


@pytest.mark.slow
def test_a_group_that_is_being_played_when_its_round_is_ordered_again_is_not_kept(
    field: Callable[..., ContestContext], whole: ContestContext
) -> None:
    folder = field()
    ordered: list[str] = []

    @contextmanager
    def meanwhile(*arguments: Any) -> Iterator[Runner]:
        with folder.store.read() as tx:
            second = [each.plan for each in results.all_rounds(tx) if each.plan.number == 2]
        if second and not ordered:
            ordered.append(knobeln(folder, "run", "rerun", 1, 1, *WHY).output)
        with open_runner(*arguments) as runner:
            yield runner

    played(folder, None, meanwhile)
    assert ordered
    assert outcomes(folder) == outcomes(whole)
    assert len(mails(folder, "RSM")) == len(mails(whole, "RSM")) + len(set(mails(folder, "RSM")))


def test_what_is_not_there_cannot_be_played_again(
    field: Callable[..., ContestContext], over: ContestContext
) -> None:
    assert "has not started" in knobeln(field("other"), "run", "rerun", 1, *WHY, code=1).output
    folder = over
    assert "there is no round 9" in knobeln(folder, "run", "rerun", 9, *WHY, code=1).output
    assert "there is no group 9" in knobeln(folder, "run", "rerun", 1, 9, *WHY, code=1).output


# --- failures of ours -----------------------------------------------------------------------------
@pytest.mark.slow
def test_after_repeated_failures_of_ours_the_run_pauses_and_goes_on_later(
    field: Callable[..., ContestContext], whole: ContestContext
) -> None:
    folder = field()
    clock = FixedClock(folder.clock.now())
    folder = replace(folder, clock=clock)
    broken = [True]

    class Broken:
        def __call__(self, jobs: object) -> list[Any]:
            raise EngineFailed("the engine does not answer")

    @contextmanager
    def runner(*arguments: Any) -> Iterator[Runner]:
        if broken[0]:
            yield Broken()
        else:
            with open_runner(*arguments) as real:
                yield real

    day = stumbling_day(folder, Spectator(), runner)
    run = RetryingRun(folder)
    with pytest.raises(Paused, match="knobeln doctor"):
        run.play(day)
    assert (
        knobeln(folder, "log", "--what", "failure", "--json").stdout.count("does not answer")
        == MAX_TRIES
    )
    assert "goes on by itself at" in " ".join(knobeln(folder, "status").output.split())
    broken[0] = False
    with pytest.raises(Paused):
        run.play(day)
    clock.at += PAUSE + timedelta(seconds=1)
    run.play(day)
    assert outcomes(folder) == outcomes(whole)
    with folder.store.read() as tx:
        assert decisions.paused(tx) is None


# --- reports --------------------------------------------------------------------------------------
@pytest.mark.slow
def test_held_reports_wait_and_other_mails_do_not(field: Callable[..., ContestContext]) -> None:
    folder = field()
    knobeln(folder, "mail", "hold", *WHY)
    played(folder)
    knobeln(folder, "teams", "disqualify", "team_0001", *WHY)
    assert states(folder) == {"held", "ready"}
    held = json.loads(knobeln(folder, "mail", "--state", "ready", "--json").stdout)
    assert [mail["kind"] for mail in held] == ["disqualified"]
    assert "the reports of the contest day are held" in knobeln(folder, "status").output
    knobeln(folder, "mail", "release")
    assert states(folder) == {"ready"}
    assert "no reports are held" in knobeln(folder, "mail", "release", code=1).output
    knobeln(folder, "mail", "hold", *WHY)
    knobeln(folder, "mail", "release", "--all")
    assert (
        "Nothing was held; future reports go out as usual."
        in knobeln(folder, "mail", "release").output
    )


def states(folder: ContestContext) -> set[str]:
    rows = json.loads(knobeln(folder, "mail", "--count", 10_000, "--json").stdout)
    return {row["state"] for row in rows}


# --- dates ----------------------------------------------------------------------------------------
MOVE_START = ("dates", "move", "contest_starts=1994-05-15T12:00", *WHY)


def test_moved_dates_count_at_once_and_all_registered_teams_are_told(
    field: Callable[..., ContestContext],
) -> None:
    folder = field(count=3)
    knobeln(folder, "teams", "disqualify", "team_0001", *WHY)
    knobeln(folder, *MOVE_START)
    assert mails(folder, "dates_moved") == ["team_0002", "team_0003"]
    body = body_of(folder, "dates_moved")
    assert "was  1994-05-14 12:00 UT\r\n    now  1994-05-15 12:00 UT" in body
    assert "the contest starts        1994-05-15 12:00 UT" in body
    assert folder.current().settings.dates.contest_starts.day == 15
    assert "1994-05-15 12:00 UT\t1994-05-14 12:00 UT" in knobeln(folder, "dates").output
    assert "so already" in knobeln(folder, *MOVE_START, code=1).output


def test_a_date_that_is_changed_in_the_file_later_counts_as_it_is_there(
    field: Callable[..., ContestContext],
) -> None:
    folder = field(count=1)
    knobeln(folder, "dates", "move", "results_published=1994-06-01T12:00", *WHY)
    file = folder.path / FILE_NAME
    file.write_text(file.read_text().replace("1994-05-21T12:00:00Z", "1994-05-28T12:00:00Z"))
    assert ContestContext.open(folder.path).settings.dates.results_published.day == 28


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ("contest_starts=1994-06-15T12:00", "contest_starts is after results_published"),
        (
            "the_start=1994-06-15T12:00",
            "there is no date 'the_start'; did you mean contest_starts?",
        ),
        ("contest_starts=tomorrow", "'tomorrow' is not a time; write it like 1994-05-15T12:00"),
    ],
)
def test_a_date_that_cannot_be_is_refused(
    field: Callable[..., ContestContext], change: str, answer: str
) -> None:
    folder = field(count=1)
    before = dump(folder)
    assert answer in knobeln(folder, "dates", "move", change, *WHY, code=1).output
    assert dump(folder) == before


def test_when_the_contest_has_started_only_the_publication_can_be_moved(
    field: Callable[..., ContestContext],
) -> None:
    folder = field(count=15)
    with pytest.raises(Paused):
        played(folder, After(1, lambda: knobeln(folder, "run", "pause", *WHY)))
    assert "has started" in knobeln(folder, *MOVE_START, code=1).output
    knobeln(folder, "dates", "move", "results_published=1994-06-15T12:00", *WHY)


# --- a late program -------------------------------------------------------------------------------
def test_a_program_is_put_in_by_hand_after_programs_are_closed(
    field: Callable[..., ContestContext], tmp_path: Path
) -> None:
    folder = field(count=1)
    with folder.store.write() as tx:
        add_team(tx, "the_late_ones", "")
    program = tmp_path / "late.c"
    description = "\n".join(f"line {number} of the description" for number in range(16))
    program.write_text(
        f"#if 0\n{description}\n#endif\nmain () {{ for (;;) make_throw(next_random(101, 105)); }}\n"
    )
    output = knobeln(folder, "programs", "submit", "the_late_ones", program, *WHY).output
    assert "version 1 of the_late_ones" in output
    assert mails(folder, "put_in") == ["the_late_ones"]
    assert mails(folder, "compile report") == ["the_late_ones"]
    assert json.loads(knobeln(folder, "programs", "--team", "the_late_ones", "--json").stdout)
    knobeln(folder, "teams", "drop", "the_late_ones", *WHY)
    assert (
        "dropped"
        in knobeln(folder, "programs", "submit", "the_late_ones", program, *WHY, code=1).output
    )
    played(folder)
    assert (
        "frozen"
        in knobeln(folder, "programs", "submit", "the_late_ones", program, *WHY, code=1).output
    )


# --- dry runs, the log, rehearsal -----------------------------------------------------------------
def test_a_dry_run_changes_nothing(field: Callable[..., ContestContext]) -> None:
    folder = field(count=7)
    with pytest.raises(Paused):
        played(folder, After(1, lambda: knobeln(folder, "run", "pause", *WHY)))
    before = dump(folder)
    for words in (
        ("teams", "disqualify", "team_0002", *WHY),
        ("run", "rerun", 1, *WHY),
        ("dates", "move", "results_published=1994-06-15T12:00", *WHY),
    ):
        assert "This was a dry run" in knobeln(folder, *words, "--dry-run").output
        assert dump(folder) == before


def test_the_log_says_who_did_what_to_whom_when_and_why(
    field: Callable[..., ContestContext],
) -> None:
    folder = field(count=5)
    knobeln(folder, "teams", "drop", "team_0002", "--reason", "They are on holiday.")
    played(folder)
    lines = json.loads(knobeln(folder, "log", "--json").stdout)
    (dropped,) = (line for line in lines if line["actor"])
    assert (dropped["area"], dropped["whom"], dropped["reason"]) == (
        "drop",
        "team_0002",
        "They are on holiday.",
    )
    assert dropped["actor"].startswith("command line")
    run = json.loads(knobeln(folder, "log", "--what", "run", "--json").stdout)
    assert [line["text"] for line in run] == [
        "the contest started with 4 programs",
        "round 1 was drawn: 1 group",
        "the contest is finished",
    ]
    assert "on holiday" in knobeln(folder, "log", "--whom", "team_0002").output


def test_a_rehearsal_says_what_would_happen_and_changes_nothing(
    field: Callable[..., ContestContext],
) -> None:
    folder = field(count=7, chosen=settings())
    with folder.store.write() as tx:
        add_team(tx, "the_dreamers", "RSM")
    before = dump(folder)
    files = sorted(path.name for path in folder.path.iterdir())
    output = knobeln(folder, "run", "rehearse").output
    assert dump(folder) == before
    assert sorted(path.name for path in folder.path.iterdir()) == files
    assert "rehearsal: 7 programs" in output
    assert "\nfinal\t7\t1\t7\t28\t" in output
    assert "only 7 programs take part, fewer than the 20 of a group" in output
    assert "the_dreamers: there is no accepted program" in output
    played(folder)
    assert "has started already" in knobeln(folder, "run", "rehearse", code=1).output


# --- a game of all --------------------------------------------------------------------------------
class Places:
    """The games of a melee, whose seats are worth more the further behind they are."""

    def __call__(self, jobs: Sequence[GameJob]) -> list[GameResult]:
        return [
            GameResult(tuple(map(self._seat, range(len(job.names)))), 9, "0" * 16) for job in jobs
        ]

    def _seat(self, place: int) -> SeatResult:
        return SeatResult(place, Verdict.OK, None, last_turn=9)


def test_who_is_out_is_not_in_the_one_game_of_all(field: Callable[..., ContestContext]) -> None:
    chosen = settings(format="melee").model_copy(
        update={"game": game_settings({"name": "standoff"}), "evolution": Evolution(enabled=False)}
    )
    folder = field(count=5, chosen=chosen)
    bundle = ProgramFolder(
        "shell", "bot.sh", {"bot.sh": b"echo 1"}, ("sh", "bot.sh"), Needs(8_000_000)
    )
    with folder.store.write() as tx:  # programs of this game are no images of the machine
        tx.execute(update(tables.images).values(image=bundle.to_bytes()))
    fallen: list[str] = []

    @contextmanager
    def meanwhile(*arguments: Any) -> Iterator[Runner]:
        if not fallen:
            fallen.append("team_0002")
            knobeln(folder, "teams", "drop", "team_0002", *WHY)
        yield Places()

    played(folder, None, meanwhile)
    (outcome,) = outcomes(folder)
    (match,) = outcome.matches
    assert sorted(match.players) == ["team_0001", "team_0003", "team_0004", "team_0005"]
    assert line_of(outcome, "team_0002").disqualified
    knobeln(folder, "teams", "reinstate", "team_0002", *WHY)
    knobeln(folder, "run", "rerun", 1, 1, *WHY)
    played(folder, None, meanwhile)
    (outcome,) = outcomes(folder)
    assert len(outcome.matches[0].players) == 5
    assert not line_of(outcome, "team_0002").disqualified


# --- the organizer's own words --------------------------------------------------------------------
WORDS = "Dear teams,\n\n  the cafeteria is open.\n"
TELL = ("teams", "tell", "--subject", "Lunch")


def test_the_organizers_own_words_reach_each_of_these_teams_once(
    field: Callable[..., ContestContext],
) -> None:
    folder = field()
    with folder.store.write() as tx:
        add_team(tx, "late", "")
        add_team(tx, "gone", "")
    knobeln(folder, "teams", "drop", "gone", *WHY)
    words = folder.path.parent / "words.txt"
    words.write_text(WORDS)
    shown = knobeln(folder, *TELL, words, "--without-program", "--dry-run").stdout
    assert "Subject: International KNOBELN contest: Lunch" in shown
    assert "\n  the cafeteria is open.\n" in shown
    assert "To: late@" in shown
    assert "To: team" not in shown
    assert mails(folder, "organizer_words") == []
    assert "1 team is told." in knobeln(folder, *TELL, words, "--without-program").output
    assert mails(folder, "organizer_words") == ["late"]
    assert "15 teams are told." in knobeln(folder, *TELL, words).output
    assert sorted(mails(folder, "organizer_words")) == [
        "late",
        *sorted(t for t in participants(folder)),
    ]
    assert "change a word" in knobeln(folder, *TELL, words, code=1).output
    assert "there is no round 1" in knobeln(folder, *TELL, words, "--round", 1, code=1).output
    lines = json.loads(knobeln(folder, "log", "--what", "tell", "--json").stdout)
    assert [line["whom"] for line in lines] == [
        "the teams that have no accepted program",
        "all registered teams",
    ]
    words.write_text(" \n")
    assert "is empty" in knobeln(folder, *TELL, words, code=1).output


def participants(folder: ContestContext) -> list[str]:
    with folder.store.read() as tx:
        return [t.name for t in teams.present(tx) if submissions.latest_good(tx, t.id)]


@pytest.mark.slow
@pytest.mark.parametrize("step", killed_at.TELL_STEPS)
def test_words_to_the_teams_that_were_killed_in_the_middle_reach_each_team_once(
    field: Callable[..., ContestContext], tmp_path: Path, step: str
) -> None:
    folder = field()
    words = tmp_path / "words.txt"
    words.write_text(WORDS)
    tell = [*TELL, str(words), "-C", str(folder.path)]
    command = [sys.executable, killed_at.__file__, step, str(tmp_path / "mark"), *tell]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    subprocess.run(command, check=False)
    assert sorted(mails(folder, "organizer_words")) == sorted(participants(folder))
