"""Convert an archive between files and records. Pure: bytes in, bytes out.

contest.json                    times, settings and seed of the contest
entries.json                    the entries: team, program, build and tool
programs/TEAM/source/FILE       the program as it was sent, without its authentification string
programs/TEAM/description.txt   the team's description of it
builds/DIGEST                   the build of a program, if its games can be played again
counted.json                    the programs whose time is counted in fuel, if any, and what counts it
blanked.json                    the programs in which more than the <<FROM>> line was blanked, if any
time_changes.json               when the time for a move was changed, from what to what, if it was
ledger.txt                      the entries of the ledger of letters, if the contest kept one
ledger.json                     the key, the root and the signature of the ledger
seal.json                       the public number, and the seed
entry_lists.json                the lists of entries that went to all teams; the last is the final one
decisions.json                  the organizer's decisions: teams taken out, rounds played again
rounds.json                     the rounds
rounds/ROUND/group-GROUP.json   a group as drawn, every attempt at a game, its ranking
ranking.json                    the contest's ranking
    rounds/ROUND/group-GROUP.csv    its score matrix: row = team, column = opponent, cell = points won
    certainty.json                  how sure the ranking is
evolution.json                  all generations, if the contest has an evolution
rules.md                        the rules of the game
announcement.txt                the results as text
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from contest.archive.files import MAX_FILE_BYTES, ArchiveFiles, from_json, reason_of, shown, to_json
from contest.archive.pieces import MAX_GAMES, read_group, read_list
from contest.config.sections import Tournament
from contest.config.settings import AnyGame, Settings
from contest.errors import Differs
from contest.file_names import is_safe
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
    Member,
    Registration,
    RoundOutcome,
    RoundPlan,
    SeatResult,
    Standing,
    Team,
    TeamState,
    TimeChange,
)
from contest.seeds import ContestSeed

SECTIONS = ("contest", "dates", "game", "programs", "teams", "tournament", "evolution", "reports")
"""The sections of contest.toml that determine results and announcement. Settings of the mail are private."""

K = TypeVar("K")
S = TypeVar("S")
T = TypeVar("T")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,29}")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class ContestFacts:
    """`written_by`: the version of knobeln. `settings`: by section, as JSON.

    `seed`: in hex the secret that the seed is made of; without a `Seal` it is the seed itself.
    """

    written_by: str
    started_at: datetime
    finished_at: datetime
    seed: str
    seed_commitment: str
    settings: dict[str, Any]


@dataclass(frozen=True)
class ArchivedEntry:
    """An entry with its team's credits, but neither addresses nor ages.

    `build`: the digest of the build that `tool` has made. `prize_field`: the value of the form's field by
    which there are prizes, "" without one.
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
        return frozenset(each.team for each in self.taken_out)


@dataclass(frozen=True)
class Counted:
    """A program whose time is counted in fuel, so its games can be played again: by these versions alone.

    `guest`: the interpreter that runs it, with its version and sha256; "" if its build is WebAssembly.
    """

    team: str
    engine: str
    guest: str


@dataclass(frozen=True)
class Blanked:
    """A program of which authentication strings were blanked outside its `<<FROM>>` line.

    `files`: those of its source. `is_other_program`: without the strings the source makes another build.
    `build`: the sha256 of its build as it is published, "" if it is unchanged.
    """

    team: str
    files: tuple[str, ...]
    is_other_program: bool
    build: str


@dataclass(frozen=True)
class LedgerFacts:
    """The signed state of the ledger at the end. The key, the root and the signature are in base64."""

    public_key: str
    size: int
    root: str
    signature: str


@dataclass(frozen=True)
class ArchivedLedger:
    """The ledger of letters, with its signed state at the end."""

    facts: LedgerFacts
    entries: tuple[LedgerEntry, ...] = field(repr=False)


@dataclass(frozen=True)
class Seal:
    """What the contest's seed is made of, and the seed; in hex.

    `number`: the public number, "" if the contest uses none; `source`: the text that it was read from.
    """

    entries_root: str
    number: str
    source: str
    seed: str


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

    `programs`: by the names of the entries. `builds`: by digest, only of programs whose games can be played
    again.
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
    scores: Mapping[tuple[int, int], str]  # the score matrix of each group with games of two, as CSV
    rules: str
    announcement: str
    counted: tuple[Counted, ...] = ()
    blanked: tuple[Blanked, ...] = ()
    time_changes: tuple[TimeChange, ...] = ()  # of the time for a move; the settings have the first
    retired: tuple[str, ...] = ()  # files that only earlier versions wrote, and that nothing reads
    ledger: ArchivedLedger | None = None  # None: an earlier version made the contest
    seal: Seal | None = None  # None: the same
    entry_lists: tuple[ArchivedList, ...] = ()  # (): the same

    @property
    def changed_builds(self) -> Mapping[str, str]:
        """The sha256 of each build in which a string was blanked, by the digest under which it played."""
        played = {entry.name: entry.build for entry in self.entries}
        return {played[each.team]: each.build for each in self.blanked if each.build}


@dataclass(frozen=True)
class RoundFacts:
    number: int
    final: bool
    groups: int


_CONTEST = TypeAdapter(ContestFacts)
_ENTRIES = TypeAdapter(tuple[ArchivedEntry, ...])
_DECISIONS = TypeAdapter(Decisions)
_ROUNDS = TypeAdapter(tuple[RoundFacts, ...])
_GROUP = TypeAdapter(GroupOutcome)
_RANKING = TypeAdapter(tuple[Standing, ...])
_ENTRY = TypeAdapter(ArchivedEntry)
_ROUND = TypeAdapter(RoundFacts)
_STANDING = TypeAdapter(Standing)
_EVOLUTION = TypeAdapter(EvolutionOutcome)
_CERTAINTY = TypeAdapter(Certainty)
_COUNTED = TypeAdapter(tuple[Counted, ...])
_BLANKED = TypeAdapter(tuple[Blanked, ...])
_LEDGER = TypeAdapter(LedgerFacts)
_SEAL = TypeAdapter(Seal)
_LISTS = TypeAdapter(tuple[ArchivedList, ...])
_TIME_CHANGES = TypeAdapter(tuple[TimeChange, ...])


# --- to files ----------------------------------------------------------------------------------------------
def to_files(archive: Archive) -> dict[str, bytes]:
    """The files of the archive, by path; the same files for the same archive."""
    facts = tuple(RoundFacts(r.plan.number, r.plan.final, len(r.groups)) for r in archive.history)
    files = {
        "contest.json": to_json(archive.contest, _CONTEST),
        "entries.json": to_json(archive.entries, _ENTRIES),
        "decisions.json": to_json(archive.decisions, _DECISIONS),
        "rounds.json": to_json(facts, _ROUNDS),
        "ranking.json": to_json(archive.ranking, _RANKING),
        "rules.md": archive.rules.encode(),
        "announcement.txt": archive.announcement.encode(),
    }
    if archive.evolution is not None:
        files["evolution.json"] = to_json(archive.evolution, _EVOLUTION)
    if archive.certainty is not None:
        files["certainty.json"] = to_json(archive.certainty, _CERTAINTY)
    if archive.counted:
        files["counted.json"] = to_json(archive.counted, _COUNTED)
    if archive.blanked:
        files["blanked.json"] = to_json(archive.blanked, _BLANKED)
    if archive.time_changes:
        files["time_changes.json"] = to_json(archive.time_changes, _TIME_CHANGES)
    if archive.ledger is not None:
        files["ledger.json"] = to_json(archive.ledger.facts, _LEDGER)
        files["ledger.txt"] = receipts.to_file(archive.ledger.entries)
    if archive.seal is not None:
        files["seal.json"] = to_json(archive.seal, _SEAL)
        files["entry_lists.json"] = to_json(archive.entry_lists, _LISTS)
    for place, table in archive.scores.items():
        files[_scores_path(*place)] = table.encode()
    for outcome in archive.history:
        for group in outcome.groups:
            files[_group_path(outcome.plan.number, group.plan.number)] = to_json(group, _GROUP)
    for name, program in archive.programs.items():
        files |= {_source_path(name, file): data for file, data in program.files.items()}
        files[_description_path(name)] = program.description.encode()
    return files | {f"builds/{digest}": data for digest, data in archive.builds.items()}


def _group_path(round_number: int, group: int) -> str:
    return f"rounds/{round_number}/group-{group}.json"


def _scores_path(round_number: int, group: int) -> str:
    return f"rounds/{round_number}/group-{group}.csv"


def _source_path(entry: str, file: str) -> str:
    return f"programs/{entry}/source/{file}"


def _description_path(entry: str) -> str:
    return f"programs/{entry}/description.txt"


# --- from files --------------------------------------------------------------------------------------------
MAX_FACTS_BYTES = 1_000_000  # of a file with facts that are few in any contest
MAX_TEXT_BYTES = 4_000_000


class _Lazy(Mapping[K, T]):
    """Values by key, each of which is made from something when it is asked for."""

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
    """Read an archive from its files, which are foreign input. Does not check whether its contents are true.

    Programs, builds and score matrices are read when they are asked for. Raises Differs for a file that is
    missing, is not in the format of `to_files`, or does not belong there.
    """
    names = tuple(path.split("/")[1] for path in files if path.endswith("/description.txt"))
    entries = tuple(_listed(files, "entries.json", _ENTRY, len(names)))
    _must_be_entries(entries)
    sources = _sources(files, [entry.name for entry in entries])
    history = tuple(_rounds(files))
    places = [(outcome.plan.number, group.plan.number) for outcome in history for group in outcome.groups]
    scores = {place: _scores_path(*place) for place in places if _scores_path(*place) in files}
    archive = Archive(
        contest=_facts(files, "contest.json", _CONTEST),
        entries=entries,
        decisions=_decisions(files),
        programs=_Lazy({name: name for name in sources}, partial(_program, files, sources)),
        builds=_Lazy(
            {path.removeprefix("builds/"): path for path in files if path.startswith("builds/")},
            files.__getitem__,
        ),
        history=history,
        ranking=tuple(_listed(files, "ranking.json", _STANDING, len(names))),
        evolution=_if_any(files, "evolution.json", _EVOLUTION, MAX_FILE_BYTES),
        certainty=_if_any(files, "certainty.json", _CERTAINTY),
        scores=_Lazy(scores, partial(_text, files)),
        rules=_text(files, "rules.md"),
        announcement=_text(files, "announcement.txt"),
        counted=_counted(files, sources),
        blanked=_blanked(files, sources),
        time_changes=_if_any(files, "time_changes.json", _TIME_CHANGES) or (),
        retired=tuple(path for path in RETIRED_FILES if path in files),
        ledger=_ledger(files),
        seal=_if_any(files, "seal.json", _SEAL),
        entry_lists=_if_any(files, "entry_lists.json", _LISTS, MAX_FILE_BYTES) or (),
    )
    known = {*_FILES, *scores.values(), *(_group_path(*place) for place in places)}
    known |= {_source_path(name, file) for name, found in sources.items() for file in found}
    known |= {_description_path(name) for name in sources} | {f"builds/{digest}" for digest in archive.builds}
    if strange := sorted(files.keys() - known):
        raise Differs(f"{shown(strange[0])} does not belong in an archive")
    return archive


RETIRED_FILES = ("replays.json",)
"""Files that earlier versions wrote and that nothing reads any more."""
_FILES = (
    "contest.json",
    "entries.json",
    "decisions.json",
    "rounds.json",
    "ranking.json",
    "rules.md",
    "announcement.txt",
    "evolution.json",
    "certainty.json",
    *RETIRED_FILES,
    "counted.json",
    "blanked.json",
    "time_changes.json",
    "ledger.json",
    "ledger.txt",
    "seal.json",
    "entry_lists.json",
)


def _listed(files: ArchiveFiles, path: str, adapter: TypeAdapter[T], most: int) -> Iterator[T]:
    if path not in files:
        raise Differs(f"{path} is missing")
    return read_list(files, path, adapter, most)


def _file(files: ArchiveFiles, path: str, max_bytes: int) -> bytes:
    if path not in files:
        raise Differs(f"{path} is missing")
    raw = files[path]
    if len(raw) > max_bytes:
        raise Differs(f"{path} has more than {max_bytes:,} bytes")
    return raw


def _text(files: ArchiveFiles, path: str) -> str:
    try:
        return _file(files, path, MAX_TEXT_BYTES).decode()
    except UnicodeDecodeError:
        raise Differs(f"{path} is not in UTF-8") from None


def _facts(files: ArchiveFiles, path: str, adapter: TypeAdapter[T], max_bytes: int = MAX_FACTS_BYTES) -> T:
    return from_json(_file(files, path, max_bytes), adapter, path)


def _if_any(
    files: ArchiveFiles, path: str, adapter: TypeAdapter[T], max_bytes: int = MAX_FACTS_BYTES
) -> T | None:
    return _facts(files, path, adapter, max_bytes) if path in files else None


def _must_be_entries(entries: Iterable[ArchivedEntry]) -> None:
    known: set[str] = set()
    for entry in entries:
        if not _NAME.fullmatch(entry.name) or entry.name.casefold() in known:
            raise Differs(f"entries.json: {shown(entry.name)!r} cannot be the name of another team")
        if not _DIGEST.fullmatch(entry.build):
            raise Differs(f"entries.json: {entry.name} has no digest of a build, but {shown(entry.build)!r}")
        known.add(entry.name.casefold())


def _decisions(files: ArchiveFiles) -> Decisions:
    """Teams that were out before the start are no entries, so their names can be any."""
    decisions = _facts(files, "decisions.json", _DECISIONS)
    for name in decisions.out:
        if not _NAME.fullmatch(name):
            raise Differs(f"decisions.json: {shown(name)!r} cannot be the name of a team")
    return decisions


def _counted(files: ArchiveFiles, sources: Mapping[str, tuple[str, ...]]) -> tuple[Counted, ...]:
    counted = _if_any(files, "counted.json", _COUNTED) or ()
    left = set(sources)
    for each in counted:
        if each.team not in left:
            raise Differs(f"counted.json: {shown(each.team)!r} is no entry, or is there twice")
        left.remove(each.team)
    return counted


def _blanked(files: ArchiveFiles, sources: Mapping[str, tuple[str, ...]]) -> tuple[Blanked, ...]:
    blanked = _if_any(files, "blanked.json", _BLANKED) or ()
    for each in blanked:
        if each.team not in sources or not set(each.files) <= set(sources[each.team]):
            raise Differs(f"blanked.json: {shown(each.team)!r} has no such files")
        if each.build and not _DIGEST.fullmatch(each.build):
            raise Differs(f"blanked.json: {shown(each.build)!r} is no digest of a build")
    return blanked


def _ledger(files: ArchiveFiles) -> ArchivedLedger | None:
    facts = _if_any(files, "ledger.json", _LEDGER)
    if facts is None and "ledger.txt" not in files:
        return None
    if facts is None:
        raise Differs("ledger.json is missing: there is a ledger.txt")
    try:
        return ArchivedLedger(facts, tuple(receipts.from_file(_file(files, "ledger.txt", MAX_FILE_BYTES))))
    except ValueError as error:
        raise Differs(f"ledger.txt: {error}") from None


def _sources(files: ArchiveFiles, entries: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """The names of each entry's files."""
    found: dict[str, list[str]] = {name: [] for name in entries}
    for path in files:
        folder, name, *rest = (*path.split("/", 3), "", "")
        if folder == "programs" and name in found and rest[0] == "source":
            if not is_safe(rest[1]):
                raise Differs(f"{_source_path(name, '')} has a file {shown(rest[1])!r}")
            found[name].append(rest[1])
    for name, names in found.items():
        if not names:
            raise Differs(f"{_source_path(name, '')} has no file")
    return {name: tuple(names) for name, names in found.items()}


def _program(files: ArchiveFiles, sources: Mapping[str, tuple[str, ...]], entry: str) -> Program:
    paths = {file: _source_path(entry, file) for file in sources[entry]}
    return Program(_Lazy(paths, files.__getitem__), _text(files, _description_path(entry)))


def _rounds(files: ArchiveFiles) -> Iterator[RoundOutcome]:
    games = 0
    for number, facts in enumerate(_listed(files, "rounds.json", _ROUND, len(files)), start=1):
        if facts.number != number or not 1 <= facts.groups <= len(files):
            raise Differs(f"rounds.json: round {facts.number} of {facts.groups} groups is number {number}")
        groups = []
        for group_number in range(1, facts.groups + 1):
            group = _group(files, number, group_number, MAX_GAMES - games)
            games += len(group.matches)
            groups.append(group)
        yield RoundOutcome(RoundPlan(number, tuple(g.plan for g in groups), facts.final), tuple(groups))


def _group(files: ArchiveFiles, round_number: int, number: int, most: int) -> GroupOutcome:
    path = _group_path(round_number, number)
    if path not in files:
        raise Differs(f"{path} is missing")
    group = read_group(files, path, most)
    if (group.plan.round, group.plan.number) != (round_number, number):
        raise Differs(f"{path} is of round {group.plan.round}, group {group.plan.number}")
    return group


# --- settings, teams, results ------------------------------------------------------------------------------
def published_settings(settings: Settings) -> dict[str, Any]:
    """The sections that are published, without the number of workers, which does not change results."""
    chosen = {name: getattr(settings, name).model_dump(mode="json") for name in SECTIONS}
    for name in ("workers", "drand_urls"):  # they decide nothing
        chosen["tournament"].pop(name)
    return chosen


_DECISIVE_SECTIONS = ("game", "programs", "tournament", "evolution")


def settings_digest(published: Mapping[str, Any]) -> str:
    """The sha256, in hex, of the settings that decide results, which the ledger has before the final list.

    `published`: all sections, as `contest.json` has them. Hashed is their JSON, sorted and without spaces.
    """
    decisive = {name: published[name] for name in _DECISIVE_SECTIONS}
    text = json.dumps(decisive, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


_RETIRED_SETTINGS = {("tournament", name) for name in Tournament.retired}


def settings_of(facts: ContestFacts) -> Settings:
    """The contest's settings; sections that are not archived have our defaults. Raises Differs if invalid.

    Variables of the environment, which can override contest.toml, have no effect here.
    """
    if sorted(facts.settings) != sorted(SECTIONS):
        raise Differs(f"contest.json: the settings have the sections {shown(', '.join(facts.settings))}")
    try:
        sections = {name: _section(name, facts.settings[name]) for name in SECTIONS}
    except ValidationError as error:
        raise Differs(f"contest.json: settings: {shown(reason_of(error))}") from None
    settings = Settings.model_construct(**sections)
    written = published_settings(settings)
    for name, section in facts.settings.items():  # a setting that is missing is newer than the archive
        known = {key: value for key, value in section.items() if (name, key) not in _RETIRED_SETTINGS}
        if any(key not in written[name] or written[name][key] != value for key, value in known.items()):
            raise Differs(f"contest.json: the settings of [{name}] are not written as knobeln writes them")
    return settings


def _section(name: str, value: Any) -> Any:
    if name == "game":
        return TypeAdapter(AnyGame).validate_python(value)
    return Settings.model_fields[name].annotation.model_validate(value)  # type: ignore[union-attr]


def seed_of(archive: Archive) -> ContestSeed:
    """Raises Differs for an invalid seed, or one that does not fit the commitment or the list of entries."""
    facts, seal = archive.contest, archive.seal
    secret = _bytes_32(facts.seed, "contest.json: the seed")
    if seal is None:
        seed = ContestSeed(secret)
    else:
        root = _bytes_32(seal.entries_root, "seal.json: the root")
        seed = ContestSeed(secret, root, _bytes(seal.number, "seal.json: the public number"))
    if seed.commitment != facts.seed_commitment:
        raise Differs(
            f"contest.json: the sha256 of the secret number is {seed.commitment}, not "
            f"{shown(facts.seed_commitment)}"
        )
    if seal is not None and seal.seed != seed.value.hex():
        raise Differs(f"seal.json: the seed that follows is {seed.value.hex()}, not {shown(seal.seed)}")
    return seed


def _bytes_32(text: str, what: str) -> bytes:
    found = _bytes(text, what)
    if len(found) != 32:
        raise Differs(f"{what} is not 32 bytes in hex")
    return found


def _bytes(text: str, what: str) -> bytes:
    try:
        found = bytes.fromhex(text)
    except ValueError:
        raise Differs(f"{what} is not in hex") from None
    if found.hex() != text:
        raise Differs(f"{what} is not in hex as knobeln writes it")
    return found


def team_of(entry: ArchivedEntry, settings: Settings, at: datetime) -> Team:
    """The team, with only the facts that the announcement needs."""
    prizes = settings.teams.prizes_by
    fields = ((prizes, entry.prize_field),) if prizes and entry.prize_field else ()
    members = tuple(Member(name, None, "", "") for name in entry.members)
    registration = Registration("", (), entry.name, entry.organization, members, fields)
    return Team(0, registration, entry.name, TeamState.ACTIVE, at)


def public(outcome: RoundOutcome, *, with_reasons: bool) -> RoundOutcome:
    """The outcome without facts for a program's own team only: its standard error, and the reasons of its
    faults unless `with_reasons`."""
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
