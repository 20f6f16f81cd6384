"""Letters through the desk into a real database: effects, and the answers that go out."""

import re
from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

from contest.games.knobeln import KnobelnSettings, Rules
from contest.ledger.receipts import PROOF_FILE
from contest.model import LetterState, Phase, TeamState
from contest.schema.sections import Mail, Teams
from knobellib.kit_archives import tar_archive
from knobellib.kits import knobeln_kit
from mailserver import commands
from mailserver.command import Command, Desk
from mailserver.commands import COMMANDS, recognise
from mailserver.commands.help import UNKNOWN
from mailserver.handler import Readings, handle
from mailserver.intake.accept import accept
from mailserver.reader import read
from mailserver.team_secret import digest
from store import ledger, letters, submissions, teams
from tests.support.letters import letter
from tests.support.mail_world import (
    FORM,
    LETTERS,
    OPENS,
    REGISTER,
    START,
    World,
    body_of,
    flat,
    from_line,
    make_settings,
    program,
    registered,
    told,
)
from tests.support.organizer import organizer_acts_in
from tests.support.waiting_programs import next_queued

ADDRESS = "our_team@machine.domain.alfdkj"
COMPILE = "please compile"
MINUTE = timedelta(minutes=1)

SUBJECTS = {
    "registration": (
        "registration for KNOBELN",
        "Re: Registration  for Knobeln.",
        "[EXT] registration for KNOBELN",
    ),
    "unknown": (
        "registration for CHESS",
        "please compile my program",
        "SEND knobelnsoftware zip",
        "organizers",
        "confirm my registration",
        "confirm registration",
        "helpless",
        "mail-preferences LAP",
        "stop it",
        "withdraw us",
        "change my mind",
        "unsubscribe me",
        "pleas compile",
        "withdrow",
        "statsu",
        "",
        "Re:",
        "[please compile]",
        "[EXTERNAL]",
        "[EXTERNAL] hello",
        "a [tag] please compile",
    ),
    "compile": (
        "please compile",
        "AW: Re[2]: FWD: Please Compile!",
        '"please compile"',
        "[EXTERNAL] please compile",
        "Re: [KNOBELN] AW: please compile",
        "RE^2: RV: R: TR: Odp: YNT: please compile",
        "Re： please compile",
        "回复：【外部】 please compile",
        "(please compile)",
        "*please compile*",
    ),
    "software": (
        "SEND knobelnsoftware",
        "send Knobeln Software",
        "send software",
    ),
    "rules": ("Send Rules", "send KNOBELN rules", "rules"),
    "organizer": ("Organizer pause",),
    "confirm": ("Re: confirm k7qd-2mxw-9rtz-h4pc-8nvb",),
    "announcement": ("send announcement", "Re: Send KNOBELN announcement"),
    "faq": ("SEND FAQ",),
    "status": ("status", "Re: Status?", "***SPAM*** status"),
    "help": ("help", "HELP lap", "*** SPAM *** [[team]] Re: help lap"),
    "mail-preference": (
        "mail-preference",
        "Mail-Preference: LAP, DGP",
        "External: [SPAM] - mail-preference LAP",
    ),
    "withdraw": ("withdraw", "{list} Re: AW: {Spam?} withdraw"),
    "objection": ("Re: objection",),
    "unsubscribe": ("unsubscribe", "Re: STOP", "Re: unsubscribe."),
    "subscribe": (
        "subscribe",
        "Re: Subscribe!",
        "SUBSCRIBE knobeln Joe Cool",
        "please subscribe me",
        "subscribe: joe@machine.example",
    ),
    "resend": ("resend authentification", "re-send authentication string"),
    "address": ("Change address joe@new.example", "change mail-address <joe@new.example>"),
    "test": ("please test", "(external) SV: Antw: VS: please test"),
}


@pytest.mark.parametrize(
    ("subject", "name"), [(one, name) for name, all_of in SUBJECTS.items() for one in all_of]
)
def test_the_subject_says_which_command_is_meant(subject: str, name: str) -> None:
    assert recognise(subject, make_settings()).command.name == name


@pytest.mark.parametrize("word", ["Knobeln!", "KNOBELN'94", "(dice)"])
def test_the_contests_own_word_may_have_any_signs(word: str) -> None:
    settings = make_settings(contest={"subject_word": word})
    assert recognise(f"Re: registration for {word}", settings).command.name == "registration"
    assert recognise(f"SEND {word}software", settings).command.name == "software"


def every_command() -> list[Command]:
    """What the modules of the package define, but for what is no subject at all."""
    modules = [
        import_module(f"{commands.__name__}.{found.name}")
        for found in iter_modules(commands.__path__)
    ]
    defined = [
        value for module in modules for value in vars(module).values() if isinstance(value, Command)
    ]
    return [command for command in defined if command is not UNKNOWN]


def test_every_command_that_is_defined_is_in_the_registry_once() -> None:
    assert sorted(command.name for command in COMMANDS) == sorted(
        command.name for command in every_command()
    )
    names = [command.name for command in COMMANDS]
    assert len({*names, UNKNOWN.name}) == len(names) + 1


SUBJECTS_OF_HOG = [
    ("send ladder", "ladder"),
    ("Please send ladder!", "ladder"),
    ("please compare", "compare"),
    ("Re: please compare one other", "compare"),
]


@pytest.mark.parametrize(("subject", "name"), SUBJECTS_OF_HOG)
def test_a_contest_of_hog_has_commands_of_its_own(subject: str, name: str) -> None:
    assert recognise(subject, make_settings(game={"name": "hog"})).command.name == name
    assert recognise(subject, make_settings()).command.name == "unknown"


@pytest.mark.parametrize("game", ["knobeln", "hog"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_right_form_of_a_command_means_it(command: Command, game: str) -> None:
    settings = make_settings(game={"name": game})
    assert all(
        recognise(right, settings).command is command for right in command.subjects(settings)[:1]
    )


def form_of(number: int, **values: str) -> str:
    text = FORM.replace("our_team", f"team{number}").replace("Joe Cool", f"Member {number}")
    for field, value in values.items():
        text = re.sub(rf"(?m)^{field}:.*", f"{field}: {value}", text)
    return text


# --- registration ---------------------------------------------------------------------------------
def test_a_registration_is_accepted_at_the_address_of_the_form(world: World) -> None:
    (mail,) = world.send(
        REGISTER, FORM, sender="joe@elsewhere.example", message_id="<m1@elsewhere.example>"
    )
    name, string = told(mail)
    assert mail["To"] == ADDRESS
    assert mail["In-Reply-To"] == "<m1@elsewhere.example>"
    assert name == "the_heavy_lords_of_knobeln"
    assert body_of(mail).count(string) == 2
    assert f"<<FROM>> {name} {string}" in body_of(mail)
    attached = {part.get_filename(): str(part.get_content()) for part in mail.iter_attachments()}
    assert list(attached) == ["knobellib.c", "rules.txt", "contest.ics", PROOF_FILE]
    library = Path(__file__).parents[2] / "knobellib" / "knobellib.c"
    assert "".join(attached["knobellib.c"].split("\r")) == library.read_text()


def test_the_database_keeps_no_authentification_string_with_the_team(world: World) -> None:
    name, string = registered(world)
    with world.store.read() as tx:
        assert teams.by_name(tx, name).state is TeamState.ACTIVE
        assert teams.auth_digests_among(tx, [string, digest(string)]) == {digest(string)}


def test_a_refusal_goes_to_the_writer_and_shows_the_filled_form(world: World) -> None:
    (mail,) = world.send(
        REGISTER,
        FORM.replace("the_heavy_lords_of_knobeln", "int"),
        sender="joe@x.example",
        Reply_To="jane@mail.x.example",
    )
    assert mail["To"] == "jane@mail.x.example"
    assert "line 3: `team-name: int`" in body_of(mail)
    assert "\nteam-name: int\n" in body_of(mail)
    assert (
        "\nOrganization: University of Northeast Sacrodata, Intellect City, Eggland\n"
        in body_of(mail)
    )


def test_a_refused_form_can_be_mended_and_sent_back(world: World) -> None:
    (mail,) = world.send(
        REGISTER,
        FORM.replace("LAP,DGP", "lap,DGP").replace("Eggland", "Eggland" + ", far away" * 9),
    )
    form = body_of(mail).split("\n---\n")[1]
    (answer,) = world.send("Re: " + REGISTER, form.replace("lap,", "LAP,"))
    assert told(answer)[0] == "the_heavy_lords_of_knobeln"


def test_a_form_that_cannot_be_read_is_refused_with_the_reason(world: World) -> None:
    raw = (LETTERS / "08_registration_base64.eml").read_bytes()
    (mail,) = world.deliver(raw.replace(b"\r\n\r\n", b"\r\n\r\n***"))
    assert "Your letter could not be read: its base64 encoding is damaged" in flat(mail)
    assert "mail-address: joe@machine.domain.alfdkj\n" in body_of(mail)


def test_who_sends_no_form_gets_an_empty_one_and_not_his_own_words_back(world: World) -> None:
    (mail,) = world.send(REGISTER, "We would like to take part.\n")
    assert "There is no registration form" in body_of(mail)
    assert "team-name: <a C identifier>\n" in body_of(mail)
    assert "take part" not in body_of(mail)


WINDOWS = [
    (OPENS - MINUTE, "Registration opens at 1994-03-22 12:00 UT"),
    (START - timedelta(days=2) - MINUTE, ""),
    (START - timedelta(days=2), "Registration closed at 1994-05-12 12:00 UT"),
]


@pytest.mark.parametrize(("at", "words"), WINDOWS)
def test_the_time_of_receipt_decides_about_the_deadline(
    world: World, at: object, words: str
) -> None:
    (mail,) = world.send(REGISTER, FORM, at=at)
    assert (words or "Your registration is accepted") in flat(mail)


def test_a_letter_that_waited_is_judged_by_its_receipt(world: World) -> None:
    raw = (LETTERS / "00_registration_sample.eml").read_bytes()
    accept(world.store, raw, "joe@a.example", (), "smtp", START - timedelta(days=2) - MINUTE)
    world.clock.at = START - timedelta(days=1)
    assert world.handle_next()
    assert told(world.mails()[0])


def test_nobody_registers_while_the_contest_runs_or_is_over(world: World) -> None:
    world.enter(Phase.RUNNING)
    assert "running already" in world.answer(REGISTER, FORM)
    world.enter(Phase.FINISHED)
    assert "The contest is over" in world.answer(REGISTER, FORM)


def test_a_second_registration_from_one_address_is_a_duplicate(world: World) -> None:
    registered(world)
    (mail,) = world.send(REGISTER, FORM.replace("our_team", "OUR_team"), sender="eve@x.example")
    assert mail["To"] == "eve@x.example"
    assert "already a team with this mail-address" in flat(mail)
    assert "heavy_lords" not in body_of(mail)
    assert "organizer@contest.example" in body_of(mail)


@pytest.mark.parametrize(
    "text", ["no form", FORM.replace("our_team@", "jane@").replace("LAP", "lap")]
)
def test_nobody_mends_a_form_for_a_contest_that_is_full(
    make_world: Callable[..., World], text: str
) -> None:
    world = make_world(teams=Teams(max_teams=1))
    registered(world)
    (mail,) = world.send(REGISTER, text, sender="eve@x.example")
    assert "too many participants" in body_of(mail)
    assert "mend" not in body_of(mail)


def test_a_taken_name_is_changed_and_said_so(world: World) -> None:
    registered(world)
    (mail,) = world.send(REGISTER, form_of(2).replace("the_heavy", "The_Heavy"))
    assert told(mail)[0] == "The_Heavy_lords_of_knobeln_2"
    assert "I have changed yours a little" in flat(mail)


def test_there_is_a_limit_of_teams_and_of_teams_from_one_organization(
    make_world: Callable[..., World],
) -> None:
    world = make_world(teams=Teams(max_teams=2, max_per_organization=1))
    registered(world)
    (mail,) = world.send(REGISTER, form_of(2).replace("University of", "university  OF"))
    assert "From one organization at most 1 team" in body_of(mail)
    registered(world, form_of(3, Organization="elsewhere"))
    assert "too many participants" in world.answer(REGISTER, form_of(4, Organization="nowhere"))


def test_people_in_two_teams_are_flagged_for_the_organizer(world: World) -> None:
    registered(world)
    registered(world, form_of(2).replace("Member 2", "JOE  Cool"))
    with world.store.read() as tx:
        flags = [team.flags for team in teams.all_teams(tx)]
    assert flags == [(), ("JOE Cool is also a member of the_heavy_lords_of_knobeln",)]


def test_the_organizer_may_have_the_last_word(make_world: Callable[..., World]) -> None:
    world = make_world(teams=Teams(approval="organizer"))
    (first,) = world.send(REGISTER, FORM)
    (second,) = world.send(REGISTER, form_of(2))
    assert "authentification string" not in body_of(first) + body_of(second)
    with world.store.read() as tx:
        assert teams.count_pending(tx) == 2
    with world.store.read() as tx:
        yes, no = teams.all_teams(tx)
    assert (yes.state, no.state) == (TeamState.PENDING, TeamState.PENDING)
    organizer_acts_in(world, lambda organizer: organizer.accept(yes))
    organizer_acts_in(world, lambda organizer: organizer.reject(no, "Too late, {{7*7}}."))
    accepted, rejected = world.mails()[2:]
    name, string = told(accepted)
    assert "Too late, {{7*7}}." in body_of(rejected)
    assert rejected["To"] == "team2@machine.domain.alfdkj"
    assert world.send(COMPILE, program(from_line(name, string))) == []
    assert world.notes[-1] == f"version 1 of {name} queued for the compiler"


# --- programs -------------------------------------------------------------------------------------
def test_the_from_line_may_stand_above_a_program_between_backticks(world: World) -> None:
    name, string = registered(world)
    block = "```c\nmain() { for (;;) make_throw(1); }\n```\n"
    text = f"{from_line(name, string)}\nHere it is, as asked:\n{block}"
    assert world.send(COMPILE, text) == []
    assert world.notes[-1] == f"version 1 of {name} queued for the compiler"


def test_a_program_with_the_right_string_is_queued_whoever_sends_it(world: World) -> None:
    code = program(from_line(*registered(world)))
    assert world.send(COMPILE, code, sender="other@x.example", message_id="<p@x.example>") == []
    with world.store.read() as tx:
        queued = next_queued(tx)
        assert queued.files == {"program.c": code.encode()}
        assert queued.received_at == world.clock.now()
        assert queued.reply_to == "<p@x.example>"


def test_what_was_mended_goes_with_the_program(world: World) -> None:
    code = program(from_line(*registered(world)))
    world.send(COMPILE, "".join(f"> {line}\n" for line in code.splitlines()))
    with world.store.read() as tx:
        queued = next_queued(tx)
        assert queued.files == {"program.c": code.encode()}
        assert queued.repairs == ("the quotation marks `>` were removed",)


def test_a_team_is_told_once_a_day_that_somebody_tried(world: World) -> None:
    wrong, start = program(from_line(registered(world)[0], "aaaa-bbbb")), world.clock.now()
    times = [start + minutes * MINUTE for minutes in (0, 10, 23 * 60, 24 * 60 + 1)]
    mails = [
        mail for at in times for mail in world.send(COMPILE, wrong, sender="eve@x.example", at=at)
    ]
    assert [mail["To"] for mail in mails].count(ADDRESS) == 2


_WITH_STRING = (TeamState.ACTIVE, TeamState.WITHDRAWN)  # the others have been told none


@pytest.mark.parametrize("state", [state for state in TeamState if state not in _WITH_STRING])
def test_only_an_active_team_can_send_programs(world: World, state: TeamState) -> None:
    line = from_line(*registered(world))
    with world.store.write() as tx:
        teams.set_state(tx, 1, state)
    assert "do not belong together" in world.answer(COMPILE, program(line))


COMPILE_WINDOWS = [
    (OPENS + timedelta(hours=23), "Programs are compiled from 1994-03-23 12:00 UT on"),
    (START - timedelta(days=1), ""),
    (START - timedelta(hours=2), "Programs were compiled until 1994-05-14 10:00 UT"),
]


@pytest.mark.parametrize(("at", "words"), COMPILE_WINDOWS)
def test_programs_are_taken_while_the_compile_service_is_open(
    world: World, at: object, words: str
) -> None:
    world.clock.at = OPENS
    mails = world.send(
        COMPILE, program(from_line(*registered(world))), sender="eve@x.example", at=at
    )
    assert [mail["To"] for mail in mails] == ([ADDRESS] if words else [])
    assert words in " ".join(" ".join(map(body_of, mails)).split())


def test_no_program_is_taken_while_the_contest_runs(world: World) -> None:
    line = from_line(*registered(world))
    world.enter(Phase.RUNNING)
    assert re.search(
        "The contest is running.*no version of your program", world.answer(COMPILE, program(line))
    )
    world.enter(Phase.FINISHED)
    assert re.fullmatch(
        "(?!.*version).*The contest is over.*", world.answer(COMPILE, program(line))
    )


def test_a_program_that_is_too_long_is_refused_unread(world: World) -> None:
    code = program(from_line(*registered(world))) + "/* filler */\n" * 20_000
    assert "longer than 256,000 bytes" in world.answer(COMPILE, code)
    with world.store.read() as tx:
        assert not submissions.any_waiting(tx)


# --- manners --------------------------------------------------------------------------------------
IGNORED = ["40", "43", "44", "45", "46", "47", "48", "49", "50", "51"]


@pytest.mark.parametrize("number", IGNORED)
def test_robots_and_people_without_an_address_get_no_answer(world: World, number: str) -> None:
    (path,) = LETTERS.glob(f"{number}_*.eml")
    assert world.deliver(path.read_bytes()) == []
    assert world.states() == {LetterState.IGNORED: 1}
    assert world.notes[-1]


@pytest.mark.parametrize("number", ["41", "42"])
def test_a_command_to_us_is_answered_though_a_list_or_a_gateway_has_marked_it(
    world: World, number: str
) -> None:
    (path,) = LETTERS.glob(f"{number}_*.eml")
    assert len(world.deliver(path.read_bytes())) == 1


def test_a_letter_with_the_null_sender_gets_no_answer(world: World) -> None:
    assert world.send("hello", "x", envelope="") == []
    assert world.send("hello", "x", envelope="", channel="receive") != []


def test_the_same_letter_twice_has_one_effect(world: World) -> None:
    assert len(world.send(REGISTER, FORM, message_id="<1@a.example>")) == 1
    assert world.send(REGISTER, FORM, message_id="<1@a.example>", Received="by another way") == []
    assert world.notes[-1] == "duplicate of letter 1"
    assert len(world.send("help", "other words", message_id="<1@a.example>")) == 1


def test_a_copy_of_a_letter_that_was_ignored_is_handled(world: World) -> None:
    assert world.send(REGISTER, FORM, message_id="<1@a.example>", envelope="") == []
    assert (
        len(world.send(REGISTER, FORM, message_id="<1@a.example>", Received="by another way")) == 1
    )


@pytest.mark.slow
def test_a_letter_that_is_put_back_after_its_copy_was_handled_has_no_effect(world: World) -> None:
    good, world.renderer = world.renderer, None
    world.send(REGISTER, FORM, message_id="<1@a.example>")
    world.renderer = good
    assert (
        len(world.send(REGISTER, FORM, message_id="<1@a.example>", Received="by another way")) == 1
    )
    with world.store.write() as tx:
        letters.retry(tx)
    assert world.handle_next()
    assert world.states() == {LetterState.HANDLED: 1, LetterState.IGNORED: 1}
    assert len(world.mails()) == 1


def test_help_is_sent_once_a_day(world: World) -> None:
    start = world.clock.now()
    counts = [
        len(world.send("what now?", "x", at=start + hours * 60 * MINUTE))
        for hours in (0, 1, 23, 24.1)
    ]
    assert counts == [1, 0, 0, 1]


def test_the_software_is_sent_once_an_hour(world: World) -> None:
    start = world.clock.now()
    sent = [
        world.send("SEND knobelnsoftware", "x", at=start + minutes * MINUTE)
        for minutes in (0, 30, 61)
    ]
    assert [len(mails) for mails in sent] == [1, 0, 1]
    assert [part.get_filename() for part in sent[0][0].iter_attachments()] == ["knobellib.c"]


def test_a_team_gets_the_whole_kit_as_it_was_made(world: World) -> None:
    registered(world)
    (mail,) = world.send("SEND knobelnsoftware", "", sender=f"Joe <{ADDRESS.upper()}>")
    assert mail["To"] == ADDRESS
    (part,) = mail.iter_attachments()
    assert part.get_filename() == "knobelnsoftware.tar.gz"
    assert part.get_content() == tar_archive(knobeln_kit(Rules()))


def test_the_kit_that_is_mailed_has_the_numbers_of_the_contest(
    make_world: Callable[..., World],
) -> None:
    world = make_world(game=KnobelnSettings(k=3, L=20))
    registered(world)
    (mail,) = world.send("SEND knobelnsoftware", "", sender=f"Joe <{ADDRESS.upper()}>")
    assert mail["To"] == ADDRESS
    (part,) = mail.iter_attachments()
    assert part.get_filename() == "knobelnsoftware.tar.gz"
    assert part.get_content() == tar_archive(knobeln_kit(Rules(k=3, L=20)))
    assert "tar -xzf knobelnsoftware.tar.gz\n" in body_of(mail)
    assert "In this contest a = 1, b = 12288, k = 3, L = 20." in body_of(mail)


def test_who_is_no_team_yet_gets_the_library_alone(make_world: Callable[..., World]) -> None:
    world = make_world(teams=Teams(approval="organizer"))
    world.send(REGISTER, FORM)
    for sender in (ADDRESS, "mona@machine.domain.alfdkj"):
        (mail,) = world.send("SEND knobelnsoftware", "", sender=sender)
        assert [part.get_filename() for part in mail.iter_attachments()] == ["knobellib.c"]
        assert "a referee that lets two programs play" in flat(mail)


def test_one_address_gets_only_so_many_answers_in_an_hour(make_world: Callable[..., World]) -> None:
    world = make_world(mail=Mail())
    start = world.clock.now()
    sent = [
        len(world.send(REGISTER, "no form", at=start + number * MINUTE)) for number in range(40)
    ]
    assert sent == [1] * 10 + [0] * 30
    assert len(world.send(REGISTER, FORM)) == 1
    assert len(world.send(REGISTER, "no form", at=start + 60 * MINUTE)) == 1


def test_of_many_registrations_from_one_address_the_answers_are_spread_over_hours(
    make_world: Callable[..., World],
) -> None:
    world = make_world(mail=Mail(answers_per_hour=2))
    for number in range(5):
        world.send(
            REGISTER, FORM.replace("our_team", f"team{number}").replace("heavy", f"heavy{number}")
        )
    reached = [len(world.mails())]
    for _ in range(2):
        world.clock.at += 60 * MINUTE
        while world.handle_next():
            pass
        reached.append(len(world.mails()))
    assert reached == [2, 4, 5]


def test_a_file_that_is_no_program_beside_the_string_is_named(world: World) -> None:
    name, string = told(world.send(REGISTER, FORM)[0])
    attached = {"program.py": b"print(1)\n"}
    for text in (f"<<FROM>> {name} {string}\n", f"/*\n  <<FROM>> {name} {string}\n*/\n"):
        assert "No attached file (program.py) is a .c file." in world.answer(
            COMPILE, text, attached=attached
        )


def test_nothing_that_a_stranger_wrote_gets_into_a_header(world: World) -> None:
    (mail,) = world.deliver((LETTERS / "61_subject_with_encoded_newline.eml").read_bytes())
    assert mail["Subject"] == "International KNOBELN contest: your program was not compiled"
    assert "evil" not in mail.as_string()
    assert (
        len(world.deliver((LETTERS / "60_unknown_subject_without_headers.eml").read_bytes())) == 1
    )


@pytest.mark.slow
def test_a_letter_that_breaks_us_is_set_aside_and_the_next_is_handled(world: World) -> None:
    good, world.renderer = world.renderer, None
    assert world.send("what now?", "x") == []
    assert world.states() == {LetterState.FAILED: 1}
    assert "AttributeError" in world.notes[-1]
    world.renderer = good
    assert len(world.send("what now?", "y", sender="jane@a.example")) == 1
    with world.store.write() as tx:
        assert letters.retry(tx) == 1
    assert world.handle_next()
    assert world.states() == {LetterState.HANDLED: 2}


def test_of_letters_in_one_transaction_the_one_that_breaks_us_is_undone_alone(world: World) -> None:
    now = world.clock.now()
    for name in ("first", "second", "third"):
        form = FORM.replace("the_heavy_lords_of_knobeln", name).replace("our_team@", f"{name}@")
        raw = letter(f"{name}@machine.domain.alfdkj", REGISTER, form)
        accept(world.store, raw, f"{name}@machine.domain.alfdkj", (), "smtp", now)
    with world.store.write() as tx:
        arrived = letters.get_all(tx, letters.next_to_handle(tx, now, 3))
        language = world.settings.contest.language
        readings = Readings(
            {(each.id, language): read(each, world.settings, language) for each in arrived}
        )
        for stored, renderer in zip(arrived, (world.renderer, None, world.renderer), strict=True):
            handle(Desk(tx, world.settings, renderer, world.clock.now()), stored, readings)
    assert world.states() == {LetterState.HANDLED: 2, LetterState.FAILED: 1}
    with world.store.read() as tx:
        assert [team.name for team in teams.all_teams(tx)] == ["first", "third"]
        assert [str(entry.effect) for entry in ledger.entries(tx)][-2:] == [
            "registration accepted"
        ] * 2


def test_a_list_gets_no_answer_unless_a_team_writes_by_it(world: World) -> None:
    source = program(from_line(*registered(world)))
    by_list = {"List_Id": "<club.example>", "Precedence": "list"}
    to_list = letter("joe@a.example", "please compile", "x", "club@a.example", **by_list)
    assert world.deliver(to_list) == []
    assert world.notes[-1] == "from a list"
    world.send("please compile", source, **by_list)
    assert "version 1 of the_heavy_lords_of_knobeln queued" in world.notes[-1]
