"""Convert an archive between files and records. Pure: bytes in, bytes out.

contest.json                    times, settings and seed of the contest
entries.json                    the entries: team, program, build and tool
programs/TEAM/source/FILE       the program as it was sent, without its authentification string;
                                FILE may be a path
programs/TEAM/description.txt   the team's description of it
builds/DIGEST                   the build of a program, if its games can be played again
counted.json                    the programs whose time is counted in fuel, and what counts it, if
                                there are any
time_changes.json               when the time for a move was changed, from what to what, if it was
ledger.txt                      the entries of the ledger of letters
ledger.json                     the key, the root and the signature of the ledger
seal.json                       the public number, and the seed
cosignatures.json               checkpoints of the ledger that witnesses have signed, if any were
                                named
entry_lists.json                the lists of entries that went to all teams; the last is final
decisions.json                  the organizer's decisions: teams taken out, rounds played again
rounds.json                     the rounds
rounds/ROUND/group-GROUP.json   a group as drawn, every attempt at a game, its ranking
rounds/ROUND/asked-GROUP.json   what programs whose time is counted were told, so that pages can ask
                                them
guests/SHA256                   the interpreter of such programs
ranking.json                    the contest's ranking
certainty.json                  how sure the ranking is
evolution.json                  all generations, if the contest has an evolution
rules.md                        the rules of the game
announcement.txt                the results as text
verify.html, verify.mjs         the page and the program by which everybody can check the archive
README.md                       how to do that
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from pydantic import ValidationError

from contest.config.settings import (
    Settings,
    SettingsValues,
    public_sections,
    published_settings,
    section_from,
)
from contest.errors import Differs
from contest.ledger import receipts
from contest.ledger.entry_list import SealedEntry
from contest.ledger.receipts import LedgerEntry
from contest.model import (
    BanKind,
    Certainty,
    EvolutionOutcome,
    Fault,
    GroupOutcome,
    Match,
    RoundOutcome,
    RoundPlan,
    SeatResult,
    Standing,
    TimeChange,
)
from contest.public_number.beacon import PublicNumber
from contest.schema.sections import Programs
from contest.seeds import MAX_TOURNAMENTS, ContestSeed
from contest.util.program_files import is_safe_path
from trust.archive.files import MAX_FILE_BYTES, ArchiveFiles, from_json, reason_of, shown, to_json
from trust.archive.pieces import MAX_GAMES, read_group, read_list

K = TypeVar("K")
S = TypeVar("S")
T = TypeVar("T")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,29}")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class ContestFacts:
    """`written_by`: the version of knobeln. `tournament`: its number in the season, 1 without one.

    `settings`: by section, as JSON. `seed`: in hex the secret that the seed is made of.
    """

    written_by: str
    tournament: int
    started_at: datetime
    finished_at: datetime
    seed: str
    seed_commitment: str
    settings: SettingsValues


@dataclass(frozen=True)
class ArchivedEntry:
    """An entry with its team's credits, but neither addresses nor ages.

    `build`: the digest of the build that `tool` has made. `prize_field`: the value of the form's
    field by which there are prizes, "" without one.
    """

    name: str
    organization: str
    members: tuple[str, ...]
    prize_field: str
    program: str  # the name of one of the files
    language: str
    tool: str
    build: str


@dataclass(frozen=True)
class TakenOut:
    """The organizer took a team out of the contest. `lifted_at`: when it was let in again."""

    team: str
    kind: BanKind
    at: datetime
    lifted_at: datetime | None


@dataclass(frozen=True)
class PlayedAgain:
    """The organizer had a round played again, or one group of it, and all that came after it."""

    round: int
    group: int | None  # None = the complete round
    at: datetime


@dataclass(frozen=True)
class Decisions:
    """The organizer's decisions, in their order. Their reasons are not published."""

    taken_out: tuple[TakenOut, ...]
    played_again: tuple[PlayedAgain, ...]

    @property
    def out(self) -> frozenset[str]:
        """All teams that the organizer has ever taken out."""
        return frozenset(removal.team for removal in self.taken_out)


@dataclass(frozen=True)
class Counted:
    """A program whose time is counted in units, so its games can be played again, in any engine.

    `module`: sha256 of its WebAssembly, in which the counter is; `guest`: the interpreter that runs
    it instead, with its version and sha256. One of them is "". `counter`: the versions of the
    counter, of its prices, and of the functions that the host offers. `engine`: a note, which
    decides nothing.
    """

    team: str
    module: str
    guest: str
    counter: str
    engine: str = field(compare=False)


@dataclass(frozen=True)
class LedgerFacts:
    """The signed state of the ledger at the end. The key, the root and the signature are in
    base64."""

    public_key: str
    size: int
    root: str
    signature: str


@dataclass(frozen=True)
class Seal:
    """What the contest's seed is made of, and the seed; in hex.

    `number`: the public number, "" if the contest uses none; `source`: the text that it was read
    from.
    """

    entries_root: str
    number: str
    source: str
    seed: str

    @classmethod
    def of(cls, seed: ContestSeed, number: PublicNumber | None) -> Seal:
        source = number.source if number else ""
        return cls(seed.entries_root.hex(), seed.number.hex(), source, seed.value.hex())


@dataclass(frozen=True)
class ArchivedList:
    """A list of entries that all teams were told."""

    at: datetime
    is_final: bool
    entries: tuple[SealedEntry, ...]


@dataclass(frozen=True)
class Program:
    """A team's program: files by name, and its description."""

    files: Mapping[str, bytes] = field(repr=False)
    description: str


@dataclass(frozen=True)
class Archive:
    """The complete contents of an archive.

    `programs`: by the names of the entries. `builds`: by digest, only of programs whose games can
    be played again.
    """

    contest: ContestFacts
    entries: tuple[ArchivedEntry, ...]
    decisions: Decisions
    programs: Mapping[str, Program]
    builds: Mapping[str, bytes] = field(repr=False)
    history: tuple[RoundOutcome, ...]
    ranking: tuple[Standing, ...]
    evolution: EvolutionOutcome | None
    certainty: Certainty | None
    rules: str
    announcement: str
    ledger: LedgerFacts
    letters: tuple[LedgerEntry, ...] = field(repr=False)  # the entries of the ledger
    seal: Seal
    entry_lists: tuple[ArchivedList, ...]
    # what programs were told in each group, where pages can ask them
    asked: Mapping[tuple[int, int], str]
    # by sha256: interpreters that pages need for that
    guests: Mapping[str, bytes] = field(repr=False)
    # by name: the files with which everybody can check the archive
    checkers: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    counted: tuple[Counted, ...] = ()
    time_changes: tuple[TimeChange, ...] = ()  # of the time for a move; the settings have the first
    # checkpoints of the ledger, with the signatures of witnesses
    cosignatures: tuple[str, ...] = ()


@dataclass(frozen=True)
class RoundFacts:
    number: int
    final: bool
    groups: int


MAX_FACTS_BYTES = 1_000_000  # of a file with facts that are few in any contest
MAX_TEXT_BYTES = 4_000_000

# fields of Archive that are files `<field>.json`: type, most bytes
_FACTS: Mapping[str, tuple[Any, int]] = {
    "contest": (ContestFacts, MAX_FACTS_BYTES),
    "entries": (tuple[ArchivedEntry, ...], MAX_FILE_BYTES),
    "decisions": (Decisions, MAX_FACTS_BYTES),
    "ranking": (tuple[Standing, ...], MAX_FILE_BYTES),
    "ledger": (LedgerFacts, MAX_FACTS_BYTES),
    "seal": (Seal, MAX_FACTS_BYTES),
    "entry_lists": (tuple[ArchivedList, ...], MAX_FILE_BYTES),
    "evolution": (EvolutionOutcome, MAX_FILE_BYTES),
    "certainty": (Certainty, MAX_FACTS_BYTES),
    "counted": (tuple[Counted, ...], MAX_FACTS_BYTES),
    "time_changes": (tuple[TimeChange, ...], MAX_FACTS_BYTES),
    "cosignatures": (tuple[str, ...], MAX_FACTS_BYTES),
}
_OPTIONAL = {
    "evolution": None,
    "certainty": None,
    "counted": (),
    "time_changes": (),
    "cosignatures": (),
}
CHECKERS = ("README.md", "verify.html", "verify.mjs")
_OTHER_FILES = ("rounds.json", "rules.md", "announcement.txt", "ledger.txt", *CHECKERS)


# --- to files -------------------------------------------------------------------------------------
def to_files(archive: Archive) -> dict[str, bytes]:
    """The files of the archive, by path; the same files for the same archive."""
    rounds = tuple(RoundFacts(r.plan.number, r.plan.final, len(r.groups)) for r in archive.history)
    files = {
        "rounds.json": to_json(rounds, tuple[RoundFacts, ...]),
        "rules.md": archive.rules.encode(),
        "announcement.txt": archive.announcement.encode(),
        "ledger.txt": receipts.to_file(archive.letters),
        **archive.checkers,
    }
    for field_name, (kind, _) in _FACTS.items():
        value = getattr(archive, field_name)
        if field_name not in _OPTIONAL or value != _OPTIONAL[field_name]:
            files[f"{field_name}.json"] = to_json(value, kind)
    files |= {_asked_path(*place): text.encode() for place, text in archive.asked.items()}
    for outcome in archive.history:
        for group in outcome.groups:
            files[_group_path(outcome.plan.number, group.plan.number)] = to_json(
                group, GroupOutcome
            )
    for name, program in archive.programs.items():
        files |= {_source_path(name, file): data for file, data in program.files.items()}
        files[_description_path(name)] = program.description.encode()
    files |= {f"guests/{digest}": data for digest, data in archive.guests.items()}
    return files | {f"builds/{digest}": data for digest, data in archive.builds.items()}


def _group_path(round_number: int, group: int) -> str:
    return f"rounds/{round_number}/group-{group}.json"


def _asked_path(round_number: int, group: int) -> str:
    return f"rounds/{round_number}/asked-{group}.json"


def _source_path(entry: str, file: str) -> str:
    return f"programs/{entry}/source/{file}"


def _description_path(entry: str) -> str:
    return f"programs/{entry}/description.txt"


# --- from files -----------------------------------------------------------------------------------
class _Lazy(Mapping[K, T]):
    """Values by key, each converted when it is asked for."""

    def __init__(self, sources: Mapping[K, S], make: Callable[[S], T]) -> None:
        self._sources: Mapping[K, Any] = sources
        self._make: Callable[[Any], T] = make

    def __getitem__(self, key: K) -> T:
        return self._make(self._sources[key])

    def __contains__(self, key: object) -> bool:
        return key in self._sources

    def __iter__(self) -> Iterator[K]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)


def from_files(files: ArchiveFiles) -> Archive:
    """Read an archive from its files, which are foreign input. Does not check whether its contents
    are true.

    Programs and builds are read when they are asked for. Raises Differs for a file that is
    missing, is not in the format of `to_files`, or does not belong there.
    """
    names = tuple(path.split("/")[1] for path in files if path.endswith("/description.txt"))
    entries = tuple(read_list(files, "entries.json", ArchivedEntry, len(names)))
    _must_be_entries(entries)
    sources = _sources(files, [entry.name for entry in entries])
    history = tuple(_rounds(files))
    places = [
        (outcome.plan.number, group.plan.number) for outcome in history for group in outcome.groups
    ]
    asked = {place: _asked_path(*place) for place in places if _asked_path(*place) in files}
    archive = Archive(
        entries=entries,
        programs=_Lazy({name: name for name in sources}, partial(_program, files, sources)),
        builds=_in_folder(files, "builds/"),
        history=history,
        ranking=tuple(read_list(files, "ranking.json", Standing, len(names))),
        asked=_Lazy(asked, partial(_text, files)),
        guests=_in_folder(files, "guests/"),
        rules=_text(files, "rules.md"),
        announcement=_text(files, "announcement.txt"),
        letters=_letters(files),
        checkers={path: _file(files, path, MAX_TEXT_BYTES) for path in CHECKERS},
        **{name: _facts(files, name) for name in _FACTS if name not in ("entries", "ranking")},
    )
    _must_name_teams(archive)
    strange = files.keys() - _known_paths(archive, places, sources) - set(asked.values())
    if strange:
        raise Differs(f"{shown(min(strange))} does not belong in an archive")
    return archive


def _known_paths(
    archive: Archive,
    groups: Iterable[tuple[int, int]],
    sources: Mapping[str, tuple[str, ...]],
) -> set[str]:
    """The files that an archive with these contents may have, but for what programs were asked."""
    known = {*_OTHER_FILES, *(f"{name}.json" for name in _FACTS)}
    known |= {_group_path(*place) for place in groups}
    known |= {_source_path(name, file) for name, names in sources.items() for file in names}
    known |= {_description_path(name) for name in sources}
    known |= {f"builds/{digest}" for digest in archive.builds}
    known |= {f"guests/{digest}" for digest in archive.guests}
    return known


def _in_folder(files: ArchiveFiles, folder: str) -> Mapping[str, bytes]:
    paths = {path.removeprefix(folder): path for path in files if path.startswith(folder)}
    return _Lazy(paths, files.__getitem__)


def _file(files: ArchiveFiles, path: str, max_bytes: int) -> bytes:
    raw = files[path]
    if len(raw) > max_bytes:
        raise Differs(f"{path} has more than {max_bytes:,} bytes")
    return raw


def _text(files: ArchiveFiles, path: str) -> str:
    try:
        return _file(files, path, MAX_TEXT_BYTES).decode()
    except UnicodeDecodeError:
        raise Differs(f"{path} is not in UTF-8") from None


def _facts(files: ArchiveFiles, name: str) -> Any:
    path, (kind, max_bytes) = f"{name}.json", _FACTS[name]
    if name in _OPTIONAL and path not in files:
        return _OPTIONAL[name]
    return from_json(_file(files, path, max_bytes), kind, path)


def _must_be_entries(entries: Iterable[ArchivedEntry]) -> None:
    known: set[str] = set()
    for entry in entries:
        if not _NAME.fullmatch(entry.name) or entry.name.casefold() in known:
            raise Differs(f"entries.json: {shown(entry.name)!r} cannot be the name of another team")
        if not _DIGEST.fullmatch(entry.build):
            raise Differs(
                f"entries.json: {entry.name} has no digest of a build, but {shown(entry.build)!r}"
            )
        known.add(entry.name.casefold())


def _must_name_teams(archive: Archive) -> None:
    """Teams that were out before the start are no entries, so their names can be any."""
    for name in archive.decisions.out:
        if not _NAME.fullmatch(name):
            raise Differs(f"decisions.json: {shown(name)!r} cannot be the name of a team")
    left = {entry.name for entry in archive.entries}
    for counted in archive.counted:
        if counted.team not in left:
            raise Differs(f"counted.json: {shown(counted.team)!r} is no entry, or is there twice")
        left.remove(counted.team)


def _letters(files: ArchiveFiles) -> tuple[LedgerEntry, ...]:
    try:
        return tuple(receipts.from_file(_file(files, "ledger.txt", MAX_FILE_BYTES)))
    except ValueError as error:
        raise Differs(f"ledger.txt: {error}") from None


def _sources(files: ArchiveFiles, entries: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """The names of each entry's files."""
    sources: dict[str, list[str]] = {name: [] for name in entries}
    for path in files:
        folder, name, *rest = (*path.split("/", 3), "", "")
        if folder == "programs" and name in sources and rest[0] == "source":
            if not is_safe_path(rest[1]):
                raise Differs(f"{_source_path(name, '')} has a file {shown(rest[1])!r}")
            sources[name].append(rest[1])
    for name, names in sources.items():
        if not names:
            raise Differs(f"{_source_path(name, '')} has no file")
    return {name: tuple(names) for name, names in sources.items()}


def _program(files: ArchiveFiles, sources: Mapping[str, tuple[str, ...]], entry: str) -> Program:
    paths = {file: _source_path(entry, file) for file in sources[entry]}
    return Program(_Lazy(paths, files.__getitem__), _text(files, _description_path(entry)))


def _rounds(files: ArchiveFiles) -> Iterator[RoundOutcome]:
    games = 0
    for number, facts in enumerate(
        read_list(files, "rounds.json", RoundFacts, len(files)), start=1
    ):
        if facts.number != number or not 1 <= facts.groups <= len(files):
            raise Differs(
                f"rounds.json: round {facts.number} of {facts.groups} groups is number {number}"
            )
        groups = []
        for group_number in range(1, facts.groups + 1):
            group = _group(files, number, group_number, MAX_GAMES - games)
            games += len(group.matches)
            groups.append(group)
        yield RoundOutcome(
            RoundPlan(number, tuple(g.plan for g in groups), facts.final), tuple(groups)
        )


def _group(files: ArchiveFiles, round_number: int, number: int, most: int) -> GroupOutcome:
    path = _group_path(round_number, number)
    group = read_group(files, path, most)
    if (group.plan.round, group.plan.number) != (round_number, number):
        raise Differs(f"{path} is of round {group.plan.round}, group {group.plan.number}")
    return group


# --- settings, teams, results ---------------------------------------------------------------------
def settings_of(facts: ContestFacts) -> Settings:
    """The contest's settings; those that are not archived have our defaults. Raises Differs if
    invalid.

    Variables of the environment, which can override contest.toml, have no effect here.
    """
    sections = public_sections()
    if sorted(facts.settings) != sorted(sections):
        raise Differs(
            f"contest.json: the settings have the sections {shown(', '.join(facts.settings))}"
        )
    try:
        chosen: Mapping[str, Any] = {
            name: section_from(name, facts.settings[name]) for name in sections
        }
    except ValidationError as error:
        raise Differs(f"contest.json: settings: {shown(reason_of(error))}") from None
    settings = Settings.model_construct(**chosen)
    written = published_settings(settings)
    for name, section in facts.settings.items():
        if section != written[name]:
            raise Differs(
                f"contest.json: the settings of [{name}] are not written as knobeln writes them"
            )
    return settings


def without_commands(settings: Settings) -> Settings:
    """The settings without the contest's own languages, which are commands of its organizer: we
    never start a stranger's commands."""
    ours = Programs.model_validate({**settings.programs.model_dump(), "languages": ()})
    return settings.model_copy(update={"programs": ours})


def seed_of(archive: Archive) -> ContestSeed:
    """Raises Differs for an invalid seed, or one that does not fit the commitment or the list of
    entries."""
    facts, seal = archive.contest, archive.seal
    seed = ContestSeed(
        _bytes_32(facts.seed, "contest.json: the seed"),
        _bytes_32(seal.entries_root, "seal.json: the root"),
        _bytes(seal.number, "seal.json: the public number"),
        tournament=facts.tournament,
    )
    if not 1 <= facts.tournament <= MAX_TOURNAMENTS:
        raise Differs(f"contest.json: there is no tournament {facts.tournament}")
    if seed.commitment != facts.seed_commitment:
        raise Differs(
            f"contest.json: the sha256 of the secret number is {seed.commitment}, not "
            f"{shown(facts.seed_commitment)}"
        )
    if seal.seed != seed.value.hex():
        raise Differs(
            f"seal.json: the seed that follows is {seed.value.hex()}, not {shown(seal.seed)}"
        )
    return seed


def _bytes_32(text: str, what: str) -> bytes:
    value = _bytes(text, what)
    if len(value) != 32:
        raise Differs(f"{what} is not 32 bytes in hex")
    return value


def _bytes(text: str, what: str) -> bytes:
    try:
        value = bytes.fromhex(text)
    except ValueError:
        raise Differs(f"{what} is not in hex") from None
    if value.hex() != text:
        raise Differs(f"{what} is not in hex as knobeln writes it")
    return value


def public(outcome: RoundOutcome, *, with_reasons: bool) -> RoundOutcome:
    """The outcome without facts for a program's own team only: its standard error, and the reasons
    of its faults unless `with_reasons`."""
    groups = tuple(
        replace(group, matches=tuple(_public(match, with_reasons) for match in group.matches))
        for group in outcome.groups
    )
    return replace(outcome, groups=groups)


def _public(match: Match, with_reasons: bool) -> Match:
    seats = tuple(_public_seat(seat, with_reasons) for seat in match.result.seats)
    return replace(match, result=replace(match.result, seats=seats))


def _public_seat(seat: SeatResult, with_reasons: bool) -> SeatResult:
    if seat.fault is None:
        return seat
    return replace(seat, fault=Fault(seat.fault.turn, seat.fault.reason if with_reasons else ""))
