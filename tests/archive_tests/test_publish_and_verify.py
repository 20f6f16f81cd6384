"""An archive: what is in it and what is not, that it is computed again, and that any lie in it is
found."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contest.errors import Differs, GiveUp
from contest.ledger.receipts import Effect, LedgerEntry
from contest.model import TeamState
from knobeln import presets
from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from store import Store, ledger, outbox, results, teams, url_of
from tests.support.archives import (
    DRAW_BELIEVED,
    Mended,
    Published,
    knobeln,
    knobeln_field,
    of_game,
    played,
    publish,
    small,
)
from tests.support.contest_days import Stumbling, until
from tests.support.contest_field import NOW, settings
from tests.support.organizers import resealed
from trust.archive import files

GROUP = "rounds/1/group-1.json"


def everything(folder: Path) -> bytes:
    return b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


# --- what is in it --------------------------------------------------------------------------------
def test_an_archive_is_computed_again_without_contest_database_or_mailbox(
    knobeln_contest: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(knobeln_contest.archive, tmp_path / "copy")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KNOBELN_DATABASE", "postgresql://nobody@127.0.0.1:1/nothing")
    monkeypatch.setenv("KNOBELN_SET_GAME__L", "7")  # what holds for a contest of one's own
    result = knobeln("verify", "copy")
    assert result.exit_code == DRAW_BELIEVED, result.output
    assert "6 programs, built again: the same, bit for bit" in result.output
    assert "played again: the same to the last point" in result.output
    assert "draws, rankings and evolution: the same" in result.output
    (done, total) = re.findall(r"^games .* (\d+)/(\d+) ", result.output, re.MULTILINE)[-1]
    assert int(done) <= int(total)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy"]


def test_no_authentification_string_and_no_address_is_in_an_archive(
    knobeln_contest: Published,
) -> None:
    published = everything(knobeln_contest.archive)
    assert len(set(knobeln_contest.strings)) == 6
    for string in knobeln_contest.strings:
        assert string.encode() not in published
        # one alone might be a word
        assert "-".join(string.split("-")[1:3]).encode() not in published
    source = (knobeln_contest.archive / "programs/team_1/source/program.c").read_text()
    assert "<<FROM>> team_1 " in source
    assert b"@teams.example" not in published
    assert b"knows C since" not in published


def test_an_archive_is_the_same_whenever_it_is_written(
    knobeln_contest: Published, tmp_path: Path
) -> None:
    assert knobeln("publish", tmp_path / "again", "-C", knobeln_contest.contest).exit_code == 0
    assert files.read(tmp_path / "again") == files.read(knobeln_contest.archive)


def test_nothing_is_overwritten(knobeln_contest: Published, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("my own")
    result = knobeln("publish", tmp_path, "-C", knobeln_contest.contest)
    assert result.exit_code == 1
    assert "not empty" in result.output
    assert (tmp_path / "mine").read_text() == "my own"


def test_an_archive_has_the_numbers_of_a_result(knobeln_contest: Published) -> None:
    certainty = json.loads((knobeln_contest.archive / "certainty.json").read_text())
    assert certainty["contests"] == 20
    assert {line["entry"] for line in certainty["teams"]} == {f"team_{n}" for n in range(1, 7)}
    assert sum(line["first"] for line in certainty["teams"]) >= 20


# --- when -----------------------------------------------------------------------------------------
def copy_of(contest: Path, folder: Path) -> Path:
    shutil.copytree(contest, folder)
    return folder


def test_before_its_end_a_contest_is_not_published(tmp_path: Path) -> None:
    assert knobeln("init", tmp_path / "new").exit_code == 0
    result = knobeln("publish", tmp_path / "archive", "--early", "-C", tmp_path / "new")
    assert result.exit_code == 1
    assert "not finished" in result.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "reason"), [("date", "to be published on 2094"), ("summary", "has not gone")]
)
def test_before_the_results_are_out_a_contest_is_published_only_on_demand(
    knobeln_contest: Published, tmp_path: Path, change: str, reason: str
) -> None:
    contest = copy_of(knobeln_contest.contest, tmp_path / "contest")
    if change == "date":
        path = contest / "contest.toml"
        old = "results_published = 1994-05-14T10:00:00Z"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, "results_published = 2094-05-14T10:00:00Z"))
    else:
        store = Store(url_of(contest))
        with store.write() as tx:
            tx.exec_driver_sql("UPDATE rounds SET reported_at = NULL WHERE number = 3")
        store.close()
    refused = knobeln("publish", tmp_path / "archive", "-C", contest)
    assert refused.exit_code == 1
    assert reason in refused.output
    assert not (tmp_path / "archive").exists()
    assert knobeln("publish", tmp_path / "archive", "--early", "-C", contest).exit_code == 0


# --- lies -----------------------------------------------------------------------------------------
Change = Callable[[dict[str, bytes]], None]


def edit(path: str, do: Callable[[Any], None]) -> Change:
    def change(archive: dict[str, bytes]) -> None:
        value = json.loads(archive[path])
        do(value)
        archive[path] = json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n"

    return change


def swap(path: str, old: bytes, new: bytes) -> Change:
    def change(archive: dict[str, bytes]) -> None:
        assert old in archive[path]
        archive[path] = archive[path].replace(old, new, 1)

    return change


def one_build(archive: dict[str, bytes]) -> str:
    return next(path for path in archive if path.startswith("builds/"))


def another_build(archive: dict[str, bytes]) -> None:
    """A whole lie: another program under a right digest of its own."""
    builds = sorted(path for path in archive if path.startswith("builds/"))
    entries = json.loads(archive["entries.json"])
    entries[0]["build"] = next(e["build"] for e in entries if e["build"] != entries[0]["build"])
    used = {entry["build"] for entry in entries}
    for path in builds:
        if path.removeprefix("builds/") not in used:
            del archive[path]
    archive["entries.json"] = json.dumps(entries, indent=1, ensure_ascii=False).encode() + b"\n"


def set_to(value: Any, *path: Any) -> Callable[[Any], None]:
    def do(whole: Any) -> None:
        for step in path[:-1]:
            whole = whole[step]
        assert whole[path[-1]] != value
        whole[path[-1]] = value

    return do


LIES: dict[str, tuple[Change, str]] = {
    "another program": (another_build, "for the program of team_1, but here"),
    "source that does not compile": (
        swap("programs/team_6/source/program.c", b"int i;", b"int i"),
        "it is not accepted",
    ),
    "description": (
        swap("programs/team_6/description.txt", b"leaves", b"stays"),
        "description.txt is not",
    ),
    "a game that was made up": (
        edit(GROUP, lambda g: g["matches"].append({**g["matches"][-1], "attempt": 9})),
        "was not played by the rules",
    ),
    "no evolution": (lambda a: a.pop("evolution.json") and None, "the evolution: there is none"),
    "announcement": (
        swap("announcement.txt", b"6 teams took", b"7 teams took"),
        "announcement.txt, line",
    ),
    "more than there should be": (lambda a: a.update({"notes.txt": b"hello\n"}), "does not belong"),
}


@pytest.mark.slow
@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_found_although_the_manifest_was_mended(
    knobeln_contest: Published, mended: Mended, lie: str
) -> None:
    tell, words = LIES[lie]

    def change(found: dict[str, bytes]) -> None:
        tell(found)
        if lie in ("another program", "source that does not compile"):
            resealed(knobeln_contest.contest)(found)

    result = knobeln("verify", mended(knobeln_contest.archive, change))
    assert result.exit_code == 1, result.output
    assert re.search(r"The first difference \([a-z]+\): ", result.output)
    assert words in result.output
    assert not re.search(r"\w\(\w+=|\bNone\b|\bTrue\b|\bFalse\b", result.output.split("): ", 1)[1])


@pytest.mark.parametrize("pattern", [GROUP, "builds/*"])
def test_any_file_that_was_changed_is_named(
    knobeln_contest: Published, tmp_path: Path, pattern: str
) -> None:
    archive = copy_of(knobeln_contest.archive, tmp_path / "archive")
    changed = next(archive.glob(pattern))
    changed.write_bytes(changed.read_bytes() + b" ")
    result = knobeln("verify", archive)
    assert result.exit_code == 1
    assert f"{changed.relative_to(archive)} was changed" in result.output


@pytest.mark.slow
def test_the_texts_of_another_version_are_not_compared(
    knobeln_contest: Published, mended: Mended
) -> None:
    archive = mended(knobeln_contest.archive, edit("contest.json", set_to("0.0.9", "written_by")))
    assert knobeln("verify", archive, "--strict").exit_code == 1
    result = knobeln("verify", archive)
    assert result.exit_code == 3, result.output
    assert (
        "not checked: rules, announcement and the page: knobeln 0.0.9 wrote them" in result.output
    )


@pytest.mark.slow
def test_whose_program_it_was_only_the_digest_can_tell(
    knobeln_contest: Published, mended: Mended
) -> None:
    honest = files.digest_of((knobeln_contest.archive / files.MANIFEST).read_bytes())
    assert knobeln("verify", knobeln_contest.archive, "--digest", honest).exit_code == DRAW_BELIEVED
    changed = mended(
        knobeln_contest.archive, edit("entries.json", set_to("Somebody else", 0, "organization"))
    )
    unproved = knobeln("verify", changed)
    assert unproved.exit_code == DRAW_BELIEVED
    words = (
        "names of organizations and people, the order of the entries, the names of the tools, and"
        " times"
    )
    assert f"not checked: {words}" in unproved.output
    found = knobeln("verify", changed, "--digest", honest)
    assert found.exit_code == 1
    assert "this is another archive" in found.output


@pytest.mark.slow
def test_with_another_compiler_the_archives_own_builds_play_and_that_is_said(
    tmp_path: Path, mended: Mended
) -> None:
    contest, strings = played(
        tmp_path / "contest",
        small(),
        knobeln_field(),
        as_if=lambda data: data.replace(b"i < 60", b"i < 59"),
    )
    published = publish(contest, tmp_path / "archive", strings)
    other = edit("entries.json", set_to("riscv64-unknown-elf-gcc 99.1", 5, "tool"))
    result = knobeln("verify", mended(published.archive, other))
    assert result.exit_code == 3, result.output
    assert "5 programs, built again: the same" in result.output
    assert "not checked: the way from source to build of the program of team_6" in result.output
    assert "riscv64-unknown-elf-gcc 99.1" in result.output


def disqualify(folder: ContestContext, name: str) -> str:
    done = knobeln(
        "teams", "disqualify", name, "--reason", "somebody else wrote it", "-C", folder.path
    )
    assert done.exit_code == 0, done.output
    return name


@pytest.mark.slow
def test_a_contest_out_of_which_the_organizer_took_teams_can_be_checked(
    tmp_path: Path, mended: Mended
) -> None:
    """One before the start, one before its group was played, one before the draw of the next round,
    and one that came back. Who had withdrawn is not in it."""
    out: list[str] = []

    def day(folder: ContestContext) -> None:
        disqualify(folder, "team_7")
        with folder.store.write() as tx:
            withdrawn = teams.by_name(tx, "team_8")
            assert withdrawn is not None
            teams.set_state(tx, withdrawn.id, TeamState.WITHDRAWN)
            ledger.append(tx, LedgerEntry(Effect.WITHDRAWN, "team_8", NOW, "ab" * 32))
        until(folder, Stumbling(0))
        with folder.store.read() as tx:
            drawn = results.drawn_round(tx, 1)
        done = {outcome.plan.number for outcome in drawn.groups}
        waiting = [group for group in drawn.plan.groups if group.number not in done]
        out.append(disqualify(folder, waiting[-1].members[0]))
        proceeding = [
            line.entry for outcome in drawn.groups for line in outcome.standings if line.advances
        ]
        out.append(disqualify(folder, proceeding[0]))
        out.append(disqualify(folder, waiting[-1].members[1]))
        knobeln("teams", "reinstate", out[-1], "-C", folder.path)
        contest_day(folder).run()

    field = knobeln_field()
    field |= {"team_7": field["team_1"], "team_8": field["team_2"]}
    contest, strings = played(tmp_path / "contest", small(), field, day)
    published = publish(contest, tmp_path / "archive", strings)
    result = knobeln("verify", published.archive)
    assert result.exit_code == DRAW_BELIEVED, result.output
    assert f"that the organizer took {', '.join(sorted(out))} out" in result.output
    published_words = everything(published.archive)
    assert "that the organizer took team_7 out before the contest started" in result.output
    assert b"somebody else wrote it" not in published_words
    # Who withdrew had letters, so the ledger names it; nothing else does.
    letters = (published.archive / "ledger.txt").read_bytes()
    assert published_words.count(b"team_8") == letters.count(b"team_8") > 0
    decisions = json.loads((published.archive / "decisions.json").read_text())["taken_out"]
    assert [each["lifted_at"] is None for each in decisions] == [True, True, True, False]
    assert (decisions[0]["team"], decisions[0]["kind"]) == ("team_7", "disqualified")
    for number in (1, 2):
        unsaid = edit("decisions.json", lambda d, number=number: d["taken_out"].pop(number))
        result = knobeln("verify", mended(published.archive, unsaid))
        assert result.exit_code == 1, result.output
        assert "The first difference (games): round " in result.output


@pytest.mark.slow
def test_a_time_for_a_move_that_was_changed_counts_and_is_in_the_archive(tmp_path: Path) -> None:
    """A program that answers to 2.5 s with a square that is not there, and to anything else with a
    word."""
    tells_time = (
        b"# <<FROM>> team STRING\ndef get_move(T, state):\n    return 99 if T == 2.5 else 'slow'\n"
    )

    def day(folder: ContestContext) -> None:
        seconds = ("run", "seconds", "2.5", "--reason", "it gets late", "-C", folder.path)
        assert "only while the contest runs" in knobeln(*seconds).output
        until(folder, Stumbling(0))
        assert "3 teams are told" in knobeln(*seconds).output
        assert "2.5 s already" in knobeln(*seconds).output
        with folder.store.read() as tx:
            told = [
                item
                for item in outbox.listing(tx, state=None, to=None, count=99)
                if "2.5" in item.subject
            ]
        assert len(told) == 3
        contest_day(folder.current()).run()

    chosen = presets.settings("ultimate-tic-tac-toe", NOW)
    chosen = chosen.model_copy(
        update={"tournament": chosen.tournament.model_copy(update={"games": 1})}
    )
    field = {name: {"bot.py": tells_time} for name in ("one", "two", "three")}
    contest, strings = played(tmp_path / "contest", chosen, field, day)
    archive = publish(contest, tmp_path / "archive", strings).archive
    kinds = {
        path.parent.name: {
            seat["kind"] for turn in match["result"]["moves"] for seat in turn if seat
        }
        for path in sorted(archive.glob("rounds/*/group-1.json"))
        for match in json.loads(path.read_text())["matches"]
    }
    assert kinds.pop("1") == {"unreadable"}
    assert set().union(*kinds.values()) == {"forbidden"}
    assert (
        json.loads((archive / "contest.json").read_text())["settings"]["programs"]["seconds"] == 5.0
    )
    verified = knobeln("verify", archive)
    assert verified.exit_code == DRAW_BELIEVED, verified.output
    assert "changed from 5 s to 2.5 s" in " ".join(verified.output.split())
    assert "time for a move: 2.5 s instead of 5 s" in knobeln("log", "-C", contest).output


def again(folder: ContestContext, *what: object, without: str = "") -> None:
    """That much is played again, and the day to its end."""
    done = knobeln("run", "rerun", *what, "--reason", "the lights were out", "-C", folder.path)
    assert done.exit_code == 0, done.output
    if without:
        disqualify(folder, without)
    with folder.store.read() as tx:
        assert results.get_certainty(tx) is None
    contest_day(folder).run()


@pytest.mark.slow
def test_a_group_that_was_played_again_without_a_team_can_be_checked(tmp_path: Path) -> None:
    def day(folder: ContestContext) -> None:
        contest_day(folder).run()
        with folder.store.read() as tx:
            best = results.drawn_round(tx, 1).groups[0].standings[0].entry
        again(folder, 1, 1, without=best)

    contest, strings = played(tmp_path / "contest", small(), knobeln_field(), day)
    published = publish(contest, tmp_path / "archive", strings)
    result = knobeln("verify", published.archive)
    assert result.exit_code == DRAW_BELIEVED, result.output
    assert "why group 1 of round 1 was played again" in result.output
    assert b"the lights were out" not in everything(published.archive)


@pytest.mark.slow
def test_a_contest_whose_groups_nobody_survives_has_no_winner_and_no_final(tmp_path: Path) -> None:
    chosen = settings(group_min=2, group_max=4, final_size=4)
    undescribed = chosen.programs.model_copy(update={"description": "none"})
    chosen = chosen.model_copy(update={"programs": undescribed})
    source = b"/*\n  <<FROM>> team STRING\n*/\nmain () { make_throw (0); }\n"
    field = {f"team_{number}": {"program.c": source} for number in range(1, 7)}
    contest, strings = played(tmp_path / "contest", chosen, field)
    published = publish(contest, tmp_path / "archive", strings)
    result = knobeln("verify", published.archive)
    assert result.exit_code == DRAW_BELIEVED, result.output
    rounds, ranking = (
        json.loads((published.archive / f"{name}.json").read_text())
        for name in ("rounds", "ranking")
    )
    assert rounds == [{"number": 1, "final": False, "groups": 2}]
    assert [(line["entry"], line["rank"]) for line in ranking] == [
        (name, None) for name in sorted(field)
    ]
    assert not (published.archive / "evolution.json").exists()
    shown = json.loads(knobeln("results", "--json", "-C", contest).output)
    assert [line["entry"] for line in shown["ranking"]] == sorted(field)
    assert shown["seal"]["seed"]
    assert "There is no winner" in knobeln("results", "-C", contest).output
    posting = " ".join(knobeln("announce", "--results", "-C", contest).output.split())
    assert "There is no winner: nobody survived round 1." in posting
    assert "Congratulations" not in posting
    knobeln("site", tmp_path / "site", "-C", contest)
    index = (tmp_path / "site" / "index.html").read_text()
    assert "There is no winner." in index
    assert ">Final<" not in index


# --- what strangers may send ----------------------------------------------------------------------
@pytest.fixture
def hostile(knobeln_contest: Published, tmp_path: Path) -> Path:
    return copy_of(knobeln_contest.archive, tmp_path / "hostile")


def link(folder: Path) -> None:
    (folder / "rules.md").unlink()
    (folder / "rules.md").symlink_to("/etc/passwd")


def folder_link(folder: Path) -> None:
    (folder / "more").symlink_to("/etc")


def pipe(folder: Path) -> None:
    (folder / "rules.md").unlink()
    os.mkfifo(folder / "rules.md")


def sparse(folder: Path) -> None:
    with (folder / "rules.md").open("r+b") as file:
        file.truncate(files.MAX_FILE_BYTES * 1_000)


def strange_name(folder: Path) -> None:
    (folder / "a\x1b[2Jb").write_text("")


def manifest(text: str) -> Callable[[Path], None]:
    return lambda folder: (folder / files.MANIFEST).write_text(text) and None


HOSTILE: dict[str, tuple[Callable[[Path], None], str]] = {
    "link": (link, "rules.md cannot be opened as a plain file"),
    "link to a folder": (folder_link, "more is a link"),
    "pipe": (pipe, "rules.md is not a plain file"),
    "endless": (sparse, "more than 16,000,000 bytes"),
    "strange name": (strange_name, "cannot be the name"),
    "no JSON": (manifest("{"), "manifest.json cannot be read"),
    "deep JSON": (manifest("[" * 10_000), "manifest.json cannot be read"),
    "of the future": (
        manifest('{\n "format": "knobeln archive",\n "version": 2,\n "files": {}\n}\n'),
        "reads version 1",
    ),
    "a way out": (
        manifest(
            '{\n "format": "knobeln archive",\n "version": 1,\n "files": {\n  "../../etc/passwd":'
            ' {\n   "size": 1,\n   "sha256": ""\n  }\n }\n}\n'
        ),
        "../../etc/passwd is missing",
    ),
}


@pytest.mark.parametrize("trick", HOSTILE)
def test_a_hostile_archive_is_refused_in_a_sentence(hostile: Path, trick: str) -> None:
    do, words = HOSTILE[trick]
    do(hostile)
    result = knobeln("verify", hostile)
    assert result.exit_code == 1, result.output
    assert words in result.output
    assert "\x1b" not in result.output


def test_a_hostile_build_is_no_program(knobeln_contest: Published, mended: Mended) -> None:
    """Under a right digest, and with a compiler that we do not have."""

    def change(archive: dict[str, bytes]) -> None:
        path = one_build(archive)
        data = archive.pop(path)[:40]
        digest = files.hashlib.sha256(data).hexdigest()
        archive[f"builds/{digest}"] = data
        entries = json.loads(archive["entries.json"])
        for entry in entries:
            if path.endswith(entry["build"]):
                entry.update(build=digest, tool="another")
        archive["entries.json"] = json.dumps(entries, indent=1, ensure_ascii=False).encode() + b"\n"
        resealed(knobeln_contest.contest)(archive)

    result = knobeln("verify", mended(knobeln_contest.archive, change))
    assert result.exit_code == 1
    assert "is not a build for this game" in result.output


def test_too_many_files_are_not_read(hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_FILES", 10)
    with pytest.raises(Differs, match="more than 10 files"):
        files.read(hostile)


def test_too_many_bytes_are_not_read(hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 1_000)
    with pytest.raises(Differs, match="more than 1,000 bytes"):
        files.read(hostile)


@pytest.mark.parametrize(
    "path", ["../a", "/etc/passwd", "a//b", "", "a/./b", ".hidden", files.MANIFEST, "a b"]
)
def test_an_archive_has_no_files_with_such_names(tmp_path: Path, path: str) -> None:
    with pytest.raises(GiveUp, match="no place"):
        files.write(tmp_path / "new", {path: b""})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("contents", "why"),
    [
        ({"rules.txt": bytes(files.MAX_FILE_BYTES + 1)}, "rules.txt has more than"),
        (
            {"rounds/1/group-1.json": bytes(files.MAX_LINE_BYTES)},
            "group-1.json has a line of more than",
        ),
        ({f"programs/{n}/a": b"" for n in range(5)}, "has more than 8 files"),
    ],
)
def test_what_verify_would_refuse_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, contents: dict[str, bytes], why: str
) -> None:
    monkeypatch.setattr(files, "MAX_FILES", 8)
    with pytest.raises(GiveUp, match=why):
        files.write(tmp_path / "new", contents)
    assert list(tmp_path.iterdir()) == []


def test_where_there_is_no_archive_that_is_said(tmp_path: Path) -> None:
    assert "there is no folder" in knobeln("verify", tmp_path / "nowhere").output
    assert "there is no archive" in knobeln("verify", tmp_path).output


def test_results_as_json_have_the_games_that_are_asked_for(knobeln_contest: Published) -> None:
    words = ("results", "--json", "-C", knobeln_contest.contest)
    kept = json.loads((knobeln_contest.archive / GROUP).read_text())["matches"]
    assert (
        json.loads(knobeln(*words, "--games").output)["rounds"][0]["groups"][0]["matches"] == kept
    )
    assert json.loads(knobeln(*words).output)["rounds"][0]["groups"][0]["matches"] == []


# --- other games ----------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def cooperation(tmp_path_factory: pytest.TempPathFactory) -> Published:
    names = ("two_tits.sh", "grudger.pl", "always_in_trouble.sh")
    return of_game(tmp_path_factory.mktemp("cooperation"), "cooperation", names, games=2)


@pytest.fixture(scope="module")
def hog(tmp_path_factory: pytest.TempPathFactory) -> Published:
    return of_game(
        tmp_path_factory.mktemp("hog"), "hog", ("always_four.py", "always_six.py", "chaser.py")
    )


@pytest.mark.slow
def test_of_games_in_words_the_moves_are_held_to_the_rules(cooperation: Published) -> None:
    result = knobeln("verify", cooperation.archive)
    assert result.exit_code == DRAW_BELIEVED, result.output
    assert "6 games in 1 round: the moves keep to the rules, and give these points" in result.output
    assert "believed: programs" in result.output
    published = everything(cooperation.archive)
    assert not any(string.encode() in published for string in cooperation.strings)
    assert b"My word:" in published
    assert b"whbt b mess" not in published  # its own team's alone


WORD_LIES: dict[str, tuple[Change, str]] = {
    "a turn less": (edit(GROUP, lambda g: g["matches"][0]["result"]["moves"].pop()), "is not over"),
    "moves": (edit(GROUP, set_to(None, "matches", 0, "result", "moves")), "were not kept"),
    "a game less": (edit(GROUP, lambda g: g["matches"].pop()), "is missing"),
}


@pytest.mark.slow
@pytest.mark.parametrize("lie", WORD_LIES)
def test_a_lie_about_games_in_words_is_found(
    cooperation: Published, mended: Mended, lie: str
) -> None:
    change, words = WORD_LIES[lie]
    result = knobeln("verify", mended(cooperation.archive, change))
    assert result.exit_code == 1, result.output
    assert words in result.output


@pytest.mark.slow
def test_noise_and_payoffs_are_held_to_the_seed_and_the_settings(
    tmp_path: Path, mended: Mended
) -> None:
    def changed(chosen: Any) -> Any:
        game = chosen.game.model_copy(update={"noise_percent": 20, "payoffs": (5, 3, 0, -2)})
        return chosen.model_copy(update={"game": game})

    names = ("always_cooperate.sh", "two_tits.sh", "grudger.pl")
    published = of_game(tmp_path, "cooperation", names, games=1, changed=changed)
    result = knobeln("verify", published.archive)
    assert result.exit_code == DRAW_BELIEVED, result.output

    def unmade(group: Any) -> None:
        turn = next(
            turn for turn in group["matches"][0]["result"]["moves"] if isinstance(turn[0], dict)
        )
        turn[0] = turn[0]["move"]

    def other_settings(contest: Any) -> None:
        contest["settings"]["game"]["noise_percent"] = 19

    for change, words in (
        (edit(GROUP, unmade), "the rules, or chance, made other moves"),
        (edit("contest.json", other_settings), "settings"),
    ):
        result = knobeln("verify", mended(published.archive, change))
        assert result.exit_code == 1, result.output
        assert words in result.output


OTHERS: dict[str, tuple[tuple[str, ...], dict[str, int]]] = {
    # One process through many games; a game that is lost by a fault.
    "bid-tac-toe": (("even_hand.sh", "copycat.pl", "always_in_trouble.sh"), {"games": 3}),
    # A bracket; in the place of a fault a random move that the seed decides.
    "ultimate-tic-tac-toe": (
        ("first_open.sh", "board_taker.pl", "always_in_trouble.sh"),
        {"games": 1},
    ),
    # One game of all, in seats that are drawn; a fault is no action.
    "standoff": (("trigger_happy.sh", "avenger.pl", "dice.pl", "always_in_trouble.sh"), {}),
}


@pytest.mark.slow
@pytest.mark.parametrize("game", OTHERS)
def test_contests_of_all_other_games_can_be_checked(
    tmp_path: Path, mended: Mended, game: str
) -> None:
    names, tournament = OTHERS[game]
    published = of_game(tmp_path, game, names, **tournament)
    result = knobeln("verify", published.archive)
    assert result.exit_code == DRAW_BELIEVED, result.output
    assert "the moves keep to the rules" in result.output
    less = edit(GROUP, lambda g: g["matches"][0]["result"]["moves"].pop())
    assert knobeln("verify", mended(published.archive, less)).exit_code == 1


@pytest.mark.slow
def test_hog_is_computed_again_from_the_sources(hog: Published, mended: Mended) -> None:
    result = knobeln("verify", hog.archive)
    assert result.exit_code == DRAW_BELIEVED, result.output
    assert "3 programs, built again: the same, bit for bit" in result.output
    assert "3 games in 1 round, played again" in result.output
    four = "programs/always_four/source/always_four.py"
    lied = knobeln("verify", mended(hog.archive, swap(four, b"return 4", b"return 5")))
    assert "programs/always_four/source is none of the accepted programs" in lied.output
