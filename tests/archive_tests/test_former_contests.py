"""Archives as fields: their programs play, in practice, in a game, and all in one table."""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from contest.errors import Differs, GiveUp, KnobelnError, NotFound
from contest.model import SeasonTable
from knobeln.archive.former_contests import FormerContest, former_contests, former_programs
from knobeln.archive.season import SEASON, SeasonFacts, folder_of
from sandbox.vm.image import Image
from sandbox.vm.translation import translations
from tests.support.command_line import knobeln
from trust.archive import files

PACKED = Path(__file__).parents[2] / "docs" / "archive-example" / "archive.tar.gz"
TEAMS = 12
LOW = "main () { for (;;) make_throw (100); }\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    unpacked = tmp_path_factory.mktemp("unpacked")
    subprocess.run(["tar", "xzf", PACKED, "-C", unpacked], check=True)
    return (unpacked / "archive").rename(unpacked / "spring 1994")


@pytest.fixture
def low(tmp_path: Path) -> Path:
    program = tmp_path / "low.c"
    program.write_text(LOW)
    return program


def contests(*paths: Path) -> tuple[FormerContest, ...]:
    with former_contests(paths) as opened:
        return opened


def test_a_folder_and_a_file_of_the_same_archive_have_the_same_programs(folder: Path) -> None:
    of_folder, of_file = contests(folder, PACKED)
    assert (of_folder.name, of_file.name) == ("spring_1994", "archive")
    assert of_folder.archive.entries == of_file.archive.entries
    assert of_folder.teams == of_file.teams


def test_the_same_archive_given_twice_has_two_names() -> None:
    assert [contest.name for contest in contests(PACKED, PACKED)] == ["archive", "archive_2"]


def test_the_best_of_a_contest_is_its_first_team() -> None:
    (contest,) = contests(PACKED)
    winner = contest.archive.ranking[0].entry
    assert contest.teams[0] == winner
    assert contest.places[winner] == 1
    with former_contests([PACKED]) as opened:
        assert len(list(former_programs(opened))) == TEAMS


def test_a_program_practises_against_an_archive(low: Path) -> None:
    output = knobeln("practice", low, "--field", PACKED, "--games", 1).output
    assert "archive was a contest of KNOBELN (L = 200); here its programs play KNOBELN." in output
    names = [line.split("\t")[1] for line in output.splitlines() if "\tarchive/" in line]
    assert len(names) == TEAMS
    assert "archive/amber_anchor" in names


def test_folders_and_archives_are_one_field(low: Path) -> None:
    field = low.parent / "field"
    field.mkdir()
    (field / "mine.c").write_text(LOW)
    output = knobeln("practice", low, "--field", PACKED, "--field", field, "--games", 1).output
    assert "\tmine\t" in output
    assert "\tarchive/amber_anchor\t" in output


@pytest.mark.parametrize(
    ("names", "opponent"),
    [
        pytest.param(["copper_kettle"], "copper_kettle", id="a team"),
        pytest.param(["archive/copper_kettle"], "copper_kettle", id="a team of a contest"),
        pytest.param([], "amber_anchor", id="the winner"),
    ],
)
def test_a_program_plays_against_one_of_an_archive(
    names: list[str], opponent: str, low: Path
) -> None:
    output = knobeln("play", low, *names, "--field", PACKED, "--seed", "x").stdout
    assert [line.split(":")[0] for line in output.splitlines()[:2]] == ["low", opponent]


def test_a_name_of_two_programs_is_not_guessed(low: Path, folder: Path) -> None:
    output = knobeln(
        "play", low, "copper_kettle", "--field", PACKED, "--field", folder, code=1
    ).output
    assert "copper_kettle is the name of several programs: archive/copper_kettle and" in output


def test_all_programs_are_ranked_in_one_table(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    text = knobeln("results", "all-time", PACKED, folder, "--csv", "--page", page).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 2 * TEAMS
    assert {row["contest"] for row in rows} == {"archive", "spring_1994"}
    for row in rows:
        played = sum(int(row[key]) for key in ("won", "drawn", "lost"))
        assert played == TEAMS - 1  # the same programs in both contests are one program each
    by_points = sorted(rows, key=lambda row: -float(row["points"]))
    assert [row["rank"] for row in by_points] == [row["rank"] for row in rows]
    for words in ("copper_kettle", "archive and spring_1994", "in 66 games"):
        assert words in page.read_text()


def test_the_table_is_the_same_in_another_order_of_the_archives(folder: Path) -> None:
    one, other = (
        json.loads(knobeln("results", "all-time", "--json", *paths).stdout)
        for paths in ((PACKED, folder), (folder, PACKED))
    )
    assert one["lines"] == other["lines"]


def on_a_host(words: Sequence[object], hash_seed: int, processors: Sequence[int]) -> bytes:
    """What `knobeln` prints in a process of its own, which has these processors."""
    code = "import os, sys; os.sched_setaffinity(0, map(int, sys.argv.pop(1).split(',')))"
    start = f"{code}; from knobeln.cli.main import main; main()"
    command = [sys.executable, "-c", start, ",".join(map(str, processors)), *map(str, words)]
    variables = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    return subprocess.run(command, check=True, capture_output=True, env=variables).stdout


@pytest.mark.slow
def test_two_hosts_make_the_same_table(folder: Path, tmp_path: Path) -> None:
    """With other hashes, and with one processor instead of all."""
    processors = sorted(os.sched_getaffinity(0))
    tables = []
    for number, own in enumerate((processors, processors[:1])):
        page = tmp_path / f"page-{number}.html"
        words = ("results", "all-time", PACKED, folder, "--json", "--page", page)
        tables.append((on_a_host(words, number, own), page.read_bytes()))
    assert tables[0] == tables[1]


@pytest.mark.slow
def test_programs_of_many_games_are_translated_first_and_have_the_same_table(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    images = [Image.from_bytes(path.read_bytes()) for path in (folder / "builds").iterdir()]
    words = ("results", "all-time", "--json", folder)
    interpreted = knobeln(*words).stdout
    assert not translations().found(images)
    monkeypatch.setattr("knobeln.native_code.WORTHWHILE_GAMES", TEAMS - 1)
    assert knobeln(*words).stdout == interpreted
    assert len(translations().found(images)) == TEAMS


def changed(folder: Path, to: Path) -> Path:
    """A copy of the archive in which a program was changed."""
    copy = to / "changed"
    for path in folder.rglob("*"):
        if path.is_file():
            target = copy / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    source = next((copy / "programs").rglob("*.c"))
    source.write_bytes(source.read_bytes() + b"\n")
    return copy


def packed_with(member: tarfile.TarInfo, data: bytes, to: Path) -> Path:
    path = to / "hostile.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return path


def link(to: Path) -> Path:
    member = tarfile.TarInfo("archive/manifest.json")
    member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
    return packed_with(member, b"", to)


def outside(to: Path) -> Path:
    return packed_with(tarfile.TarInfo("../../escaped"), b"data", to)


def device(to: Path) -> Path:
    member = tarfile.TarInfo("archive/manifest.json")
    member.type = tarfile.CHRTYPE
    return packed_with(member, b"", to)


def cut(to: Path) -> Path:
    path = to / "cut.tar.gz"
    path.write_bytes(PACKED.read_bytes()[:20_000])
    return path


def no_archive(to: Path) -> Path:
    path = to / "letter.tar.gz"
    path.write_text("Dear organizer")
    return path


def without_manifest(to: Path) -> Path:
    return packed_with(tarfile.TarInfo("archive/README"), b"nothing", to)


def season_of(folder: Path, digest: str, to: Path) -> Path:
    """A season of one tournament, which the season gives this digest."""
    season = to / "season"
    shutil.copytree(folder, folder_of(season, 1))
    table = SeasonTable(tournaments=1, lines=(), versions=0, games=0, unknown="not played here")
    (season / SEASON).write_bytes(files.to_json(SeasonFacts((digest,), table), SeasonFacts))
    return season


def test_a_season_is_its_tournaments(folder: Path, tmp_path: Path) -> None:
    season = season_of(folder, files.read(folder).digest, tmp_path)
    assert [contest.name for contest in contests(season, folder)] == ["season-1", "spring_1994"]


def test_a_tournament_that_is_not_the_seasons_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(Differs, match="this is another archive"):
        contests(season_of(folder, "0" * 64, tmp_path))


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        pytest.param(link, GiveUp, "manifest.json is a link", id="a link"),
        pytest.param(device, GiveUp, "manifest.json is no file", id="a device"),
        pytest.param(outside, GiveUp, "has no place for", id="a name outside"),
        pytest.param(cut, GiveUp, "is incomplete", id="a file that was cut"),
        pytest.param(no_archive, GiveUp, "is not a .tar.gz", id="text"),
        pytest.param(without_manifest, NotFound, "it has no manifest.json", id="no manifest"),
    ],
)
def test_what_is_no_archive_is_told(
    make: Callable[[Path], Path], error: type[KnobelnError], words: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=words):
        contests(make(tmp_path))
    assert not (tmp_path.parent / "escaped").exists()


def test_a_changed_program_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(Differs, match="was changed: its sha256 is"):
        contests(changed(folder, tmp_path))


def test_an_archive_of_another_game_is_refused_with_both_games(low: Path) -> None:
    output = knobeln("practice", "always_4", "--game", "hog", "--field", PACKED, code=1).output
    assert "archive is a contest of KNOBELN (L = 200), and this is Hog" in output
