"""`knobeln site`, and the pages that `serve` keeps: of a contest that was really played."""

import json
import re
import sys
import tarfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from contest.ledger import merkle
from contest.ledger.receipts import CHECKPOINT_FILE, LEDGER_FILE, Effect, LedgerEntry
from contest.schema.sections import Ladder, Reports, Site
from knobeln.archive.export import packed
from knobeln.context import ContestContext, create_contest
from knobeln.server.site_writer import SiteKeeper, SiteWriter
from knobeln.services import Services
from reports.site import games
from reports.site.folder import LIST
from store import ledger, results
from store.results import Games
from tests.support.browser import Browser
from tests.support.clocks import FixedClock
from tests.support.contest_days import Stumbling, until
from tests.support.mail_world import make_settings
from tests.support.processes import start
from tests.support.servers import wait_for
from tests.support.site_contests import MakeContest, Played, knobeln
from tests.support.site_files import games_in, rows_of, turns_in
from trust.archive import files
from trust.check_page import check_page

pytestmark = pytest.mark.slow
BINARY = (".png", ".gz")


def texts(pages: Path) -> dict[str, str]:
    """The texts of the files by their paths; without those that are just being written."""
    there = (file for file in pages.rglob("*") if file.suffix != ".new" and file.is_file())
    return {
        str(file.relative_to(pages)): file.read_text()
        for file in there
        if file.suffix not in BINARY
    }


def stamps(pages: Path) -> dict[Path, int]:
    return {file: file.stat().st_mtime_ns for file in pages.rglob("*") if file.is_file()}


# --- what is written ------------------------------------------------------------------------------
def test_the_throws_of_a_page_are_those_that_were_played(played: Played) -> None:
    with ContestContext.open(played.folder).store.read() as tx:
        history = results.finished_rounds(tx, Games.ALL)
    assert len(history) == 2
    games = games_in(texts(played.pages))
    seen = 0
    for outcome in history:
        for group in outcome.groups:
            for match in (m for m in group.matches if m.counted):
                turns = turns_in(
                    games[".".join([str(outcome.plan.number), *match.pairing.players])]
                )
                for seat, result in enumerate(match.result.seats):
                    assert sum(int(turn[2 + seat]) for turn in turns) == result.points
                seen += 1
    assert seen > 50


def test_nothing_is_written_twice(played: Played) -> None:
    before = stamps(played.pages)
    assert " 0 of them new or changed" in knobeln("site", played.pages, "-C", played.folder)
    assert stamps(played.pages) == before


def test_a_further_round_leaves_the_files_of_the_games_before_it_alone(
    make_contest: MakeContest, tmp_path: Path
) -> None:
    folder, pages = make_contest(tmp_path / "contest"), tmp_path / "pages"
    until(folder, Stumbling(2))  # the first round is over
    knobeln("site", pages, "-C", folder.path)
    # A page changes with what all pages lead to; the game on it does not.
    before = {file: stamp for file, stamp in stamps(pages).items() if file.suffix == ".js"}
    assert any(file.parent.name == "games" for file in before)
    knobeln("run", "--now", "--yes", "-C", folder.path)
    knobeln("site", pages, "-C", folder.path)
    after = stamps(pages)
    assert any(file.name.startswith("2.") for file in (pages / "games").iterdir())
    assert before.items() <= after.items()


def test_no_file_has_an_authentification_string_or_an_address_of_a_team(played: Played) -> None:
    files = texts(played.pages)
    assert "the_heavy_lords_of_knobeln" in files["teams.html"]
    program = files["teams/the_heavy_lords_of_knobeln.html"]
    assert "&lt;&lt;FROM&gt;&gt; the_heavy_lords_of_knobeln" in program
    for path, text in files.items():
        assert played.secret not in text, path
        assert "machine.domain.alfdkj" not in text, path
        assert "Joe Cool" not in text, path


def test_the_pages_tell_a_pause_and_a_round_that_is_played_again(
    make_contest: MakeContest, tmp_path: Path
) -> None:
    folder, pages = make_contest(tmp_path / "contest").path, tmp_path / "pages"
    knobeln("run", "--now", "--yes", "-C", folder)
    knobeln("site", pages, "-C", folder)
    before = rows_of((pages / "rounds/2.1.games.csv").read_text())
    ranked = rows_of((pages / "index.ranking.csv").read_text())
    last, loser = before[0]["team"], before[-1]["team"]
    knobeln("run", "rerun", "2", "--reason", "The disk was <full>.", "-C", folder)
    knobeln("teams", "disqualify", last, "--reason", "A private matter.", "-C", folder)
    knobeln("run", "pause", "--reason", "Lunch.", "-C", folder)
    knobeln("site", pages, "-C", folder)
    found = texts(pages)
    assert "The contest is paused since " in found["index.html"]
    assert "Round 2 is played again: its former results" in found["index.html"]
    assert 'href="rounds/former-1.html"' in found["index.html"]
    former = found["rounds/former-1.html"]
    assert "The new results are not out yet." in former
    assert "The disk was &lt;full&gt;." in former
    assert last in former
    assert loser in former
    told = ("The contest is paused", f"{last} was disqualified", "Round 2 is played again")
    for page in ("index.html", "log.html", "feed.xml"):
        assert [words for words in told if words not in found[page]] == [], page
        assert "private matter" not in found[page]
    assert "The results of round 2 are out" in found["log.html"]
    knobeln("run", "resume", "-C", folder)
    knobeln("run", "--now", "--yes", "-C", folder)
    knobeln("site", pages, "-C", folder)
    found = texts(pages)
    assert "paused since" not in found["index.html"]
    assert "played again:" not in found["index.html"]
    assert last not in [row["team"] for row in rows_of(found["index.ranking.csv"]) if row["rank"]]
    assert 'The <a href="../index.html">new results</a> are out.' in found["rounds/former-1.html"]
    (kept,) = (
        path for path in found if path.startswith("rounds/former-1.") and path.endswith(".csv")
    )
    assert [row["team"] for row in rows_of(found[kept])][: len(ranked)] == [
        row["team"] for row in ranked if row["team"] in {each["team"] for each in before}
    ]
    assert all(words in found["feed.xml"] for words in (*told, "The contest goes on"))
    ids = re.findall("<id>(.*)</id>", found["feed.xml"])
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("game", ["knobeln", "cooperation"])
def test_before_the_start_a_game_of_house_programs_runs_and_the_kit_is_there(
    game: str, tmp_path: Path
) -> None:
    pages = tmp_path / "pages"
    knobeln("init", tmp_path / "contest", "--game", game)
    knobeln("site", pages, "-C", tmp_path / "contest")
    front = (pages / "index.html").read_text()
    assert '<iframe class="sample" src="games/sample.html"' in front
    assert 'href="kit.tar.gz"' in front
    with tarfile.open(pages / "kit.tar.gz") as kit:
        assert any(name.endswith("/README") for name in kit.getnames())
    browser = Browser(pages)
    try:
        browser.open("index.html")
        browser.driver.switch_to.frame(browser.one("iframe"))
        wait_for(lambda: int(browser.one("#scrub").get_property("value")) > 2)
        browser.driver.switch_to.default_content()
        assert browser.complaints() == []
    finally:
        browser.driver.quit()
    before = stamps(pages)
    knobeln("site", pages, "-C", tmp_path / "contest")
    assert stamps(pages) == before


def test_what_nobody_was_told_does_not_show_when_it_is_played_again(
    make_contest: MakeContest, tmp_path: Path
) -> None:
    folder, pages = make_contest(tmp_path / "contest").path, tmp_path / "pages"
    knobeln("mail", "hold", "--reason", "To be looked at.", "-C", folder)
    knobeln("run", "--now", "--yes", "-C", folder)
    knobeln("run", "rerun", "1", "--reason", "The disk was full.", "-C", folder)
    knobeln("site", pages, "-C", folder)
    found = texts(pages)
    assert not [path for path in found if path.startswith("rounds/")]
    assert "played again" not in found["log.html"] + found["index.html"]


def test_pages_are_put_into_no_folder_of_other_files(played: Played, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    said = knobeln("site", tmp_path, "-C", played.folder, code=1)
    assert "the pages need a folder of their own" in said
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]


def test_only_so_many_games_can_be_replayed_and_others_go(
    make_contest: MakeContest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "MAX_GAMES", 5)
    folder = make_contest(tmp_path / "contest").path
    knobeln("run", "--now", "--yes", "-C", folder)
    assert "the replays of 5 games" in knobeln("site", tmp_path / "pages", "-C", folder)
    assert len(games_in(texts(tmp_path / "pages"))) == 5
    own = tmp_path / "pages" / "about.html"
    own.write_text("mine")
    monkeypatch.setattr(games, "MAX_GAMES", 2)
    knobeln("site", tmp_path / "pages", "-C", folder)
    assert len(games_in(texts(tmp_path / "pages"))) == 2
    assert own.read_text() == "mine"


def test_the_ladder_has_a_page_where_there_is_one(
    make_contest: MakeContest, tmp_path: Path
) -> None:
    knobeln("site", tmp_path / "plain", "-C", make_contest(tmp_path / "flat").path)
    assert not (tmp_path / "plain" / "ladder.html").exists()
    folder = make_contest(tmp_path / "contest", ladder=Ladder(enabled=True))
    while Services(folder).update_ladder():
        pass
    shown = json.loads(knobeln("results", "ladder", "--json", "-C", folder.path))
    knobeln("site", tmp_path / "pages", "-C", folder.path)
    page = (tmp_path / "pages" / "ladder.html").read_text()
    assert 'href="ladder.html"' in (tmp_path / "pages" / "index.html").read_text()
    assert [line["team"] for line in shown] == re.findall(r">(team_\d+)<", page)
    rows = rows_of((tmp_path / "pages" / "ladder.ladder.csv").read_text())
    assert [(row["team"], row["points"]) for row in rows] == [
        (line["team"], line["points"]) for line in shown
    ]


def test_the_organizers_own_style_and_templates_win(
    make_contest: MakeContest, tmp_path: Path
) -> None:
    folder = make_contest(tmp_path / "contest").path
    own = folder / "templates" / "site"
    own.mkdir(parents=True)
    (own / "style.css").write_text("body { color: teal }")
    (own / "log.html.j2").write_text("{{ contest.title }}: quiet")
    knobeln("site", tmp_path / "pages", "-C", folder)
    assert (tmp_path / "pages" / "style.css").read_text() == "body { color: teal }"
    assert (
        tmp_path / "pages" / "log.html"
    ).read_text() == "The &lt;i&gt;contest&lt;/i&gt; &amp; more: quiet"
    (own / "log.html.j2").write_text("{{ nobody }}")
    said = knobeln("site", tmp_path / "pages", "-C", folder, code=1)
    assert "template site/log.html.j2" in said
    assert "nobody" in said


# --- what is released -----------------------------------------------------------------------------
def test_a_round_that_is_being_played_or_of_which_a_report_is_held_shows_nothing(
    make_contest: MakeContest, tmp_path: Path
) -> None:
    folder = make_contest(tmp_path / "contest")
    until(folder, Stumbling(0))
    knobeln("site", tmp_path / "pages", "-C", folder.path)
    assert not any(path.startswith(("rounds", "games")) for path in texts(tmp_path / "pages"))
    assert "results yet" in texts(tmp_path / "pages")["teams/team_0001.html"]
    # both groups of the first round, and the final's, which is not closed
    until(folder, Stumbling(2))
    knobeln("mail", "hold", "--all", "--reason", "to read them", "-C", folder.path)
    knobeln("site", tmp_path / "pages", "-C", folder.path)
    assert not any(path.startswith("rounds") for path in texts(tmp_path / "pages"))
    knobeln("mail", "release", "--all", "-C", folder.path)
    knobeln("site", tmp_path / "pages", "-C", folder.path)
    files = texts(tmp_path / "pages")
    assert "rounds/1.html" in files
    assert not any(path.startswith(("rounds/2", "games/2", "evolution.html")) for path in files)
    assert not any("<h2>Program</h2>" in text for text in files.values())


def test_a_round_whose_summary_waits_for_the_organizers_words_shows_nothing(
    make_contest: MakeContest, tmp_path: Path
) -> None:
    folder = make_contest(tmp_path / "contest", reports=Reports(summary="organizer")).path
    knobeln("run", "--now", "--yes", "-C", folder)
    pages = tmp_path / "pages"
    knobeln("site", pages, "-C", folder)
    assert not any(path.startswith(("rounds", "games", "evolution.html")) for path in texts(pages))
    assert "The contest has started." in texts(pages)["index.html"]
    # The final's words alone release nothing: the first round would show who was out.
    knobeln("run", "summary", 2, "-", "-C", folder, stdin=b"What a final.\n")
    knobeln("site", pages, "-C", folder)
    assert not any(path.startswith(("rounds", "games", "evolution.html")) for path in texts(pages))
    knobeln("run", "summary", 1, "-", "-C", folder, stdin=b"Many <good> games.\n")
    knobeln("site", pages, "-C", folder)
    files = texts(pages)
    assert "Many &lt;good&gt; games." in files["rounds/1.html"]
    assert "The contest is over." in files["index.html"]
    assert "evolution.html" in files


def test_nothing_shows_of_what_was_played_while_reports_are_held(
    make_contest: MakeContest, tmp_path: Path
) -> None:
    quiet = Reports(offered=("BRK",))  # nobody ordered it, so that no mail is held
    folder = make_contest(tmp_path / "contest", reports=quiet).path
    knobeln("mail", "hold", "--reason", "to look at them first", "-C", folder)
    knobeln("run", "--now", "--yes", "-C", folder)
    pages = tmp_path / "pages"
    knobeln("site", pages, "-C", folder)
    assert "has been played" not in texts(pages)["log.html"]
    assert "The contest has started." in texts(pages)["index.html"]
    knobeln("mail", "release", "-C", folder)
    knobeln("site", pages, "-C", folder)
    assert texts(pages)["log.html"].count("has been played") == 2
    assert "The contest is over." in texts(pages)["index.html"]


# --- before the contest ---------------------------------------------------------------------------
def test_rules_commands_and_announcement_are_there_from_the_first_day(
    make_contest: MakeContest, tmp_path: Path
) -> None:
    folder = make_contest(tmp_path / "contest").path
    templates = folder / "templates" / "commands"
    templates.mkdir(parents=True)
    (templates / "withdraw.txt.j2").write_text("  withdraw\n      takes your team home.\n")
    pages = tmp_path / "pages"
    knobeln("site", pages, "-C", folder)
    files = texts(pages)
    commitment = re.search(r"\b[0-9a-f]{64}\b", knobeln("announce", "-C", folder))
    assert commitment
    for page in ("announcement.html", "rules.html"):
        assert commitment[0] in files[page]
    assert "Takes your team home." in files["commands.html"]
    for page in ("rules.html", "commands.html", "announcement.html"):
        assert f'href="{page}"' in files["index.html"]


# --- serve ----------------------------------------------------------------------------------------
def test_serve_keeps_the_pages_up_to_date(make_contest: MakeContest, tmp_path: Path) -> None:
    folder = make_contest(tmp_path / "contest", site=Site(folder="www")).path
    pages, said = folder / "www", tmp_path / "serve.log"
    server = start([sys.executable, "-m", "knobeln", "serve", "-C", str(folder)], said)
    try:
        wait_for((pages / "index.html").exists)
        assert "13 teams registered so far." in (pages / "index.html").read_text()
        knobeln("run", "--now", "--yes", "-C", folder)
        wait_for(lambda: "The contest is over." in (pages / "index.html").read_text())
        wait_for(lambda: "evolution.html" in json.loads((pages / LIST).read_text()))
    finally:
        server.terminate(30)
    assert "unexpected" not in said.read_text()
    assert " 0 of them new or changed" in knobeln("site", pages, "-C", folder)


# --- the ledger while the contest runs ------------------------------------------------------------
def test_a_letter_that_changes_nothing_but_the_ledger_costs_no_page(tmp_path: Path) -> None:
    contest = create_contest(tmp_path / "contest", make_settings(site=Site(folder="pages")))
    keeper = SiteKeeper(contest, packed)
    while keeper.step():
        pass
    pages = contest.path / contest.settings.site.folder
    before = stamps(pages)
    entry = LedgerEntry(Effect.PREFERENCE_CHANGED, "a_team", contest.clock.now(), "ab" * 32)
    with contest.store.write() as tx:
        ledger.append(tx, entry)
    while keeper.step():
        pass
    changed = {file.name for file, at in stamps(pages).items() if before.get(file) != at}
    assert changed == {LEDGER_FILE, CHECKPOINT_FILE}
    lines = (pages / LEDGER_FILE).read_text().splitlines()
    assert lines[:1] + lines[5:] == ["contest made", merkle.leaf_hash(entry.leaf()).hex()]
    assert (pages / CHECKPOINT_FILE).read_text().splitlines()[1] == "2"
    assert f'href="{LEDGER_FILE}"' in (pages / "rules.html").read_text()
    assert knobeln("site", pages, "-C", contest.path)
    assert (pages / LEDGER_FILE).read_text().splitlines() == lines
    contest.store.close()


# --- the archive beside the page that checks it ---------------------------------------------------
def test_the_archive_is_beside_the_page_as_soon_as_it_is_published(
    played: Played, tmp_path: Path
) -> None:
    contest = ContestContext.open(played.folder)
    published = contest.settings.dates.results_published
    for moment, is_there in ((published - timedelta(hours=1), False), (published, True)):
        pages = tmp_path / str(is_there)
        for _ in SiteWriter(replace(contest, clock=FixedClock(moment)), pages, packed).steps():
            pass
        assert (pages / "archive.tar.gz").exists() is is_there
        assert (pages / "verify.html").read_bytes() == check_page()
    archive = tmp_path / "archive"
    assert knobeln("publish", archive, "--early", "-C", played.folder)
    with tarfile.open(pages / "archive.tar.gz") as tar:
        members = {member.name: tar.extractfile(member).read() for member in tar}
    assert members == {
        **files.read(archive),
        files.MANIFEST: (archive / files.MANIFEST).read_bytes(),
    }
    before = stamps(pages)
    for _ in SiteWriter(replace(contest, clock=FixedClock(published)), pages, packed).steps():
        pass
    assert stamps(pages) == before


@pytest.mark.parametrize(
    "hidden", [{"site": {"programs": False}}, {"reports": {"offered": ("RSM",)}}]
)
def test_an_archive_that_tells_more_than_the_pages_is_not_beside_them(
    played: Played, tmp_path: Path, hidden: dict[str, dict[str, bool | tuple[str, ...]]]
) -> None:
    contest = ContestContext.open(played.folder)
    ((name, changes),) = hidden.items()
    section = getattr(contest.settings, name).model_copy(update=changes)
    settings = contest.settings.model_copy(update={name: section})
    clock = FixedClock(settings.dates.results_published)
    for _ in SiteWriter(
        replace(contest, clock=clock, settings=settings), tmp_path / "pages", packed
    ).steps():
        pass
    assert not (tmp_path / "pages/archive.tar.gz").exists()
    assert "Check these results yourself" not in (tmp_path / "pages/index.html").read_text()
    assert "Check these results yourself" in (played.pages / "index.html").read_text()
