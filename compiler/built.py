"""What follows from a build, in the transaction that keeps it: the ledger's entry and the mail with
its file for programs. The place on the ladder is in `compiler/ladder_place.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from compiler.builders.base import ProgramBuilder
from contest.config.settings import Settings
from contest.interfaces.protocols import BuildResult, Renderer, Serializable, to_team
from contest.ledger.receipts import Effect, LedgerEntry, Receipt, program_digest
from contest.mail import knobeln_json
from contest.model import Attachment, LadderPlace, Outgoing, Submission, Team
from contest.model.mail_records import CompileRecord, FindingPlace, QuotedBuild
from store import Transaction, ledger, letters, submissions


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
    """The compile report. `place`: on the ladder; `digest`: of the program in the ledger."""
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
    """The report for the team's own programs. `counts`: the version that counts now."""
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
