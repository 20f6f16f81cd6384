"""`knobeln verify`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

import click

from contest.archive import contents, files
from contest.archive.contents import Archive, settings_of
from contest.errors import EX_FAILED, EX_INCOMPLETE, Differs, GiveUp
from contest.util.plurals import plural
from knobellib import receipts
from knobeln.archive import season, verification
from knobeln.archive.verify_entries import Verified
from knobeln.archive.verify_limits import memory_limit
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.progress_bars import progress_bar


@dataclass(frozen=True, kw_only=True)
class VerifyAnswer(Verified):
    """What was checked of an archive, and what was not, in sentences. `receipts`: those of the letters."""

    title: str
    programs: int
    receipts: tuple[str, ...]
    seed_commitment: str
    digest: str


@dataclass(frozen=True)
class SeasonAnswer:
    """What was checked of each tournament, and beyond them of the season; what was missed anywhere."""

    tournaments: tuple[VerifyAnswer, ...]
    checked: tuple[str, ...]
    missed: tuple[str, ...]
    digest: str


@click.command(cls=ContestCommand)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option("--digest", default=None, help="The archive's digest as the organizer announced it.")
@click.option("--strict", is_flag=True, help="End with 1 instead of 3 if not everything could be checked.")
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True, max=100_000),
    default=None,
    help="End after so many minutes. Default: three times as long as the contest took, and 10 s for every "
    "program.",
)
@click.option(
    "--letters",
    type=click.Path(path_type=Path, exists=True),
    default=None,
    metavar="MAILDIR|MBOX",
    help="A team's mails: check every receipt in them against each other and against the archive's ledger.",
)
@answers(VerifyAnswer | SeasonAnswer)
def verify(
    folder: Path, digest: str | None, strict: bool, minutes: float | None, letters: Path | None
) -> None:
    """Compute a contest again from its archive DIR, and compare every result.

    DIR may also be the archive of a season. This needs no contest of your own. Exit code 0: everything is the same; 1: it is not, and the first
    difference is named; 3: what was checked is the same, but this host could not check everything, and what
    it did not check is listed.
    """
    found: VerifyAnswer | SeasonAnswer
    try:
        if (folder / season.SEASON).is_file():
            found = _verify_season(folder, digest, minutes, letters)
        else:
            found, _ = _verify(folder, digest, minutes, letters)
    except Differs as error:
        raise Differs(f"the archive is not correct. The first difference: {error}") from None
    answer(found, _show)
    if found.missed:
        click.get_current_context().exit(EX_FAILED if strict else EX_INCOMPLETE)


def _verify_season(
    folder: Path, digest: str | None, minutes: float | None, letters: Path | None
) -> SeasonAnswer:
    facts, own_digest = season.read_season(folder, digest)
    tournaments = []

    def check(of_tournament: Path, its_digest: str) -> Archive:
        found, archive = _verify(of_tournament, its_digest, minutes, letters)
        tournaments.append(found)
        return archive

    result = season.SeasonChecked()
    seconds = season.USUAL_SECONDS if minutes is None else 60 * minutes
    season.check_season(folder, facts, check, result, seconds)
    missed = [*result.missed, *(sentence for each in tournaments for sentence in each.missed)]
    return SeasonAnswer(tuple(tournaments), tuple(result.checked), tuple(missed), own_digest)


def _verify(
    folder: Path, digest: str | None, minutes: float | None, letters: Path | None
) -> tuple[VerifyAnswer, Archive]:
    read = files.read(folder, digest)
    with memory_limit():
        archive = contents.from_files(read)
    of_receipts = [] if letters is None else _check_receipts(folder, letters)
    seconds = None if minutes is None else 60 * minutes
    verified = verification.verify(archive, partial(progress_bar, columns=12), seconds)
    found = VerifyAnswer(
        **{field.name: getattr(verified, field.name) for field in fields(verified)},
        title=files.shown(settings_of(archive.contest).contest.title),
        programs=len(archive.entries),
        receipts=tuple(of_receipts),
        seed_commitment=archive.contest.seed_commitment,
        digest=read.digest,
    )
    return found, archive


def _check_receipts(folder: Path, letters: Path) -> list[str]:
    """Sentences about the receipts in these mails. Raises GiveUp with the first that does not fit."""
    from contest.ledger.signing import is_signed

    try:
        ledger = receipts.read_ledger(folder)
        mails = list(receipts.read_mails(letters, ledger.title))
        return list(receipts.sentences(receipts.check(ledger, mails, is_signed)))
    except receipts.Wrong as wrong:
        raise GiveUp(f"the receipts do not fit. The first difference: {wrong}") from None


def _show(found: VerifyAnswer | SeasonAnswer) -> None:
    if isinstance(found, SeasonAnswer):
        for number, each in enumerate(found.tournaments, start=1):
            click.echo(f"Tournament {number} of {len(found.tournaments)}")
            _show(each)
        for sentence in found.checked:
            click.echo(f"  {sentence}")
        click.echo("Compare this with the season's digest as the organizer announced it:")
        click.echo(f"    {found.digest}")
        return
    click.echo(f"{found.title}: {plural(found.programs, 'program')}")
    for sentence in (*found.checked, *found.receipts):
        click.echo(f"  {sentence}")
    for sentence in found.noticed:
        click.echo(f"  look at this: {sentence}")
    if found.without_bans:
        click.echo("  had the organizer taken nobody out, from the same seed:")
    for sentence in found.without_bans:
        click.echo(f"    {sentence}")
    for sentence in (*found.missed, *found.unchecked):
        click.echo(f"  not checked: {sentence}")
    click.echo("Compare this with the sha256 of the secret number that every welcome told:")
    click.echo(f"    {found.seed_commitment}")
    click.echo("and this with the archive's digest as the organizer announced it:")
    click.echo(f"    {found.digest}")
