"""Checks what came before the first game: the ledger, the lists of entries, the public number."""

from __future__ import annotations

import hashlib
from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise

from contest.config.settings import Settings, settings_digest
from contest.errors import Differs, GiveUp
from contest.language import listed
from contest.ledger import merkle
from contest.ledger.entry_list import EntryList, SealedEntry
from contest.ledger.notes import Checkpoint, VerifierKey, cosigned, read_note
from contest.ledger.receipts import (
    Effect,
    LedgerEntry,
    bounds_of,
    prize_digest,
    program_digest,
)
from contest.ledger.signatures import is_signed
from contest.public_number.beacon import BeaconKind
from contest.public_number.draw import draw_of
from contest.util.clock import TIME_FORMAT
from contest.util.plurals import plural
from trust.archive import files
from trust.archive.contents import Archive, ArchivedList, Seal
from trust.archive.findings import Finding, step
from trust.for_teams.receipts import DAY, about_times, calendar_of
from trust.what_if import WhatIf
from trust.without_bans import WithoutBans


@dataclass(frozen=True)
class Verified:
    """Sentences about what was checked, and about what was not.

    `noticed`: what follows the rules, but a person should look at. `missed`: it can be checked, but
    not on this host; `believed`: results or draws that nobody can check; `unchecked`: what else
    nobody can check. `without_late_bans`: None if nobody was banned late, or if nobody can tell.
    `what_if`: None if nothing was to be changed, or if nobody can tell.
    """

    checked: list[str] = field(default_factory=list)
    noticed: list[Finding] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    believed: list[Finding] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    without_late_bans: WithoutBans | None = None
    what_if: WhatIf | None = None


_ABOUT_TEAMS = (Effect.TAKEN_OUT, Effect.REINSTATED, Effect.PLAYED_AGAIN)
_DECIDED = (*_ABOUT_TEAMS, Effect.TIME_CHANGED)
_WITHDRAWN, _OUT = "withdrawn", "taken out"
_GOES = {Effect.WITHDRAWN: _WITHDRAWN, Effect.TAKEN_OUT: _OUT}
_COMES = {Effect.REGISTRATION_ACCEPTED: _WITHDRAWN, Effect.REINSTATED: _OUT}
_FORGOTTEN = "(forgotten)"  # in place of the people of a team that wished it
_LISTS = (Effect.ENTRIES_LISTED, Effect.ENTRIES_FINAL)
_FREEZES = (*_LISTS, Effect.SETTINGS_CHANGED)
_OWN = (
    *_DECIDED,
    *_FREEZES,
    Effect.PROGRAMS_CLOSED,
    Effect.PRIZES_FIXED,
    Effect.NUMBER_DRAWN,
    Effect.TOURNAMENT_BEGUN,
)
"""The effects that follow no letter."""


def check_entries(archive: Archive, settings: Settings, result: Verified) -> tuple[str, ...]:
    """Check that the ledger is the signed one, that it has the lists, each program that plays and
    every decision of the organizer, and that the public number is the right one. Raises Differs.

    Return the teams that were banned late.
    """
    with step("ledger"):
        check_signature(archive)
        before, end = _bounds(archive)
    earlier, ledger = archive.letters[:before], archive.letters[before:end]
    with step("lists"):
        final = _check_lists(archive, archive.seal, ledger, result)
    before_final = ledger[:final]
    with step("settings"):
        _check_settings(archive, ledger[final])
    with step("programs"):
        _check_programs(archive, [*earlier, *before_final], result)
    result.checked.append(
        f"{plural(len(archive.letters), 'entry', 'entries')} in the ledger of letters, under its"
        " signed root, with every program that played"
    )
    with step("prizes"):
        _check_prizes(archive, settings.teams.prizes_by, before_final, result)
    with step("decisions"):
        _check_decisions(archive, ledger, result)
    steps = ((entry.effect, entry.at) for entry in ledger)
    dates, started = settings.dates, archive.contest.started_at
    calendar = calendar_of(dates.compilation_closes, dates.contest_starts, started, steps)
    result.noticed.extend(Finding(*finding) for finding in about_times(calendar))
    result.noticed.extend(_noticed_at_close(settings, before_final))
    result.noticed.extend(_about_programs(archive, earlier, before_final))
    result.noticed.extend(_noticed(archive, settings, ledger[: final + 1]))
    result.noticed.extend(_about_letters(archive, ledger, settings))
    result.noticed.extend(_noticed_in_order(ledger))
    with step("witnesses"):
        _check_witnesses(archive, settings, ledger, before, result)
    with step("number"):
        _check_number(archive, archive.seal, settings, ledger[final + 1 :], result)
    playing = frozenset(entry.name for entry in archive.entries)
    return late_bans(before_final, ledger[final + 1 :], playing)


def _bounds(archive: Archive) -> tuple[int, int]:
    """Which entries are of this tournament. Raises Differs if the ledger does not have it."""
    number = archive.contest.tournament
    try:
        return bounds_of(archive.letters, number)
    except IndexError:
        raise Differs(f"ledger.txt: tournament {number} has not begun") from None


def _check_settings(archive: Archive, final: LedgerEntry) -> None:
    """Raises Differs unless the ledger has title, dates, rules and settings with the final list."""
    if final.letter != settings_digest(archive.contest.settings, archive.rules):
        frozen = "contest.json: title, dates, rules or settings"
        raise Differs(f"{frozen} are not those that ledger.txt has with the final list")


def check_signature(archive: Archive) -> None:
    """Raises Differs unless the archive's key has signed its ledger for this contest."""
    facts, entries = archive.ledger, archive.letters
    root = merkle.root(entry.leaf() for entry in entries)
    if (facts.size, facts.root) != (len(entries), b64encode(root).decode()):
        raise Differs(
            f"ledger.txt has not the {facts.size} entries of which ledger.json has the root"
        )
    try:
        key, signature = (
            b64decode(text, validate=True) for text in (facts.public_key, facts.signature)
        )
    except ValueError:
        raise Differs("ledger.json: the key and the signature are not in base64") from None
    signed = Checkpoint(archive.contest.seed_commitment, facts.size, root).text.encode()
    if not is_signed(key, signed, signature):
        raise Differs("ledger.json: the key has not signed this ledger of this contest")
    first = entries[0] if entries else None
    expected = (Effect.CONTEST_MADE, archive.contest.seed_commitment, key.hex())
    if first is None or (first.effect, first.letter, first.digest) != expected:
        raise Differs(
            "ledger.txt does not begin with this secret number's sha256 and the key of ledger.json"
        )


# --- witnesses ------------------------------------------------------------------------------------
def _check_witnesses(
    archive: Archive,
    settings: Settings,
    ledger: Sequence[LedgerEntry],
    first: int,
    result: Verified,
) -> None:
    """Tell who has signed the ledger when. Raises Differs for a signature of another ledger.

    `ledger`: the entries of this tournament; `first`: how many there are before them.
    """
    named = [VerifierKey.of_witness(witness.key) for witness in settings.tournament.witnesses]
    signed = _signed_by(named, archive)
    if not named:
        return
    places = {entry.effect: number for number, entry in enumerate(ledger, first + 1)}
    drawn = places.get(Effect.NUMBER_DRAWN, places[Effect.ENTRIES_FINAL])
    moments = {
        "at the deadline": [places.get(Effect.PROGRAMS_CLOSED, 0)],
        "with the final list": [places[Effect.ENTRIES_FINAL]],
        "at the end": [number for number in signed if drawn <= number <= first + len(ledger)],
    }
    started = archive.contest.started_at
    last_times = {"at the deadline": started, "with the final list": started + DAY}
    counts = []
    for moment, numbers in moments.items():
        times = {
            key: signed_at
            for number in numbers
            for key, signed_at in signed.get(number, {}).items()
        }
        since = f" ({min(times.values()):{TIME_FORMAT}})" if times else ""
        counts.append(f"{len(times)} of {len(named)} {moment}{since}")
        for key in named:
            signed_at = times.get(str(key))
            who = f"the witness {key.name} has"
            if signed_at is None:
                text = f"{who} not signed the ledger {moment}"
                result.noticed.append(Finding("witness", text))
            elif signed_at > last_times.get(moment, signed_at):
                text = f"{who} signed the ledger {moment} late, at {signed_at:{TIME_FORMAT}}"
                result.noticed.append(Finding("witness", text))
    result.checked.append(f"witnesses have signed the ledger: {', '.join(counts)}")


def _signed_by(
    named: Sequence[VerifierKey], archive: Archive
) -> Mapping[int, Mapping[str, datetime]]:
    """When each of these witnesses has signed the ledger, by the number of entries and by the
    key."""
    witnesses = {(key.name, key.id): key for key in reversed(named)}
    signed: defaultdict[int, dict[str, datetime]] = defaultdict(dict)
    if archive.cosignatures:
        roots = list(merkle.roots(entry.leaf() for entry in archive.letters))
        for note in archive.cosignatures:
            number, times = _cosignatures(archive, roots, note, witnesses)
            signed[number] |= times
    return signed


def _cosignatures(
    archive: Archive,
    roots: Sequence[bytes],
    note: str,
    witnesses: Mapping[tuple[str, bytes], VerifierKey],
) -> tuple[int, dict[str, datetime]]:
    """Of how many entries the checkpoint is, and when each witness has signed it, by the key.

    `witnesses`: their keys, by name and ID.
    """
    wrong = Differs(
        "cosignatures.json has something else than checkpoints of ledger.txt with signatures of"
        " witnesses"
    )
    try:
        text, (own, *others) = read_note(note)
        number = int(text.split("\n")[1])
        checkpoint = Checkpoint(archive.contest.seed_commitment, number, roots[number])
        key = VerifierKey(checkpoint.origin, b64decode(archive.ledger.public_key))
        if text != checkpoint.text or number <= 0:
            raise wrong
        if own[1][:4] != key.id or not is_signed(key.key, text.encode(), own[1][4:]):
            raise wrong
        signed_at_by_key = {}
        for name, raw in others:
            witness = witnesses[name, raw[:4]]
            signed_at, message, signature = cosigned(text, raw[4:])
            if not is_signed(witness.key, message, signature):
                raise wrong
            signed_at_by_key[str(witness)] = signed_at
    except (ValueError, LookupError):
        raise wrong from None
    return number, signed_at_by_key


# --- the lists of entries -------------------------------------------------------------------------
def _check_lists(
    archive: Archive, seal: Seal, ledger: Sequence[LedgerEntry], result: Verified
) -> int:
    """The place of the final list in the ledger, from 0. Raises Differs unless the ledger has all
    lists."""
    claimed = [_claimed_entry(listing) for listing in archive.entry_lists]
    result.noticed.extend(_other_lists(claimed, ledger))
    final_ones = [listing.is_final for listing in archive.entry_lists]
    if final_ones != [False] * (len(claimed) - 1) + [True]:
        raise Differs("entry_lists.json: one list is the final one, and it is the last")
    _check_final_list(archive, seal, claimed[-1].digest)
    return next(
        index for index, entry in enumerate(ledger) if replace(entry, letter="") == claimed[-1]
    )


def _claimed_entry(claimed: ArchivedList) -> LedgerEntry:
    """What the ledger must have about this list."""
    effect = Effect.ENTRIES_FINAL if claimed.is_final else Effect.ENTRIES_LISTED
    return LedgerEntry(effect, "", claimed.at, digest=_list(claimed).root.hex())


def _other_lists(
    claimed: Sequence[LedgerEntry], ledger: Sequence[LedgerEntry]
) -> Iterator[Finding]:
    """Name the lists in the ledger that the archive does not show. Raises Differs unless those that
    it shows are in the ledger, in their order."""
    in_ledger = [replace(entry, letter="") for entry in ledger if entry.effect in _LISTS]
    known = frozenset(claimed)
    if not claimed or [entry for entry in in_ledger if entry in known] != claimed:
        raise Differs("entry_lists.json has not the lists that ledger.txt has")
    for entry in in_ledger:
        if entry not in known:
            text = (
                f"the ledger has another {entry.effect}, of {entry.at:{TIME_FORMAT}}, that the"
                " archive does not show: the contest was started anew, or a backup was restored;"
                " all teams got it"
            )
            yield Finding("list-hidden", text)


def _check_final_list(archive: Archive, seal: Seal, root: str) -> None:
    """Raises Differs unless the contest was played with the final list, which has this root."""
    final = archive.entry_lists[-1]
    if final.at != archive.contest.started_at:
        raise Differs("entry_lists.json: the final list is not that of the contest's start")
    if seal.entries_root != root:
        raise Differs(
            f"seal.json: the root of the entries is {root}, not {files.shown(seal.entries_root)}"
        )
    playing = [(entry.name, entry.build) for entry in archive.entries]
    if sorted(playing) != [(entry.team, entry.build) for entry in final.entries]:
        raise Differs("entries.json has not the entries of the final list in entry_lists.json")


def _list(claimed: ArchivedList) -> EntryList:
    return EntryList.of(claimed.entries)


# --- programs -------------------------------------------------------------------------------------
def _check_programs(
    archive: Archive, before_final: Sequence[LedgerEntry], result: Verified
) -> None:
    """Raises Differs unless each team that had a program accepted, and did not go, plays with one
    of its own, and nobody else plays."""
    accepted: defaultdict[str, list[LedgerEntry]] = defaultdict(list)
    gone: dict[str, set[str]] = {_WITHDRAWN: set(), _OUT: set()}  # the teams, by why
    for logged in before_final:
        if logged.effect is Effect.PROGRAM_ACCEPTED:
            accepted[logged.team].append(logged)
        elif logged.effect in _GOES:
            gone[_GOES[logged.effect]].add(logged.team)
        elif logged.effect in _COMES:
            gone[_COMES[logged.effect]].discard(logged.team)
        elif logged.effect is Effect.TOURNAMENT_BEGUN:
            gone[_OUT] = set()  # who was taken out of the one before plays again
    entries = archive.entry_lists[-1].entries
    left = gone[_WITHDRAWN] | gone[_OUT]
    for team in sorted(accepted.keys() - {entry.team for entry in entries}):
        if team not in left:
            raise Differs(
                f"entry_lists.json: {team} is not on the final list, but a program of it was"
                " accepted in ledger.txt, and it did not go"
            )
    former: dict[str, LedgerEntry] = {}
    for logged in before_final:
        if logged.effect is Effect.PROGRAM_ACCEPTED and logged.team in gone[_WITHDRAWN]:
            former.setdefault(logged.digest, logged)
    for entry in entries:
        _check_program(archive, entry, accepted[entry.team], former.get(entry.program), result)


def _check_program(
    archive: Archive,
    entry: SealedEntry,
    accepted: Sequence[LedgerEntry],
    former: LedgerEntry | None,
    result: Verified,
) -> None:
    """Check that this program could be on the list.

    `former`: an entry with this program of a team that has withdrawn; it may have a new name.
    """
    newest = max(
        enumerate(accepted), key=lambda numbered: (numbered[1].at, numbered[0]), default=None
    )
    if newest is None and former is not None:
        text = (
            f"{entry.team} plays a program that was accepted of {former.team}, which has withdrawn;"
            " that can happen if a team comes back by another name"
        )
        result.noticed.append(Finding("program-of-former", text))
    elif newest is None:
        raise Differs(f"ledger.txt: no program of {entry.team} was accepted, but it has played")
    elif all(version.digest != entry.program for version in accepted):
        raise Differs(
            f"entry_lists.json: the program of {entry.team} is none of the accepted ones in"
            " ledger.txt"
        )
    elif newest[1].digest != entry.program:
        text = (
            f"an older program of {entry.team} has played: the newest that was accepted came at "
            f"{newest[1].at:{TIME_FORMAT}}"
        )
        result.noticed.append(Finding("program-older", text))
    if program_digest(archive.programs[entry.team].files) != entry.program:
        raise Differs(
            f"programs/{entry.team}/source is none of the accepted programs in ledger.txt"
        )


def _check_prizes(
    archive: Archive, field_name: str, before_final: Sequence[LedgerEntry], result: Verified
) -> None:
    """Raises Differs unless the field of the form by which there are prizes is as the ledger has it
    with the final list."""
    if not field_name:
        return
    fixed = [entry.digest for entry in before_final if entry.effect is Effect.PRIZES_FIXED]
    if fixed[-1:] == [prize_digest({entry.name: entry.prize_field for entry in archive.entries})]:
        return
    if fixed and not any(entry.organization == _FORGOTTEN for entry in archive.entries):
        raise Differs(
            f"entries.json: what teams have in the field {files.shown(field_name)}, by which there"
            " are prizes, is not what the ledger has with the final list"
        )
    text = f"the field {files.shown(field_name)} of each team, by which there are prizes"
    result.believed.append(Finding("prize-field", text))


# --- what a person may want to look at ------------------------------------------------------------
def _about_programs(
    archive: Archive, earlier: Sequence[LedgerEntry], before_final: Sequence[LedgerEntry]
) -> Iterator[Finding]:
    """Whether anybody else than a team could have made it withdraw, or play a former program.

    `earlier`: the entries before this tournament; `before_final`: its own, up to the final list.
    """
    accepted: defaultdict[str, list[LedgerEntry]] = defaultdict(list)
    for logged in (*earlier, *before_final):
        if logged.effect is Effect.PROGRAM_ACCEPTED:
            accepted[logged.team].append(logged)
    withdrawn = dict[str, LedgerEntry]()
    for logged in before_final:
        if logged.effect is Effect.WITHDRAWN and logged.team in accepted:
            withdrawn[logged.team] = logged
        elif logged.effect is Effect.REGISTRATION_ACCEPTED:
            withdrawn.pop(logged.team, None)
    for team, entry in sorted(withdrawn.items()):
        yield Finding(
            "withdrawn",
            f"{team} has withdrawn at {entry.at:{TIME_FORMAT}}, after a program of it was accepted",
        )
    for playing in archive.entry_lists[-1].entries:
        digests = [version.digest for version in accepted[playing.team]]
        if playing.program not in digests:
            continue
        first = digests.index(playing.program)
        again = len(digests) - 1 - digests[::-1].index(playing.program)
        if set(digests[first:again]) - {playing.program}:
            sent_at = accepted[playing.team][again].at
            yield Finding(
                "program-again",
                f"{playing.team} plays a program that it had replaced by another one before it came"
                f" again, at {sent_at:{TIME_FORMAT}}",
            )


def _about_letters(
    archive: Archive, ledger: Sequence[LedgerEntry], settings: Settings
) -> Iterator[Finding]:
    """What became of each objection, and which programs were refused as late though they came in
    time."""
    first = {entry.team: entry for entry in archive.entry_lists[0].entries}
    final = {entry.team: entry for entry in archive.entry_lists[-1].entries}
    closes = settings.dates.compilation_closes
    for logged in ledger:
        if logged.effect is Effect.OBJECTION:
            now = final.get(logged.team)
            same = "the same as" if now == first.get(logged.team) else "another than"
            listed_now = f"the final list has its program, {same} the first one"
            place = listed_now if now else "it is not on the final list"
            yield Finding(
                "objection", f"{logged.team} objected at {logged.at:{TIME_FORMAT}}; {place}"
            )
        elif logged.effect is Effect.PROGRAM_LATE and logged.at < closes:
            yield Finding(
                "program-refused",
                f"a program of {logged.team} was refused as late that came at"
                f" {logged.at:{TIME_FORMAT}}, when programs were still taken (until"
                f" {closes:{TIME_FORMAT}})",
            )


def _noticed_at_close(settings: Settings, before_final: Sequence[LedgerEntry]) -> Iterator[Finding]:
    """The programs that were put in after the ledger had named the letters that still waited."""
    closes = settings.dates.compilation_closes
    closed: list[LedgerEntry] = []
    waiting = set[str]()
    for logged in before_final:
        if logged.effect is Effect.LETTER_WAITS:
            waiting.add(logged.letter)
        elif logged.effect is Effect.PROGRAMS_CLOSED:
            closed.append(logged)
        elif logged.effect is not Effect.PROGRAM_ACCEPTED or not closed:
            continue
        elif logged.at < min(closes, closed[-1].at) and logged.letter not in waiting:
            yield Finding(
                "letter-dated-back",
                f"a program of {logged.team} was accepted that is said to have come at "
                f"{logged.at:{TIME_FORMAT}}, but its letter is none of those that waited at "
                f"{closed[-1].at:{TIME_FORMAT}}, when programs were no longer taken",
            )
    for logged in closed[:-1]:
        yield Finding(
            "taken-again",
            f"programs were taken again after {logged.at:{TIME_FORMAT}}, because the date was"
            " moved",
        )


def _noticed(
    archive: Archive, settings: Settings, until_final: Sequence[LedgerEntry]
) -> Iterator[Finding]:
    """What the organizer has decided before the start, or what came late."""
    closes = settings.dates.compilation_closes
    listed_at, frozen = None, None
    for logged in until_final:
        if logged.effect in _FREEZES:
            if frozen not in (None, logged.letter):
                yield Finding(
                    "settings-changed",
                    f"settings, title, dates or rules were changed before"
                    f" {logged.at:{TIME_FORMAT}}, after a list of entries had gone out",
                )
            frozen = logged.letter
        if logged.effect is Effect.ENTRIES_LISTED:
            listed_at = logged.at
        elif logged.effect is Effect.PROGRAM_ACCEPTED and logged.at >= closes:
            yield Finding(
                "program-late",
                f"a program of {logged.team} was accepted that came at {logged.at:{TIME_FORMAT}},"
                f" when programs were no longer taken ({closes:{TIME_FORMAT}})",
            )
        elif logged.effect is Effect.PROGRAM_ACCEPTED and listed_at:
            yield Finding(
                "program-after-list",
                f"a program of {logged.team} was accepted after the list of"
                f" {listed_at:{TIME_FORMAT}} had gone out; it is said to have come at"
                f" {logged.at:{TIME_FORMAT}}",
            )
        elif logged.effect in (Effect.TAKEN_OUT, Effect.REINSTATED):
            yield Finding(
                "decided-before",
                f"{logged.team} was {logged.effect} before the start, at {logged.at:{TIME_FORMAT}}",
            )
    for before, after in pairwise(archive.entry_lists):
        changed = _list(before).changed_teams(_list(after))
        if changed:
            yield Finding(
                "list-changed",
                f"the list of {after.at:{TIME_FORMAT}} differs from the one of"
                f" {before.at:{TIME_FORMAT}} in {listed(changed)}",
            )


def _noticed_in_order(ledger: Sequence[LedgerEntry]) -> Iterator[Finding]:
    """What the organizer has decided after the start, and what was dated back.

    A letter has the time when it came, which can be before that of an entry in front of it. What
    the contest does itself has the time of its entry; the programs of a team are compiled in the
    order in which they came.
    """
    latest = LedgerEntry(Effect.ENTRIES_LISTED, "", datetime.min.replace(tzinfo=UTC))
    newest = dict[str, LedgerEntry]()  # of the accepted programs of each team
    since = ""
    for logged in ledger:
        before = latest
        if logged.effect is Effect.PROGRAM_ACCEPTED:
            before = newest.setdefault(logged.team, logged)
            newest[logged.team] = max(before, logged, key=lambda entry: entry.at)
        if logged.effect in (*_OWN, Effect.PROGRAM_ACCEPTED) and logged.at < before.at:
            yield Finding(
                "dated-back",
                f"the ledger has an entry of {logged.at:{TIME_FORMAT}} behind one of"
                f" {before.at:{TIME_FORMAT}}: {logged.effect}; it was dated back, or the clock was"
                " changed",
            )
        if since and logged.effect in _ABOUT_TEAMS:
            what = logged.team or "a part of the contest"
            yield Finding(
                "decided-after",
                f"{what} was {logged.effect} at {logged.at:{TIME_FORMAT}}, after {since}",
            )
        if logged.effect is Effect.ENTRIES_FINAL:
            since = "the list of entries was final"
        elif logged.effect is Effect.NUMBER_DRAWN:
            since = "the public number was known"
        latest = max(latest, logged, key=lambda entry: entry.at)


# --- decisions ------------------------------------------------------------------------------------
def _check_decisions(archive: Archive, ledger: Sequence[LedgerEntry], result: Verified) -> None:
    """Raises Differs for a decision that the ledger does not have."""
    logged_decisions = {(logged.effect, logged.team, logged.at) for logged in ledger}
    taken = archive.decisions.taken_out
    archived = [
        *((Effect.TAKEN_OUT, removal.team, removal.at) for removal in taken),
        *(
            (Effect.REINSTATED, removal.team, removal.lifted_at)
            for removal in taken
            if removal.lifted_at
        ),
        *((Effect.PLAYED_AGAIN, "", rerun.at) for rerun in archive.decisions.played_again),
        *((Effect.TIME_CHANGED, "", change.at) for change in archive.time_changes),
    ]
    for effect, team, decided_at in archived:
        if (effect, team, decided_at) not in logged_decisions:
            raise Differs(
                f"ledger.txt does not have the decision {f'about {team} ' if team else ''}of "
                f"{decided_at:{TIME_FORMAT}}: {effect}"
            )
    for effect, team, decided_at in sorted(
        logged_decisions - set(archived), key=lambda decision: decision[2]
    ):
        if effect in _DECIDED:
            text = (
                f"the ledger has a decision of {decided_at:{TIME_FORMAT}} that the archive does not"
                f" show: {f'{team} ' if team else ''}{effect}; that can happen if a backup was"
                " restored"
            )
            result.noticed.append(Finding("decision-hidden", text))


def late_bans(
    before_final: Sequence[LedgerEntry],
    after_final: Sequence[LedgerEntry],
    playing: AbstractSet[str],
) -> tuple[str, ...]:
    """The teams that the organizer took out although they are on the final list of entries.

    That he let a team in again undoes its ban only before this list. A ban that was moved in front
    of the list is late nevertheless: the team could not be on the list if it had been out.
    """
    out = set[str]()
    for logged in before_final:
        if logged.effect is Effect.TAKEN_OUT:
            out.add(logged.team)
        elif logged.effect is Effect.REINSTATED:
            out.discard(logged.team)
    out |= {logged.team for logged in after_final if logged.effect is Effect.TAKEN_OUT}
    return tuple(sorted(out & playing))


# --- the public number ----------------------------------------------------------------------------
def _check_number(
    archive: Archive,
    seal: Seal,
    settings: Settings,
    after_final: Sequence[LedgerEntry],
    result: Verified,
) -> None:
    """Raises Differs unless the number is the one that the final list announced."""
    draw = draw_of(
        settings.tournament.beacon, settings.dates.contest_starts, archive.contest.started_at
    )
    entered = [entry for entry in after_final if entry.effect is Effect.NUMBER_DRAWN]
    drawn = [entry.digest for entry in entered]
    if draw is None:
        if seal.number or seal.source or drawn:
            raise Differs("seal.json has a public number, but the contest uses none")
        result.checked.append("the seed follows from the secret number and the list of entries")
        text = (
            "that the organizer, who knew the secret number, tried no other lists before the start:"
            " the contest uses no public number"
        )
        result.believed.append(Finding("no-number", text))
        return
    try:
        number = draw.read(seal.source)
    except GiveUp as error:
        raise Differs(f"seal.json: the public number: {error}") from None
    if seal.number != number.value.hex():
        raise Differs(f"seal.json: the public number that follows is {number.value.hex()}")
    if drawn != [hashlib.sha256(number.value).hexdigest()]:
        raise Differs("ledger.txt does not have the public number once, after the final list")
    if entered[0].at < draw.at:
        raise Differs(
            f"ledger.txt has the public number at {entered[0].at:{TIME_FORMAT}}, but it was drawn"
            f" at {draw.at:{TIME_FORMAT}}"
        )
    result.checked.append(
        "the seed follows from the secret number, the final list of entries and the public number"
    )
    if draw.beacon.kind is not BeaconKind.DRAND:
        text = files.shown(number.value.decode(errors="replace"))
        result.believed.append(
            Finding("lottery", f"that the numbers of the draw ({draw.beacon.draw}) were {text}")
            if draw.beacon.kind is BeaconKind.LOTTERY
            else Finding(
                "text",
                f"that nobody chose the public number: the organizer handed in the text {text}",
            )
        )
        return
    if entered[0].at > draw.at + DAY:
        text = (
            f"the public number was known at {draw.at:{TIME_FORMAT}}, but the ledger has it only at"
            f" {entered[0].at:{TIME_FORMAT}}"
        )
        result.noticed.append(Finding("number-late", text))
    result.checked.append(
        f"the public number is round {draw.round} of drand, signed by its chain, and not known"
        f" before {draw.at:{TIME_FORMAT}}"
    )
