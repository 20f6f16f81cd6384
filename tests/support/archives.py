"""Contests that are played and published, for the tests of archives."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any

from click.testing import CliRunner, Result

from compiler.builders import builder_of
from contest.config.settings import Settings
from contest.model import LetterState
from contest.schema.sections import Dates
from knobellib.samples import house_strategies, samples
from knobeln import presets
from knobeln.cli import main
from knobeln.context import ContestContext, create_contest
from knobeln.day.run import contest_day
from mailserver.team_secret import ALPHABET, GROUP_SIZE, GROUPS, digest
from store import Transaction, letters, submissions, teams
from tests.support.clocks import FixedClock
from tests.support.contest_field import NOW, SEED, add_team, record_program, settings
from tournament.runners import open_runner
from trust.archive import files

PAST = Dates.model_validate(dict.fromkeys(Dates.model_fields, "1994-05-14T10:00:00Z"))


DRAW_BELIEVED = 3
"""The exit code of `verify` for an honest contest here: it has no public number, so its draw is
believed."""


@dataclass(frozen=True)
class Published:
    """A contest that was played, its archive, and the authentification strings of its teams."""

    contest: Path
    archive: Path
    strings: tuple[str, ...]


def knobeln(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)


def string_of(team: str) -> str:
    """An authentification string, always the same for the same team."""
    signs = Random(team).choices(ALPHABET, k=GROUPS * GROUP_SIZE)  # noqa: S311
    return "-".join("".join(signs[at : at + GROUP_SIZE]) for at in range(0, len(signs), GROUP_SIZE))


def put_team(
    tx: Transaction, name: str, sent: Mapping[str, bytes], words: str = ""
) -> tuple[int, str]:
    """A team with its letter; the id of its submission, and its authentification string."""
    string = string_of(name)
    team = add_team(tx, name, "LAP,RSM")
    teams.set_auth_digest(tx, team.id, digest(string))
    letter = letters.add(tx, raw=name.encode(), sender="", recipients=(), channel="test", now=NOW)
    letters.finish(tx, letter, LetterState.HANDLED, "", None)
    said = words.replace("STRING", string)
    whole = {file: data.replace(b"STRING", string.encode()) for file, data in sent.items()}
    return submissions.add(tx, team.id, letter, whole, NOW, description=said).id, string


def _whole_day(folder: ContestContext) -> None:
    contest_day(folder).run()


def played(
    path: Path,
    chosen: Settings,
    field: Mapping[str, Mapping[str, bytes]],
    day: Callable[[ContestContext], None] = _whole_day,
    *,
    as_if: Callable[[bytes], bytes] = lambda data: data,
) -> tuple[Path, tuple[str, ...]]:
    """A contest of these teams, from their programs as they were sent to the end of its day.

    `as_if`: the source from which the compiler here makes the build of another compiler.
    """
    chosen = chosen.model_copy(update={"dates": PAST})
    folder = replace(
        create_contest(path, chosen, seed=SEED, clock=FixedClock(NOW)), clock=FixedClock(NOW)
    )
    builder = builder_of(chosen, open_runner)
    strings = []
    for name, sent in field.items():
        with folder.store.write() as tx:
            number, string = put_team(tx, name, sent, "<<FROM>> x STRING\nMy word: STRING")
            whole = submissions.get(tx, number).files
        built = builder.build(
            {file: as_if(data) for file, data in whole.items()}, "", with_trial=False
        )
        assert built.image is not None, built.report.findings
        with folder.store.write() as tx:
            submissions.add_build(
                tx, number, built.report, built.image.to_bytes(), NOW, built.program
            )
            record_program(tx, submissions.get(tx, number), builder.published_files(whole))
        strings.append(string)
    day(folder)
    folder.store.close()
    return path, tuple(strings)


HOUSE = {strategy.name: strategy.source for strategy in house_strategies()}
CRASHES = """
#if 0
This one mostly leaves at its first throw: there is nothing more to it.
#endif
main() { int i; if (next_random(1, 9) < 9) return 0; for (i = 0; i < 60; i++) make_throw(i + 1); }
"""


def knobeln_field() -> dict[str, dict[str, bytes]]:
    """Six teams; one of their programs fails almost always."""
    sources = [*list(HOUSE.values())[:5], CRASHES]
    head = "/*\n  <<FROM>> team_{} STRING\n*/\n"
    return {
        f"team_{number}": {"program.c": (head.format(number) + source).encode()}
        for number, source in enumerate(sources, start=1)
    }


def small() -> Settings:
    """KNOBELN in small groups, with short games."""
    chosen = settings(group_min=2, group_max=4, final_size=3)
    game = chosen.game.model_copy(update={"L": 60})
    programs = chosen.programs.model_copy(update={"description": "warn"})
    return chosen.model_copy(update={"game": game, "programs": programs})


def publish(contest: Path, archive: Path, strings: tuple[str, ...]) -> Published:
    result = knobeln("publish", archive, "-C", contest)
    assert result.exit_code == 0, result.output
    return Published(contest, archive, strings)


def of_game(
    path: Path,
    game: str,
    names: Sequence[str],
    day: Callable[[ContestContext], None] = _whole_day,
    *,
    changed: Callable[[Settings], Settings] = lambda settings: settings,
    **tournament: int,
) -> Published:
    """A contest of sample programs of another game. `changed`: its settings, from those of the
    preset."""
    known = {
        **samples(game),
        "always_in_trouble.sh": b"echo what a mess | tr a b >&2; echo maybe\n",
    }
    field = {
        name.partition(".")[0]: {name: b"# <<FROM>> team STRING\n" + known[name]} for name in names
    }
    chosen = presets.settings(game, NOW)
    few = chosen.tournament.model_copy(update=tournament)
    undescribed = chosen.programs.model_copy(update={"description": "none"})
    chosen = chosen.model_copy(update={"tournament": few, "programs": undescribed})
    contest, strings = played(path / "contest", changed(chosen), field, day)
    return publish(contest, path / "archive", strings)


Mended = Callable[[Path, Callable[[dict[str, bytes]], None]], Path]


def _changed(leaf: Any) -> Any:
    """Another value of the same kind, as close as can be."""
    match leaf:
        case bool():
            return not leaf
        case int() | float():
            return leaf + 1
        case None:
            return 1
        case "disqualified":
            return "dropped"  # the other kind of a ban
        case str() if re.match(r"\d{4}-\d\d-\d\dT", leaf):
            return f"{int(leaf[:4]) + 1}{leaf[4:]}"
        case _:
            return f"{leaf}x"


Place = tuple[str | int, ...]
"""The steps into a value of JSON."""
OTHER_VALUES: Sequence[Any] = (None, [], {}, [[1, 2]], "x", 0, -1, 1.5, True)


def _leaves(value: Any, place: Place = ()) -> Iterator[Place]:
    if not isinstance(value, dict | list) or not value:
        yield place
        return
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        yield from _leaves(part, (*place, key))


def changes(archive: Path) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Every JSON leaf of the archive changed, one at a time: the fact, such as
    `entries.json: *.tool`, and the archive's files."""
    contents = dict(files.read(archive))
    for path in sorted(contents):
        if not path.endswith(".json"):
            continue
        for place in _leaves(json.loads(contents[path])):
            value = json.loads(contents[path])
            *steps, last = place
            holder = value
            for step in steps:
                holder = holder[step]
            if holder[last] in ([], {}):
                continue
            holder[last] = _changed(holder[last])
            raw = json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n"
            yield _fact(path, place), {**contents, path: raw}


def damages(archive: Path, random: Random, number: int) -> Iterator[tuple[str, dict[str, bytes]]]:
    """So many facts, of all kinds in turn, each damaged in a way that is drawn: the fact, and the
    archive's files. A file that is no JSON is one fact, in which a bit is flipped."""
    contents = dict(files.read(archive))
    kinds = _places_by_fact(contents)
    order = sorted(kinds)
    random.shuffle(order)
    for fact in islice(cycle(order), number):
        path, place = random.choice(kinds[fact])
        damage = _with_damaged_value if place else _with_flipped_bit
        yield fact, {**contents, path: damage(contents[path], place, random)}


def _places_by_fact(contents: Mapping[str, bytes]) -> Mapping[str, list[tuple[str, Place]]]:
    """Where each kind of fact stands: the file, and the place in its JSON."""
    kinds: dict[str, list[tuple[str, Place]]] = {}
    for path, raw in contents.items():
        places: list[Place] = [()]
        if path.endswith(".json"):
            places = [place for place in _leaves(json.loads(raw)) if place]
        for place in places:
            kinds.setdefault(_fact(path, place), []).append((path, place))
    return kinds


def _fact(path: str, place: Place) -> str:
    """Such as `entries.json: *.tool`, or `programs/*/description.txt` of a file that is no JSON."""
    file = re.sub(r"(?<=programs/)\w+|(?<=builds/)\w+|(?<=guests/)\w+|[0-9]+", "*", path)
    steps = ".".join("*" if isinstance(step, int) else step for step in place)
    return f"{file}: {steps}" if place else file


def _with_damaged_value(raw: bytes, place: Place, random: Random) -> bytes:
    value = json.loads(raw)
    *steps, last = place
    holder = value
    for step in steps:
        holder = holder[step]
    before = holder[last]
    others = [other for other in OTHER_VALUES if other != before or type(other) is not type(before)]
    close = [] if before in ([], {}) else [_changed(before)]
    holder[last] = random.choice(others + close)
    return json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n"


def _with_flipped_bit(raw: bytes, _place: Place, random: Random) -> bytes:
    damaged = bytearray(raw or b"\n")
    damaged[random.randrange(len(damaged))] ^= 1 << random.randrange(8)
    return bytes(damaged)


def digests_of(archive: Path) -> Mapping[str, str]:
    """Of the files, without what follows from the contest's key."""
    return {path: hashlib.sha256(raw).hexdigest() for path, raw in without_key(archive)}


def without_key(archive: Path) -> Iterator[tuple[str, bytes]]:
    """All files but those with the key that is drawn for each contest; of the ledger what follows
    the first entry, which has it."""
    for file in sorted(archive.rglob("*")):
        if file.is_file() and file.name not in ("ledger.json", "manifest.json"):
            raw = file.read_bytes()
            is_ledger = file.name == "ledger.txt"
            yield str(file.relative_to(archive)), raw.split(b"\n", 5)[-1] if is_ledger else raw


def put_in_place(archive: Path, contents: Mapping[str, bytes]) -> None:
    """Write files that differ into the archive, with a manifest that says nothing of it."""
    for path, data in {**contents, files.MANIFEST: files.manifest_of(contents)}.items():
        file = archive / path
        if not file.exists() or file.read_bytes() != data:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
    for file in archive.rglob("*"):
        path = str(file.relative_to(archive))
        if file.is_file() and path not in contents and path != files.MANIFEST:
            file.unlink()
