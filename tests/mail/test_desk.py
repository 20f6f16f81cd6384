"""Letters as gateways, mailers and people make them, from their subjects to the answers."""

from collections.abc import Callable

import pytest

from compiler.builders import builder_of
from contest.schema.sections import Mail
from tests.support.compile_services import compile_service
from tests.support.desk import DESCRIPTION
from tests.support.mail_world import FORM, REGISTER, World, flat, from_line, program, registered
from tests.support.offices import Office
from tournament.runners import open_runner

COMPILE = "please compile"
ADDRESS = "our_team@machine.domain.alfdkj"


@pytest.fixture
def office(world: World) -> Office:
    parts = (world.store, world.settings, world.clock)
    builder = builder_of(world.settings, open_runner)
    return Office(world, compile_service(*parts, builder, world.renderer))


def report(office: Office, text: str) -> str:
    """The subject and the text of the mail in which a program ends."""
    before = len(office.world.mails())
    office.world.send(COMPILE, text, sender=ADDRESS)
    while office.service.build_next(at_once=True):
        pass
    (mail,) = office.world.mails()[before:]
    return f"{mail['Subject']} {flat(mail)}"


# --- subjects -------------------------------------------------------------------------------------
def test_a_form_or_a_from_line_is_answered_whatever_the_subject_and_however_often(
    make_world: Callable[..., World],
) -> None:
    world = make_world(mail=Mail())
    line = from_line(*registered(world))
    for text, words in [
        (FORM, "There is already a team with this mail-address"),
        (f"{line}Is anybody there?\n", "I know these subjects"),
        (line, "I know these subjects"),
        (f"{line}What do we do now?\n", "I know these subjects"),
    ] * 2:
        assert words in world.answer("hello", text, sender=ADDRESS)
    assert "this was the last one for now" not in world.answer("hello", FORM, sender=ADDRESS)
    assert "this was the last one for now" in world.answer("hello", FORM, sender=ADDRESS)
    assert world.send("hello", FORM, sender=ADDRESS) == []


# --- characters that nobody sees ------------------------------------------------------------------
@pytest.mark.parametrize("sign", ["\u200b", "\ufeff", "\u2060", "\u00ad", "\u200e"], ids=ascii)
def test_invisible_characters_in_a_form_and_at_the_from_line_do_not_matter(
    world: World, sign: str
) -> None:
    form = FORM.replace("team-name: ", f"{sign}team-{sign}name{sign}: {sign}")
    (welcome,) = world.send(REGISTER, form.replace("Joe Cool, 45", f"{sign}Joe Cool,{sign} 45"))
    assert "invisible characters were taken out of line 3" in flat(welcome)
    name, string = "the_heavy_lords_of_knobeln", flat(welcome).partition("<<FROM>> ")[2].split()[1]
    line = f"{sign}<<FROM>>{sign} {sign}{name} {sign}{string}{sign}\n"
    assert world.send(COMPILE, program(line)) == []
    assert f"{name} has withdrawn" in world.answer("withdraw", line)


# --- one <<FROM>> line, several times -------------------------------------------------------------
def test_the_same_from_line_in_the_text_and_in_the_attached_program_is_one(world: World) -> None:
    line = from_line(*registered(world))
    other = line[:-2] + ("2\n" if line[-2] != "2" else "3\n")
    source = program(line)
    cases = [
        (line, source, "version 1 of"),
        (f"{line}Here it is.\n/* {line} */\n", source + "int a;\n", "version 2 of"),
        (line, source.replace(line, "") + "int b;\n", "version 3 of"),
        (other, source, "There are different <<FROM>> lines in lords.c and the text of the letter"),
        (source, source, "version 4 of"),
        (source + "int c;\n", source, "another one is the text of the letter"),
        (f"/* {line} */\n{source}int d;\n", None, "version 5 of"),
    ]
    for text, attached, words in cases:
        files = {"lords.c": attached.encode()} if attached else None
        answers = world.send(COMPILE, text, sender=ADDRESS, attached=files)
        assert words in " ".join([world.notes[-1], *map(flat, answers)])


# --- no word is lost in silence -------------------------------------------------------------------
def test_a_word_behind_a_comment_that_names_the_mark_stays(office: Office) -> None:
    line = from_line(*registered(office.world))
    code = "main () { for (;;) make_throw (1); }"
    source = (
        program(line).partition("main")[0] + f"{DESCRIPTION}int x = 1;\n/* <<FROM>> */ {code}\n"
    )
    assert "is accepted" in report(office, source)


# --- programs from nobody, and the same again -----------------------------------------------------
@pytest.mark.parametrize("line", ["", "<<FROM>> lords k7qd-2mxw-9rtz-h4pc-v8sn\n"])
def test_a_stranger_who_sends_a_program_is_told_to_register_first(world: World, line: str) -> None:
    answer = world.answer(COMPILE, program(line))
    assert f"register first: send this form, filled in, with the subject `{REGISTER}`" in answer
    assert "mail-address: name@machine.domain" in answer


def test_a_team_with_a_wrong_string_is_not_told_to_register(world: World) -> None:
    name, string = registered(world)
    answer = world.answer(COMPILE, program(from_line(name, f"{string[:-4]}zzzz")), sender=ADDRESS)
    assert "do not belong together" in answer
    assert "register first" not in answer


def test_the_same_program_again_is_unchanged_and_not_compiled(office: Office) -> None:
    line = from_line(*registered(office.world))
    first = program(line) + DESCRIPTION
    other, wrong = f"{first}int x;\n", f"{first}main () {{\n"
    for source, words in [
        (first, "version 1 of"),
        (first, "is unchanged, version 1"),
        (first.replace(line.strip(), f"  {line.strip()}  "), "is unchanged, version 1"),
        (wrong, "version 2 of"),
        (first, "is unchanged, version 1"),
        (other, "version 3 of"),
        (first, "version 4 of"),
        (first, "version 4 still counts"),
    ]:
        assert words in report(office, source)


# --- what mailers and people do to programs and forms ---------------------------------------------
@pytest.mark.parametrize(
    "code",
    [
        "int n; int m = 1 +=20\n2;",
        "int From; int n = (1\n>From x);",
        "int n = (1\n> > 2);",
    ],
)
def test_where_two_readings_are_possible_the_report_says_what_helps(
    office: Office, code: str
) -> None:
    source = (
        program(from_line(*registered(office.world)))
        + DESCRIPTION
        + code
        + "\nint more () { return 1; }"
    )
    assert "If a mailer changed the program there" in " ".join(report(office, source).split())


@pytest.mark.parametrize("below", [True, False])
def test_a_form_above_or_below_our_quoted_mail_is_read(
    make_world: Callable[..., World], below: bool
) -> None:
    form = FORM.replace("RSM\n", "RSM=20\n")
    quoted = "On Tuesday the robot wrote:\n> team-name: other\n> Organization:\n"
    welcome = make_world().answer(REGISTER, f"{quoted}\n{form}" if below else f"{form}\n{quoted}")
    assert "team-name: the_heavy_lords_of_knobeln" in welcome
    assert "quoted lines of another letter were left out" in welcome
