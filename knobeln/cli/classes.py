"""`knobeln class`: a class is invited from a list, watched, and marked."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from contest.errors import NotFound, NotNow
from contest.mail.form import Form
from contest.util.plurals import plural
from knobeln.classes.class_view import ClassView
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import NounGroup, open_contest
from knobeln.cli.dry_run import carry_out, dry_run_option
from knobeln.cli.output import below, remark, table

if TYPE_CHECKING:
    from contest.config.settings import Settings
    from contest.interfaces.protocols import SparringOpponents
    from knobeln.classes.class_forms import Groups, Invitation
    from knobeln.classes.class_list import ClassList
    from knobeln.context import ContestContext
    from mailserver.decision import OrganizerDecision
    from mailserver.organizer_actions import OrganizerActions


HOUSE = "house"
"""The field of the house's programs."""


@click.group("class", cls=NounGroup)
@answers(ClassView)
def class_() -> None:
    """Show how far a class is; invite it from a list, print its marks."""
    from knobeln.classes.class_view import view

    shown = view(open_contest())
    if not shown.students:
        raise NotFound("there is no class list yet", hint="`knobeln class invite FILE` reads one")
    answer(shown, _show)


def _show(shown: ClassView) -> None:
    counts = shown.counts
    title = (
        f"{counts.registered} of {counts.people} registered, {counts.sent} sent a program,"
        f" {counts.accepted} one that works"
    )
    rows = [
        (student.name or "(not in the list)", student.step, student.team, student.mail)
        for student in shown.students
    ]
    table(title, ("name", "step", "team", "address"), rows, drop=("address", "team"), is_list=True)
    for student in shown.students:
        if student.detail:
            mail = f" <{student.mail}>" if student.mail else ""
            below(f"{student.name or 'not in the list'}{mail}: {student.step}, {student.detail}")


# --- invite ---------------------------------------------------------------------------------------
@class_.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--again",
    is_flag=True,
    help="Remind those, too, who were invited before and have not registered.",
)
@click.option(
    "--groups",
    type=click.Choice(["team", "split", "ignore"]),
    default="team",
    show_default=True,
    help=(
        "What the groups of the list are: a team each; teams, of which a group that is too large"
        " becomes several; or nothing, and everybody is a team."
    ),
)
@click.option("--yes", is_flag=True, help="Do not ask whether the list was understood.")
@dry_run_option
def invite(file: Path, again: bool, groups: Groups, yes: bool, dry_run: bool) -> None:
    """Send a personal registration form to everybody in a class list.

    FILE is CSV, .xlsx or .ods, as spreadsheets and campus systems export it, or addresses as they
    stand in the head of a mail. A row names the columns: the mail address is needed; name, group,
    organization and the contest's own fields go into the form; `class marks` gives all columns
    back. First you are told what was understood. A group gets one form, at the first address, and
    its others hear of it. A reply with the form registers. Give the command again with a longer
    list: people who are registered, or were invited before, get no second mail.
    """
    from knobeln.classes import class_forms, class_list
    from store import class_people

    contest = open_contest()
    people = class_list.read(file.read_bytes(), contest.settings)
    invitations = class_forms.invitations(people.people, contest.settings, groups)
    forms = [invitation.form for invitation in invitations]
    _tell_understood(people, is_error=dry_run)
    if sys.stdin.isatty() and not (yes or dry_run):
        _ask(f"Send {plural(len(forms), 'form')}?")

    def action(organizer: OrganizerActions) -> OrganizerDecision:
        class_people.put(organizer.tx, (person.listed for person in people.people))
        return organizer.invite(forms, _others(invitations), again=again)

    carry_out(action, contest, dry_run=dry_run)


def _tell_understood(people: ClassList, *, is_error: bool = False) -> None:
    for line in people.understood:
        remark(line, err=is_error)


def _ask(question: str) -> None:
    """Ask a question. Raises NotNow for a no."""
    if not click.confirm(question, err=True):
        raise NotNow("nothing was sent")


def _others(invitations: tuple[Invitation, ...]) -> Mapping[str, Form]:
    """The addresses of people in groups of which somebody else has the form, and that form."""
    return {
        person.address: invitation.form
        for invitation in invitations
        for person in invitation.others
    }


# --- marks ----------------------------------------------------------------------------------------
@class_.command()
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="house|DIR|ARCHIVE",
    help=(
        "Also play each program against a fixed field: the programs of the house, those in DIR, or"
        " those of published archives. The same program has the same figures in each class if its"
        " time is counted or it plays KNOBELN."
    ),
)
@click.option(
    "--for",
    "system",
    type=click.Choice(["moodle", "canvas"]),
    help="Print the columns with which this system imports one mark of each person.",
)
@click.option(
    "--mark",
    "number",
    metavar="COLUMN",
    help="The mark to print. Default: field_points with --field, else points.",
)
def marks(fields: tuple[str, ...], system: str | None, number: str | None) -> None:
    """Print a row for each person of the class list, and for each team member, with results, as
    CSV.

    The rows are in the order of the list. A row has all columns of the class list, then the member,
    its team and mail address, how many programs the team sent, how many were accepted and when, the
    last round that it reached, and after the contest rank, points, failures, and rank and share in
    the evolution. It is for you alone: it names people.
    """
    from knobeln.classes import marks as rows_of
    from knobeln.cli.game_option import without_description
    from knobeln.home.practice import HomePractice
    from reports.site.tables import as_csv

    contest = open_contest()
    number = number or ("field_points" if fields else "points")
    if number not in rows_of.NUMBERS:
        raise click.UsageError(f"--mark is one of {', '.join(rows_of.NUMBERS)}")
    play = None
    if fields:
        settings = without_description(contest.settings)
        play = HomePractice(settings, _opponents(fields, settings)).play
    rows, title = rows_of.marks_of(contest, play), contest.settings.contest.title
    if system == "moodle":
        table = rows_of.moodle_table(rows, number, title)
    elif system == "canvas":
        table = rows_of.canvas_table(rows, number, title)
    else:
        table = rows_of.marks_table(rows)
    if left_out := len(rows) - len(table.rows):
        people = plural(left_out, "person is", "people are")
        remark(f"{people} left out, because {system} does not know them.", err=True)
    without = sum(getattr(mark, number) is None for _, mark in rows)
    if system and without:
        text = f"{plural(without, 'person has', 'people have')} no {number}, and so no mark"
        remark(f"{text}. `--mark reached` and `--field house` have one for more people.", err=True)
    click.echo(as_csv(table), nl=False)


def _opponents(fields: Sequence[str], settings: Settings) -> SparringOpponents | None:
    """The programs of a fixed field; None for the house's."""
    from knobeln.cli.field_option import opponents_from

    if HOUSE not in fields:
        return opponents_from([Path(field) for field in fields], settings)
    if len(fields) > 1:
        raise click.UsageError(f"--field {HOUSE} is a field alone")
    return None


# --- names only, and the first lesson -------------------------------------------------------------
@class_.command("open")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--board",
    metavar="PAGE",
    type=click.Path(path_type=Path, dir_okay=False),
    help=(
        "Write there, too, what each person does: one sheet for the board, as .html, which a"
        " browser prints, or as text."
    ),
)
@click.option("--yes", is_flag=True, help="Do not ask whether the list was understood.")
@dry_run_option
def open_class(file: Path, board: Path | None, yes: bool, dry_run: bool) -> None:
    """Open the contest for the people of a list of names, whose addresses nobody knows.

    FILE is CSV, .xlsx or .ods with one name in each row, or with first and last names. A letter
    with the subject `join NAME` registers whoever has a name of the list; the setting `teams.word`
    adds a word that is told in the lesson. Near names are asked back. A name that is taken, and one
    that is not in the list, wait for you: `knobeln teams accept TEAM`, or by mail `organizer accept
    TEAM`. What each person does is printed at the end. `knobeln class handout` prints more: what to
    give to the class.
    """
    from knobeln.classes import class_list
    from knobeln.classes.handout import board_of
    from store import class_people

    contest = open_contest()
    people = class_list.read_names(file.read_bytes(), contest.settings)
    if nameless := [person.line for person in people.people if not person.name]:
        raise NotNow(f"row {nameless[0]} of the list has no name")
    _tell_understood(people)
    if sys.stdin.isatty() and not (yes or dry_run):
        _ask(f"Open the contest for {plural(len(people.people), 'person', 'people')}?")
    if dry_run:
        remark("This was a dry run: nothing was changed.")
        return
    with contest.store.write() as tx:
        class_people.put(tx, (person.listed for person in people.people))
    text = board_of(contest)
    click.echo(f"\n{text}", nl=False)
    if board is not None:
        _write_page(board, text, contest, contest.settings.contest.language, BOARD_POINTS)


@class_.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), required=False)
@click.option(
    "--language",
    metavar="en|de",
    help="In this language. Default: that of the contest.",
)
def handout(file: Path | None, language: str | None) -> None:
    """Print one page for the first lesson: what the contest is, the first letter, a first program.

    With FILE the page is written there: for the board as .html, which a browser prints, or as text.
    """
    from contest.language import available
    from knobeln.classes.handout import handout_of

    if language not in (None, *available()):
        raise click.UsageError(f"--language is one of {', '.join(available())}")
    contest = open_contest()
    language = language or contest.settings.contest.language
    text = handout_of(contest, language)
    if file is None:
        click.echo(text, nl=False)
        return
    _write_page(file, text, contest, language, HANDOUT_POINTS)


BOARD_POINTS, HANDOUT_POINTS = 20, 10
"""How large the letters of a page are on paper."""


def _write_page(
    file: Path, text: str, contest: ContestContext, language: str, print_points: int
) -> None:
    """Write the text as a page, if the file is called so, or as it is."""
    from knobeln.classes.handout import as_page

    if file.suffix.lower() in (".html", ".htm"):
        title = contest.settings.contest.title
        text = as_page(text, title, language, print_points=print_points)
    file.write_text(text, encoding="utf-8")
    remark(f"The page is in {file}.")
