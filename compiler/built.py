"""What follows from a build, in the transaction that keeps it: the ledger's entry, the place on the
ladder, and the mail with its file for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from compiler.builders.base import ProgramBuilder
from contest.config.settings import Settings
from contest.games.hog import WIN_RATE_UNIT
from contest.interfaces.protocols import BuildResult, Renderer, Serializable, to_team
from contest.ladder_ranking import is_exact, is_ladder_told, rank_in
from contest.ledger.receipts import Effect, LedgerEntry, Receipt, program_digest
from contest.mail import knobeln_json
from contest.model import (
    Attachment,
    LadderEntry,
    LadderGame,
    LadderPlace,
    LadderRank,
    Outgoing,
    Participation,
    Submission,
    Team,
)
from contest.model.mail_records import CompileRecord, FindingPlace, QuotedBuild
from store import Transaction, ladder, ledger, letters, participation, submissions

DigestPair = tuple[str, str]


@dataclass(frozen=True)
class Built:
    """A program with its build. `previous`: the version that was the newest accepted one before;
    `is_closed`: programs are no longer taken."""

    submission: Submission
    team: Team
    result: BuildResult[Serializable]
    previous: Submission | None
    is_closed: bool

    @property
    def effect(self) -> Effect:
        return Effect.PROGRAM_ACCEPTED if self.result.image else Effect.PROGRAM_REFUSED


def record(
    tx: Transaction,
    effect: Effect,
    submission: Submission,
    team: Team,
    builder: ProgramBuilder[Any],
) -> tuple[Receipt, str]:
    """Append what became of the submission to the ledger, with the digest of its published files.

    Returns the receipt and the digest.
    """
    letter = letters.digest_of(tx, submission.letter_id)
    program = program_digest(builder.published_files(submission.files))
    entry = LedgerEntry(effect, team.name, submission.received_at, letter, program)
    return ledger.append(tx, entry), program


def replace_programs(
    tx: Transaction, old: Sequence[int], team: Team, builder: ProgramBuilder[Any]
) -> None:
    """Take these programs of the team out of the queue: a newer one has come."""
    for submission_id in old:
        submission = submissions.get(tx, submission_id)
        record(tx, Effect.PROGRAM_REPLACED, submission, team, builder)
    submissions.replace(tx, old)


def report_mail(
    tx: Transaction,
    built: Built,
    *,
    place: LadderPlace | None,
    receipt: Receipt,
    digest: str,
    settings: Settings,
    renderer: Renderer,
) -> Outgoing:
    """Return the compile report. `place`: on the ladder; `digest`: of the program in the ledger."""
    submission, team, report = built.submission, built.team, built.result.report
    own = submissions.program_of(tx, team.id)
    text = renderer.render(
        "compile_report",
        team=team.name,
        number=submission.number,
        report=report,
        previous_good=built.previous.number if built.previous else None,
        own=own,
        repairs=submission.repairs,
        replaced=submissions.replaced_by(tx, submission),
        is_closed=built.is_closed,
        place=place,
        digest=digest,
    )
    return replace(
        to_team(team, f"compile report/{submission.id}", "compile report", text),
        in_reply_to=submission.reply_to,
        letter_id=submission.letter_id,
        receipt=receipt,
        attachments=_for_programs(built, own.counts, settings),
    )


def _for_programs(built: Built, counts: int | None, settings: Settings) -> tuple[Attachment, ...]:
    """Return the report for the team's own programs. `counts`: the version that counts now."""
    team, report = built.team, built.result.report
    if not knobeln_json.is_wanted(team, settings):
        return ()
    record = CompileRecord(
        team=knobeln_json.number_of(team),
        number=built.submission.number,
        accepted=report.accepted,
        counts=counts,
        findings=tuple(
            FindingPlace(finding.rule, finding.severity, finding.line)
            for finding in report.findings
        ),
        trial=report.trial.result.seats[0].verdict if report.trial else None,
        quoted=knobeln_json.quoted(QuotedBuild, settings, [team], build=report),
    )
    return (knobeln_json.file(record),)


# --- the ladder -----------------------------------------------------------------------------------
class RatesMissing(Exception):
    """Rolls the transaction back: these win rates must be computed first."""

    def __init__(self, pairs: Sequence[DigestPair], images: Mapping[str, bytes]) -> None:
        super().__init__(f"{len(pairs)} win rates")
        self.pairs = pairs
        self.images = images


def rank_of(tx: Transaction, settings: Settings, team: Team) -> LadderRank | None:
    """Return the rank of the team's version that counts; where games are played, in the newest
    ranking that has all games."""
    if not is_ladder_told(settings):
        return None
    if is_exact(settings):
        return rank_in(ladder.now(tx, settings).lines, team.name)
    newest = ladder.rankings(tx, 1)
    return rank_in(newest[0].lines, team.name) if newest else None


def place_of(
    tx: Transaction,
    settings: Settings,
    team: Team,
    rates: Mapping[DigestPair, float],
    before: LadderRank | None,
) -> LadderPlace | None:
    """Return the place of the team's new version on the ladder; None if there is no ladder, or if
    the team takes no part.

    Raises RatesMissing where games are computed, and `rates` lack one.
    """
    if not is_ladder_told(settings):
        return None
    if is_exact(settings):
        _compute_games(tx, rates)
    if participation.of_team(tx, team.id) is not Participation.ACTIVE:
        return None
    if is_exact(settings):
        return ladder.now(tx, settings).place(team.name, before)
    return LadderPlace(None, before)


def _compute_games(tx: Transaction, rates: Mapping[DigestPair, float]) -> None:
    """Put the missing games of a ladder that is exact into it. Raises RatesMissing."""
    pairs = ladder.missing(tx, all_teams=True)
    unknown = [_digests_of(pair) for pair in pairs if _digests_of(pair) not in rates]
    if unknown:
        digests = [digest for pair in unknown for digest in pair]
        raise RatesMissing(unknown, submissions.load_images(tx, digests))
    ladder.delete_outdated_games(tx)
    ladder.put(tx, [_game(pair, rates[_digests_of(pair)]) for pair in pairs])


def _game(pair: tuple[LadderEntry, LadderEntry], rate: float) -> LadderGame:
    points = round(rate * WIN_RATE_UNIT)
    return LadderGame(pair[0].build_id, pair[1].build_id, (points, WIN_RATE_UNIT - points))


def _digests_of(pair: tuple[LadderEntry, LadderEntry]) -> DigestPair:
    return pair[0].image_digest, pair[1].image_digest
