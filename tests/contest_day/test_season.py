"""A season: several tournaments one after the other, by their dates alone."""

import csv
import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from contest.ledger.receipts import Effect
from contest.model import BanKind
from contest.schema.sections import Season
from contest.subprocesses.child_process import own_command, run
from knobeln.cli import main
from knobeln.context import ContestContext
from knobeln.season import go_on, order_run_if_due
from store import decisions, submissions
from tests.support.archives import DRAW_BELIEVED, HOUSE, knobeln
from tests.support.check_page import page_on
from tests.support.drand_network import drand_server, stand_in, stand_in_chain
from tests.support.knobeln_server import maildir
from tests.support.mail_world import START, flat
from tests.support.mailed_contest import (
    CLOSES,
    DARK,
    HEAVY,
    KNOWN,
    LIGHT,
    LOST,
    PROGRAMS,
    MailedContest,
    small_settings,
)
from tests.support.organizer import organizer_acts
from tests.support.organizers import Forgery
from tests.support.season_server import PATIENCE, SeasonServer, master
from trust.archive import contents, files

DAYS = timedelta(days=14)
PUBLISHED = START + timedelta(days=7)
NEW = "the_new_lords_of_knobeln"


def goes_on(mailed: MailedContest) -> bool:
    with mailed.opened() as contest:
        went_on = go_on(contest)
    mailed.bring_mails()
    return went_on


def play(mailed: MailedContest, number: int) -> None:
    """Play a tournament from its last program to its results."""
    later = (number - 1) * DAYS
    mailed.clock.at = CLOSES + later + timedelta(minutes=5)
    mailed.tell_first_list()
    mailed.clock.at = START + later
    mailed.start()
    mailed.clock.at = KNOWN + later
    mailed.play()
    assert not goes_on(mailed)
    mailed.clock.at = PUBLISHED + later
    assert goes_on(mailed)
    assert not goes_on(mailed)


def later(mailed: MailedContest) -> MailedContest:
    mailed.clock.at += timedelta(minutes=1)
    return mailed


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> MailedContest:
    """Of two tournaments: LIGHT is disqualified in the first, DARK sends a better program, NEW is
    new.

    LOST has no program."""
    chosen = small_settings(final_size=2).model_copy(
        update={"season": Season(tournaments=2, days=14)}
    )
    mailed = MailedContest.create(tmp_path_factory.mktemp("season"), chosen)
    mailed.take_part(PROGRAMS)
    later(mailed).register(LOST)
    reason = "two teams, one author"
    with mailed.opened() as contest:
        organizer_acts(
            contest, lambda organizer: organizer.take_out(LIGHT, BanKind.DISQUALIFIED, reason)
        )
    play(mailed, 1)
    knobeln("site", between(mailed), "-C", mailed.folder)
    later(mailed).register(NEW)
    later(mailed).send_program(NEW, "log_dice")
    later(mailed).send_program(DARK, "log_dice")
    play(mailed, 2)
    return mailed


def between(mailed: MailedContest) -> Path:
    """The pages as they were before the second tournament."""
    return mailed.folder.with_name("between")


def of_kind(mailed: MailedContest, team: str, kind: str) -> list[str]:
    return [flat(mail) for mail in mailed.mails(team, kind)]


def test_mails_of_a_tournament_name_it_and_end_no_contest(season: MailedContest) -> None:
    mails = [mail for kind in ("RSM", "GRR", "LGP") for mail in season.mails(HEAVY, kind)]
    named = {str(mail["Subject"]).partition(":")[0] for mail in mails}
    assert named == {"Tournament 1", "Tournament 2"}
    assert not any(re.search("contest (is over|starts|has been)", flat(mail)) for mail in mails)


def test_every_team_is_told_what_happened_to_it_and_what_it_can_do(season: MailedContest) -> None:
    until = "1994-05-28 10:00 UT"
    (dark,), (light,), (lost,) = (
        of_kind(season, team, "tournament") for team in (DARK, LIGHT, LOST)
    )
    # its game is short, so chance decides who wins it
    assert re.search(f"Tournament 1 is over, and your team {DARK} has place [12] of 2\\.", dark)
    assert (
        f"version 1 of your program plays again, unless you send a better one until {until}" in dark
    )
    assert "with the subject `please compile`" in dark
    assert (
        f"Tournament 1 is over; your team {LIGHT} took no part in it. In tournament 2 version 1"
        in light
    )
    assert f"To take part in tournament 2, send one until {until}." in lost
    assert of_kind(season, NEW, "tournament") == []
    # two in each tournament
    assert all(len(of_kind(season, team, "entries")) == 4 for team in (HEAVY, LOST))


def test_the_disqualified_play_again_and_the_new_team_and_version_play(
    season: MailedContest,
) -> None:
    with season.opened() as contest:
        first, second = (_builds(contest, number) for number in (1, 2))
    assert first.keys() == {HEAVY, DARK}
    assert second.keys() == {HEAVY, LIGHT, DARK, NEW}
    assert second[HEAVY] == first[HEAVY]
    assert second[DARK] == second[LIGHT] == second[NEW] != first[DARK]


def _builds(contest: ContestContext, number: int) -> dict[str, str]:
    with contest.store.of_tournament(number).read() as tx:
        return {entry.name: entry.image_digest for entry in submissions.all_entries(tx)}


def test_the_table_of_the_season(season: MailedContest) -> None:
    table = json.loads(knobeln("results", "season", "--json", "-C", season.folder).stdout)
    assert (table["tournaments"], table["versions"], table["games"]) == (2, 3, 3)
    lines = {line["team"]: line for line in table["lines"]}
    assert {lines[DARK]["places"][0], lines[HEAVY]["places"][0]} == {1, 2}
    assert lines[LIGHT]["places"][0] is None
    places = [line["places"][1] for line in lines.values()]
    for line in lines.values():
        behind = sum(place > line["places"][1] for place in places)
        assert line["points"] == behind + (line["places"][0] == 1)
    heavy, light, dark = (lines[team]["strengths"] for team in (HEAVY, LIGHT, DARK))
    assert heavy[0] == heavy[1]
    assert dark[1] == light[1]
    assert lines[DARK]["gain"] == pytest.approx(dark[1] - dark[0])
    (mail,) = of_kind(season, DARK, "season")
    assert f"your team {DARK} has place {lines[DARK]['rank']} of 4" in mail
    assert (
        f"your first one wins {dark[0]:.1f} points on average, and your last one {dark[1]:.1f}."
        in mail
    )
    assert "took part in none of them" in of_kind(season, LOST, "season")[0]


@pytest.fixture(scope="module")
def archive(season: MailedContest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of the whole season."""
    folder = tmp_path_factory.mktemp("published") / "season"
    done = knobeln("publish", "--season", folder, "-C", season.folder)
    assert hashlib.sha256((folder / "season.json").read_bytes()).hexdigest() in done.output
    return folder


def test_each_tournament_and_the_whole_season_can_be_checked(
    season: MailedContest, archive: Path, tmp_path: Path
) -> None:
    alone = tmp_path / "alone"
    published = knobeln("publish", "--tournament", 1, alone, "-C", season.folder)
    assert published.exit_code == 0, published.output
    assert knobeln("verify", alone).exit_code == DRAW_BELIEVED
    for number in (1, 2):
        said = page_on(archive / f"tournament-{number}")
        assert (said.differs, said.error) == ("", "")
    digest = hashlib.sha256((archive / "season.json").read_bytes()).hexdigest()
    checked = knobeln("verify", "--digest", digest, archive)
    assert checked.exit_code == DRAW_BELIEVED, checked.output
    assert "3 games of 3 versions: the same strengths" in checked.output


def test_each_tournament_has_its_close_and_its_frozen_settings(
    season: MailedContest, archive: Path, tmp_path: Path
) -> None:
    for number in (1, 2):
        forgery = Forgery(season.folder, archive / f"tournament-{number}")
        begun = [
            at for at, each in enumerate(forgery.ledger) if each.effect is Effect.TOURNAMENT_BEGUN
        ]
        own = forgery.ledger[: begun[0]] if number == 1 else forgery.ledger[begun[0] :]
        closed, listed, final = (
            next(each for each in own if each.effect is effect)
            for effect in (Effect.PROGRAMS_CLOSED, Effect.ENTRIES_LISTED, Effect.ENTRIES_FINAL)
        )
        assert closed.at == listed.at
        assert listed.letter == final.letter != ""
        forgery.ledger.remove(closed)
        done = knobeln("verify", forgery.publish(tmp_path / f"forged-{number}"))
        assert (
            "but the ledger says so nowhere; until then a letter could be dated back" in done.output
        )


@pytest.mark.slow
def test_a_team_that_is_forgotten_between_two_tournaments_has_gone_for_verify_too(
    tmp_path: Path,
) -> None:
    chosen = small_settings(final_size=2).model_copy(
        update={"season": Season(tournaments=2, days=14)}
    )
    mailed = MailedContest.create(tmp_path / "season", chosen)
    mailed.take_part(PROGRAMS)
    mailed.clock.at = CLOSES + timedelta(minutes=5)
    mailed.tell_first_list()
    mailed.clock.at = KNOWN
    mailed.play()
    assert knobeln("teams", "forget", DARK, "--reason", "so", "-C", mailed.folder).exit_code == 0
    mailed.clock.at = PUBLISHED
    assert goes_on(mailed)
    play(mailed, 2)
    done = knobeln("publish", "--season", tmp_path / "archive", "-C", mailed.folder)
    assert done.exit_code == 0, done.output
    checked = knobeln("verify", tmp_path / "archive")
    assert checked.exit_code == DRAW_BELIEVED, checked.output


def test_the_pages_of_a_season(season: MailedContest, tmp_path: Path) -> None:
    written = knobeln("site", tmp_path, "-C", season.folder)
    assert written.exit_code == 0, written.output
    front, first = (
        (tmp_path / name).read_text() for name in ("index.html", "tournament-1/index.html")
    )
    assert 'href="tournament-1/index.html"' in front
    assert '<a href="season.html">its ranking</a>' in front
    assert "Tournament 1 is over. 2 teams took part" in first
    assert "Tournament 2 is over. 4 teams took part" in front
    page = (tmp_path / "season.html").read_text()
    assert page.count('class="spark"') == 2  # of those who took part twice
    assert (
        (tmp_path / "season.season.csv")
        .read_text()
        .startswith("rank,team,points,strength,gain,tournament_1,")
    )
    assert not (tmp_path / "tournament-1" / "season.html").exists()


def test_between_tournaments_the_pages_have_the_table_so_far(season: MailedContest) -> None:
    pages = between(season)
    assert '<a href="season.html">its ranking so far</a>' in (pages / "index.html").read_text()
    rows = list(csv.DictReader((pages / "season.season.csv").read_text().splitlines()))
    assert [(row["points"], row["tournament_1"]) for row in rows] == [("1", "1"), ("0", "2")]


@pytest.mark.slow
def test_each_tournament_has_a_round_of_drand_of_its_own(tmp_path: Path) -> None:
    chosen = small_settings(final_size=2, beacon="drand")
    chosen = chosen.model_copy(update={"season": Season(tournaments=2, days=14)})
    chain = stand_in_chain(int(START.timestamp()) - 100)
    with drand_server(chain) as url, stand_in(chain, url):
        mailed = MailedContest.create(tmp_path / "season", chosen)
        mailed.take_part({HEAVY: "dice_cup", DARK: "pavlov"})
        play(mailed, 1)
        play(mailed, 2)
        archives = [tmp_path / str(number) for number in (1, 2)]
        for number, archive in enumerate(archives, 1):
            assert (
                knobeln("publish", "--tournament", number, archive, "-C", mailed.folder).exit_code
                == 0
            )
            assert knobeln("verify", archive).exit_code == 0
        rounds = [contents.from_files(files.read(archive)).seal for archive in archives]
        assert rounds[0].number != rounds[1].number


def _replace(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def _swap(season: Path) -> None:
    first, second = season / "tournament-1", season / "tournament-2"
    first.rename(season / "aside")
    second.rename(first)
    (season / "aside").rename(second)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (
            lambda season: _replace(season / "season.json", '"gain": 0.0', '"gain": 0.5'),
            "but SeasonLine",
        ),
        (_swap, "tournament 1: this is another archive"),
    ],
    ids=["a gain", "two tournaments"],
)
def test_a_season_that_was_changed_is_refused(
    archive: Path, tmp_path: Path, damage: Callable[..., Any], told: str
) -> None:
    whole = Path(shutil.copytree(archive, tmp_path / "season"))
    damage(whole)
    result = CliRunner().invoke(main, ["verify", str(whole)])
    assert result.exit_code == 1
    assert told in " ".join(result.output.split())


# --- killed ---------------------------------------------------------------------------------------
def held(
    place: Path,
    teams: int,
    letters: Mapping[int, Sequence[tuple[str, str]]],
    kills: int,
    **chosen: bool,
) -> None:
    """A season that is killed so often ends as one that is not, with the same archives, mails and
    marks."""
    first = master(place / "master", teams, len(letters) + 1, **chosen)
    ended = []
    for name, often in (("whole", 0), ("killed", kills)):
        server = SeasonServer(first, place / name)
        server.hold(letters, often, Random(1993))  # noqa: S311
        assert server.kills == often
        archive = server.publish()
        marks = knobeln("class", "marks", "-C", server.folder.path).stdout
        assert marks.count("\n") > teams
        ended.append((dict(_kept(archive)), _delivered(server.folder), marks))
    assert ended[0] == ended[1]
    checked = run(own_command("verify", str(archive)), b"", 4 * PATIENCE)
    assert checked.code == DRAW_BELIEVED, checked.stderr


def test_the_dates_or_the_order_of_a_tournament_start_no_other(tmp_path: Path) -> None:
    chosen = small_settings(beacon="none").model_copy(
        update={"season": Season(tournaments=2, days=14)}
    )
    mailed = MailedContest.create(tmp_path, chosen)
    mailed.take_part({HEAVY: "dice_cup", DARK: "pavlov"})
    mailed.clock.at = START - timedelta(minutes=1)
    with mailed.opened() as contest:
        assert not order_run_if_due(contest)
        mailed.clock.at = START
        assert order_run_if_due(contest)
        assert not order_run_if_due(contest)
    mailed.play()
    mailed.clock.at = PUBLISHED
    assert not goes_on(mailed)  # the ordered run may still be on its way
    with mailed.opened() as contest:
        with contest.store.write() as tx:
            decisions.order_run(tx, None)
        assert go_on(contest)
        assert not order_run_if_due(contest)  # though it knows the dates of the first one
        mailed.clock.at = START + DAYS
        assert order_run_if_due(contest)


def _kept(season: Path) -> Iterator[tuple[str, object]]:
    """The files, but for the digests of letters, in which stand authentification strings of new
    teams."""
    for file in season.rglob("*"):
        if file.is_file() and file.name not in ("ledger.json", "manifest.json", "season.json"):
            lines = file.read_bytes().split(b"\n")
            yield (
                str(file.relative_to(season)),
                [line for at, line in enumerate(lines) if at % 5 != 3]
                if file.name == "ledger.txt"
                else lines,
            )


def _delivered(contest: ContestContext) -> Counter[tuple[str, str]]:
    """How many mails of each subject each address has got, each once."""
    found = Counter[tuple[str, str]]()
    for box in (contest.path / "mail").iterdir():
        mails = {str(mail["Message-ID"]): mail for mail in maildir(contest, box.name)}
        found.update((box.name, str(mail["Subject"])) for mail in mails.values())
    return found


@pytest.mark.slow
def test_a_season_by_its_dates_alone_is_killed_and_goes_on(tmp_path: Path) -> None:
    held(tmp_path, 3, {2: [("team_01", "log_dice"), ("team_new", "pavlov")]}, kills=3)


def letters_of(teams: int, tournaments: int, a_time: int) -> dict[int, list[tuple[str, str]]]:
    """So many teams send another program before each tournament after the first; a new one
    comes."""
    names, random = list(HOUSE), Random(15)  # noqa: S311
    return {
        number: [
            *((f"team_{random.randrange(teams):02}", random.choice(names)) for _ in range(a_time)),
            *([("team_new", "pavlov")] if number == 4 else []),
        ]
        for number in range(2, tournaments + 1)
    }


@pytest.mark.slow
@pytest.mark.night
def test_a_term_of_a_class_has_14_contests_and_two_crashes_in_each(tmp_path: Path) -> None:
    held(tmp_path, 59, letters_of(59, 14, a_time=6), kills=28, is_class=True)
