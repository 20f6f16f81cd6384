"""What a team can ask for and change by mail: help, status, mail-preference, withdraw, a new
string."""

import inspect
import re
from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from compiler import checks
from contest.config.settings import Settings
from contest.games.registry import registered as registered_games
from contest.mail.compose import compose
from contest.model import (
    Fault,
    GameResult,
    Outgoing,
    Phase,
    SeatResult,
    Team,
    TeamState,
    Trial,
    Verdict,
)
from contest.schema.sections import Mail, Registration, Teams
from knobeln import presets
from mailserver.commands import COMMANDS, help_topics, recognise
from mailserver.commands.help import UNKNOWN
from mailserver.commands.resend import MAX_PER_DAY
from mailserver.reading.letter import clean_subject
from mailserver.team_secret import digest
from reports.kinds import reports
from reports.render import Templates
from store import contest_state, submissions, teams
from store.waiting import LONG
from tests.support.builds import build_report
from tests.support.mail_world import (
    FORM,
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
EVE = "eve@x.example"
NAME = "the_heavy_lords_of_knobeln"
COMPILE = "please compile"
HOUR = timedelta(hours=1)


def string_in(mail: EmailMessage) -> str:
    """The string that this mail tells."""
    return told(mail)[1]


def registered_line(world: World, form: str = FORM) -> str:
    """Register; the `<<FROM>>` line of the team."""
    return from_line(*registered(world, form))


def test_help_brings_the_guide_with_the_contests_own_address(world: World) -> None:
    (mail,) = world.send("help", "", sender=EVE)
    (guide,) = mail.iter_attachments()
    text = guide.get_content()
    assert guide.get_filename() == "guide.txt"
    assert f"To: {world.settings.contest.address}\n" in text
    assert "Organization: University of Northeast Sacrodata, Intellect City, Eggland\n" in text
    assert "That is all. Good luck!" in text


def team(world: World, name: str = NAME) -> Team:
    with world.store.read() as tx:
        found = teams.by_name(tx, name)
    assert found
    return found


def send_program(
    world: World, from_line: str, *, accepted: bool | None = True, trial: Trial | None = None
) -> None:
    """A version of the program, and what the compiler makes of it; None: it still waits."""
    another = f"/* {len(world.notes)} */\n"  # the same program again would be no version
    assert world.send(COMPILE, program(from_line) + another) == []
    if accepted is None:
        return
    with world.store.write() as tx:
        queued = next_queued(tx)
        assert queued
        report = build_report(image_digest="image" if accepted else None, trial=trial)
        submissions.add_build(
            tx, queued.id, report, b"image" if accepted else None, world.clock.now()
        )


# --- typing errors --------------------------------------------------------------------------------
MEANT = [
    ("registration for CHESS", "registration for KNOBELN"),
    ("mail-preferencse LAP", "mail-preference CODES"),
    ("withdrawl", "withdraw"),
    ("helpp", ""),
    ("what now?", ""),
    ("", ""),
]


@pytest.mark.parametrize(("subject", "right"), MEANT)
def test_who_errs_is_asked_and_nothing_is_done(world: World, subject: str, right: str) -> None:
    (mail,) = world.send(subject, registered_line(world), sender=EVE)
    assert (f"did you mean `{right}`?" in mail["Subject"]) == bool(right)
    assert ("    Subject: " + right + "\n" in body_of(mail)) == bool(right)
    assert team(world).state is TeamState.ACTIVE
    with world.store.read() as tx:
        assert not submissions.any_waiting(tx)


@given(st.text(max_size=80))
@example("mail-preference")
@example("help \udcff")
@example("İ" * 60)
def test_any_subject_is_one_command(subject: str) -> None:
    settings = make_settings()
    clean = clean_subject(subject)
    exact = [one for one in COMMANDS if one.recognise(clean, settings) is not None]
    assert [recognise(subject, settings).command] == (exact or [UNKNOWN])


@pytest.mark.parametrize(
    ("subject", "name", "words"),
    [
        ("help LAP", "help", ("LAP",)),
        ("Re: AW: Help  forbidden   routine.", "help", ("forbidden", "routine")),
        ("help", "help", ()),
        ('"mail-preference: LAP, DGP"', "mail-preference", ("LAP", "DGP")),
        ("mail-preference:LAP", "mail-preference", ("LAP",)),
        ("mail preference LAP", "mail-preference", ("LAP",)),
        ("Please  Compare a_team B!", "compare", ("a_team", "B")),
        ("Send Hog software", "software", ()),
        ("", "unknown", ()),
    ],
)
def test_the_words_after_a_command_stay_as_they_are_written(
    subject: str, name: str, words: tuple[str, ...]
) -> None:
    settings = make_settings(game={"name": "hog"}, contest={"subject_word": "Hog"})
    command, arguments = recognise(subject, settings)
    assert (command.name, arguments) == (name, words)


# --- help -----------------------------------------------------------------------------------------
def test_help_lists_every_command_of_the_contest(world: World) -> None:
    (mail,) = world.send("help", "x")
    for command in COMMANDS:
        for form in command.subjects(world.settings)[:1]:
            assert f"\n  {form}" in body_of(mail)
    assert "please compare" not in body_of(mail)
    assert "did not understand" not in body_of(mail)


def every_topic(settings: Settings) -> list[str]:
    return list(help_topics.words(COMMANDS, settings))


@pytest.mark.parametrize("game", sorted(registered_games()))
def test_every_word_of_help_has_its_sentences_in_every_game(game: str) -> None:
    settings = presets.settings(game, START)
    renderer = Templates(settings, None)
    bodies = set()
    for word in every_topic(settings):
        topic = help_topics.find(word, COMMANDS, settings)
        assert topic.name == word
        words = renderer.render("help_word", word=word, topic=topic, form="", near=(), all_words=())
        said = words.body.partition("\n\n")[2].partition("Send the subject `help`")[0]
        assert re.search(r"\w+ \w+ \w+", said), word
        bodies.add(words.body)
        assert max(map(len, words.body.splitlines())) <= 72
    assert len(bodies) == len(every_topic(settings))


def names_of_rules() -> set[str]:
    """What findings are called, as it stands in the source of the checks."""
    source = inspect.getsource(checks)
    return set(re.findall(r'(?:Finding\(|_at\([\w.]+, |_word\(\s*[\w.]+, )\s*"([a-z ]+)"', source))


def test_every_rule_that_a_compile_report_names_can_be_asked_about() -> None:
    assert {"include", "forbidden routine", "elements", "main", "memory"} <= names_of_rules()
    for name in names_of_rules():
        topic = help_topics.find(name, COMMANDS, make_settings())
        assert topic, name
        assert topic.kind in (help_topics.TopicKind.RULE, help_topics.TopicKind.VERDICT), name


@pytest.mark.parametrize("code", list(reports()))
def test_help_tells_each_kind_of_report_or_that_it_is_not_offered(world: World, code: str) -> None:
    (mail,) = world.send(f"help {code.lower()}", "x")
    is_offered = code in world.settings.reports.offered
    assert (reports()[code].meaning_for("throw") in flat(mail)) == is_offered
    assert ("This contest does not offer it" in flat(mail)) == (not is_offered)


HELP = [
    ("compile", "<<FROM>> team_name authentification_string"),
    ("please compile", "<<FROM>> team_name authentification_string"),
    ("#include", "a single file without #include"),
    ("authentication", "Perhaps you mean `authentification`."),
    ("authentification", "It shows that a letter comes from your team"),
    ("Elements", "at most 10,000 lexical elements"),
    ("team-members", "two lines each"),
    ("elemnts", "Perhaps you mean `elements`."),
    ("xyzzy", "These are the words that I know"),
    ("{{7*7}}", "These are the words that I know"),
]


@pytest.mark.parametrize(("word", "words"), HELP)
def test_help_about_a_word(world: World, word: str, words: str) -> None:
    (mail,) = world.send(f"help {word}", "x")
    assert words in flat(mail)
    assert "49" not in body_of(mail)
    assert max(map(len, body_of(mail).splitlines())) <= 72


@given(st.text(max_size=200))
@example("(" * 60)
@example("\\")
def test_any_word_can_be_asked_about(word: str) -> None:
    settings = make_settings()
    help_topics.find(word, COMMANDS, settings)
    assert len(help_topics.near(word, COMMANDS, settings)) <= 3


# --- status ---------------------------------------------------------------------------------------
def test_the_status_goes_to_the_registered_address_only(world: World) -> None:
    from_line = registered_line(world)
    (asked,) = world.send("status", "", sender=f"Our Team <{ADDRESS.upper()}>")
    (proved,) = world.send("status", from_line, sender=EVE)
    assert {asked["To"], proved["To"]} == {ADDRESS}
    assert f"Your team's name  {NAME}\n" in body_of(asked)
    assert "LAP,DGP,GRG,RSM" in body_of(asked)
    for secret in (from_line.split()[2], "Joe Cool"):
        assert secret not in body_of(asked)
    for words in ("1994-05-12 12:00 UT", "1994-05-14 10:00 UT", "Registration is open."):
        assert words in flat(asked)


def test_a_stranger_learns_the_dates_and_nothing_about_anybody(world: World) -> None:
    registered_line(world)
    (mail,) = world.send("status", "our team is the_heavy_lords_of_knobeln", sender=EVE)
    assert mail["To"] == EVE
    assert "There is no team with the address that you write from" in flat(mail)
    assert "1994-05-14 12:00 UT" in body_of(mail)
    assert NAME not in body_of(mail)


def test_the_status_tells_which_version_counts(world: World) -> None:
    from_line = registered_line(world)

    def status() -> str:
        (mail,) = world.send("status", "", sender=ADDRESS)
        return flat(mail)

    assert "no version of your program that compiles" in status()
    send_program(world, from_line, accepted=None)
    assert "our host is busy" not in status()
    world.clock.at += LONG
    assert "Version 1 waits to be compiled, since 1994-03-" in status()
    assert "It waits because our host is busy, and other programs come first." in status()
    world.clock.at -= LONG
    with world.store.write() as tx:
        submissions.replace(tx, submissions.queued_of(tx, 1))
    assert "Version 1, which came last, has not been compiled" in status()
    send_program(world, from_line)
    assert "Version 2 of your program counts; it arrived at 1994-03-27 12:00 UT" in status()
    send_program(world, from_line, accepted=False)
    assert "Version 2 of your program counts" in status()
    assert "Version 3, which came last, was not accepted" in status()


def tried(verdict: Verdict, reason: str = "") -> Trial:
    own = SeatResult(0, verdict, Fault(1, reason) if reason else None)
    return Trial("example", GameResult((own, SeatResult(0, Verdict.OK, None)), 1, ""))


def test_the_status_tells_that_what_counts_failed_its_trial_game(world: World) -> None:
    from_line = registered_line(world)
    send_program(world, from_line, trial=tried(Verdict.ILLEGAL_MOVE, "throw 1 was 0"))
    send_program(world, from_line, accepted=False)
    (mail,) = world.send("status", "", sender=ADDRESS)
    assert "Version 1 of your program counts" in flat(mail)
    assert (
        "But it failed its trial game against example: throw 1 was 0. In the contest this"
        in flat(mail)
    )
    assert "Please fix it and send it again." in flat(mail)
    for trial in (tried(Verdict.OK), tried(Verdict.INTERNAL), None):
        send_program(world, from_line, trial=trial)
        assert "trial" not in world.answer("status", "", sender=ADDRESS)
    send_program(world, from_line, trial=tried(Verdict.TIME))
    (mail,) = world.send("status", "", sender=ADDRESS, at=START - HOUR)
    assert "against example: time limit." in flat(mail)
    assert "send it again" not in flat(mail)


STATUS_TIMES = [
    (OPENS + HOUR, "Programs are not compiled yet."),
    (START - timedelta(days=1), "Registration is closed. Programs are compiled at the moment."),
    (START - HOUR, "Programs are not compiled any more."),
]


@pytest.mark.parametrize(("at", "words"), STATUS_TIMES)
def test_the_status_tells_what_is_open(world: World, at: object, words: str) -> None:
    assert words in world.answer("status", "", at=at)


@pytest.mark.parametrize(
    ("phase", "words"),
    [(Phase.RUNNING, "The contest is running"), (Phase.FINISHED, "The contest is over")],
)
def test_the_status_tells_how_far_the_contest_is(world: World, phase: Phase, words: str) -> None:
    world.enter(phase)
    assert words in world.answer("status", "")


# --- mail-preference ------------------------------------------------------------------------------
PREFERENCES = [
    ("mail-preference LAP", "", "LAP"),
    ("mail-preference LAP,DGP,RSM", "", "LAP,DGP,RSM"),
    ("Re: Mail-Preference: LAP, DGP RSM", "", "LAP,DGP,RSM"),
    ("mail-preference", "mail-preference: GRR,RSM\n", "GRR,RSM"),
    ("mail-preference LAP", "mail-preference: LAP\n", "LAP"),
    ("mail preference LAP", "", "LAP"),
    ("mail-preference none", "", ""),
    ("mail-preference", "mail-preference: None\n", ""),
]


@pytest.mark.parametrize(("subject", "text", "codes"), PREFERENCES)
def test_a_team_changes_which_reports_it_gets(
    world: World, subject: str, text: str, codes: str
) -> None:
    (mail,) = world.send(subject, text + registered_line(world), sender=EVE)
    assert mail["To"] == ADDRESS
    assert ",".join(team(world).registration.preferences) == codes
    assert f"before LAP,DGP,GRG,RSM now {codes or 'none'}" in flat(mail)
    for code in team(world).registration.preferences:
        assert reports()[code].meaning_for("throw") in flat(mail)


WRONG_PREFERENCES = [
    ("mail-preference lap", "", "Please write `lap` in capitals: LAP."),
    ("mail-preference LAP,ALL", "", "`ALL` is not one of LAP"),
    ("mail-preference LAP,LAP", "", "LAP is given twice."),
    ("mail-preference OWN", "", "`OWN` is not one of LAP"),
    ("mail-preference", "", "There are no codes in it."),
    ("mail-preference LAP", "mail-preference: DGP\n", "ask for different reports"),
    ("mail-preference none,LAP", "", "`none` is not one of"),
    ("mail-preference \x1b[31m{{7*7}}", "", "`{{7*7}}` is not one of"),
]


@pytest.mark.parametrize(("subject", "text", "words"), WRONG_PREFERENCES)
def test_a_wrong_preference_is_refused_with_the_right_form(
    world: World, subject: str, text: str, words: str
) -> None:
    from_line = registered_line(world)
    (mail,) = world.send(subject.replace("\x1b[31m", ""), text + from_line)
    assert words in flat(mail)
    assert "Subject: mail-preference LAP,DGP,GRG,RSM" in body_of(mail)
    assert ",".join(team(world).registration.preferences) == "LAP,DGP,GRG,RSM"


def test_a_changed_preference_counts_while_the_contest_runs_and_not_after(world: World) -> None:
    from_line = registered_line(world)
    world.enter(Phase.RUNNING)
    assert "It counts from the next report on." in world.answer("mail-preference GRR", from_line)
    world.enter(Phase.FINISHED)
    assert "The contest is over." in world.answer("mail-preference RSM", from_line)
    assert team(world).registration.preferences == ("GRR",)


# --- whose letter it is ---------------------------------------------------------------------------
BY_STRING = [COMPILE, "withdraw"]


@pytest.mark.parametrize("subject", BY_STRING)
def test_whatever_is_wrong_with_the_string_the_writer_reads_the_same(
    world: World, subject: str
) -> None:
    ours = registered_line(world).split()[2]
    form = FORM.replace("our_team", "other").replace("heavy", "light").replace("Joe", "Jim")
    other = registered_line(world, form).split()[2]
    wrong = "aaaa-bbbb"
    tries = [
        (NAME, wrong),
        ("nobody", wrong),
        ("nobody", ours),
        (NAME, other),
        (NAME.upper(), ours),
    ]
    sent = [world.send(subject, program(from_line(*each)), sender=EVE) for each in tries]
    to_writer = [[flat(mail) for mail in mails if mail["To"] == EVE] for mails in sent]
    assert to_writer == [to_writer[0][:1]] * 5
    assert "do not belong together" in to_writer[0][0]
    assert NAME not in to_writer[0][0]
    assert ours not in to_writer[0][0]
    with world.store.read() as tx:
        assert not submissions.any_waiting(tx)
    assert team(world).state is TeamState.ACTIVE
    assert len(team(world).registration.preferences) == 4


@pytest.mark.parametrize("subject", [*BY_STRING, "status"])
def test_a_team_whose_name_was_used_is_told_once_a_day_with_the_command(
    world: World, subject: str
) -> None:
    registered_line(world)
    for number in range(3):
        mails = world.send(subject, program(f"<<FROM>> {NAME} aaaa-bbbb\n{number}\n"), sender=EVE)
        notices = [mail for mail in mails if mail["To"] == ADDRESS]
        assert len(notices) == (number == 0)
        named = subject if subject == COMPILE else subject.split(maxsplit=1)[0]
        assert all(f"`{named}`" in body_of(mail) for mail in notices)


@pytest.mark.parametrize("subject", BY_STRING)
def test_a_team_that_was_given_another_name_is_told_it(world: World, subject: str) -> None:
    registered_line(world)
    form = (
        FORM.replace("our_team", "second")
        .replace("Joe", "Jim")
        .replace("on: University", "on: School")
    )
    string = string_in(*world.send(REGISTER, form))
    (answer,) = world.send(subject, program(from_line(NAME, string)), sender=EVE)
    assert string not in body_of(answer)
    assert answer["To"] == "second@machine.domain.alfdkj"
    assert f"Your team is called {NAME}_2" in flat(answer)
    assert team(world, NAME).state is team(world, NAME + "_2").state is TeamState.ACTIVE


MISSING = [
    ("", "There is no <<FROM>> line in the letter"),
    (f"<<FROM>> {NAME}\n", "there is 1."),
    (f"<<from>> {NAME} aaaa\n", "exactly as shown"),
    (f"<<FROM>> {NAME} aaaa\n<<FROM>> other bbbb\n", "2 different <<FROM>> lines"),
]


@pytest.mark.parametrize(("text", "words"), MISSING)
def test_a_command_without_a_right_line_is_shown_the_form(
    world: World, text: str, words: str
) -> None:
    registered_line(world)
    (mail,) = world.send("withdraw", text, sender=EVE)
    assert mail["To"] == EVE
    assert words in flat(mail)
    assert "<<FROM>> team_name authentification_string" in body_of(mail)


def test_a_marked_up_line_is_found(world: World) -> None:
    html = registered_line(world).replace("<", "&lt;").replace(">", "&gt;")
    raw = (
        f"From: {EVE}\r\nTo: knobeln@contest.example\r\nSubject: withdraw\r\nMIME-Version: 1.0\r\n"
        f"Content-Type: text/html; charset=utf-8\r\n\r\n<html><body><p>{html}</p></body></html>\r\n"
    )
    (mail,) = world.deliver(raw.encode())
    assert mail["To"] == ADDRESS
    assert "not carried out" not in mail["Subject"]


# --- withdraw -------------------------------------------------------------------------------------
def test_who_withdraws_takes_no_part_and_is_told(world: World) -> None:
    from_line = registered_line(world)
    send_program(world, from_line)
    (mail,) = world.send("withdraw", from_line, sender=EVE)
    assert mail["To"] == ADDRESS
    assert f"Your team {NAME} has withdrawn" in flat(mail)
    assert "until 1994-05-12 12:00 UT" in flat(mail)
    assert team(world).state is TeamState.WITHDRAWN
    with world.store.write() as tx:
        assert teams.present(tx) == ()
        assert teams.count(tx) == submissions.count_with_program(tx) == 0
        assert submissions.freeze(tx) == ()
        assert "has withdrawn" in contest_state.log(tx, 1)[0].text


def test_a_program_that_waits_is_not_compiled_for_a_team_that_has_withdrawn(world: World) -> None:
    from_line = registered_line(world)
    send_program(world, from_line, accepted=None)
    world.send("withdraw", from_line)
    with world.store.read() as tx:
        assert not submissions.any_waiting(tx)
        assert submissions.queued_of(tx, 1)  # it counts again if the team comes back
    world.send(REGISTER, FORM)
    with world.store.read() as tx:
        assert next_queued(tx) is not None


@pytest.mark.parametrize("subject", BY_STRING)
def test_the_string_of_a_team_that_has_withdrawn_is_worth_nothing(
    world: World, subject: str
) -> None:
    from_line = registered_line(world)
    world.send("withdraw", from_line)
    (mail,) = world.send(subject, program(from_line), sender=EVE)
    assert mail["To"] == ADDRESS
    assert "has withdrawn" in flat(mail)
    (stranger,) = world.send(subject, program(f"<<FROM>> {NAME} aaaa-bbbb\n"), sender=EVE)
    assert stranger["To"] == EVE
    assert "do not belong together" in flat(stranger)


def test_the_name_stays_taken_and_the_place_is_free(make_world: Callable[..., World]) -> None:
    world = make_world(teams=Teams(max_teams=1, max_per_organization=1, shared_people="refuse"))
    world.send("withdraw", registered_line(world))
    (mail,) = world.send(REGISTER, FORM.replace("our_team", "others"))
    assert f"{NAME}_2" in body_of(mail)
    assert "Your registration is accepted" in flat(mail)


def test_registering_again_brings_the_same_team_back_with_its_programs(world: World) -> None:
    from_line = registered_line(world)
    send_program(world, from_line)
    first = team(world).id
    world.send("withdraw", from_line)
    (mail,) = world.send(REGISTER, FORM.replace("LAP,DGP,GRG,RSM", "GRR"))
    assert "Version 1 of your program, which you sent before you withdrew, counts again." in flat(
        mail
    )
    again = team(world)
    assert (again.id, again.state) == (first, TeamState.ACTIVE)
    assert again.registration.preferences == ("GRR",)
    assert "do not belong together" in world.answer(
        "mail-preference LAP", from_line, sender=ADDRESS
    )
    assert "is changed" in world.answer("mail-preference LAP", f"<<FROM>> {NAME} {string_in(mail)}")
    with world.store.write() as tx:
        assert [entry.name for entry in submissions.freeze(tx)] == [NAME]


@pytest.mark.parametrize(
    ("phase", "words"),
    [(Phase.RUNNING, "The contest is running."), (Phase.FINISHED, "The contest is over.")],
)
def test_nobody_withdraws_by_mail_after_the_start(world: World, phase: Phase, words: str) -> None:
    from_line = registered_line(world)
    world.enter(phase)
    assert words in world.answer("withdraw", from_line)
    assert team(world).state is TeamState.ACTIVE


def test_after_the_registration_only_the_organizer_brings_a_team_back(world: World) -> None:
    from_line = registered_line(world)
    (mail,) = world.send("withdraw", from_line, at=START - HOUR)
    assert "If that was a mistake, please write to organizer@contest.example" in flat(mail)
    assert "Registration closed" in world.answer(REGISTER, FORM)
    for _ in range(2):
        with world.store.write() as tx:
            teams.set_state(tx, 1, TeamState.WITHDRAWN)
        organizer_acts_in(world, lambda organizer: organizer.accept(team(world)))
        assert team(world).state is TeamState.ACTIVE
        with world.store.read() as tx:
            old, new = digest(from_line.split()[-1]), digest(string_in(world.mails()[-1]))
            assert teams.auth_digests_among(tx, [old, new]) == {new}


def test_the_organizer_may_refuse_to_take_a_team_back(make_world: Callable[..., World]) -> None:
    world = make_world()
    from_line = registered_line(world)
    send_program(world, from_line)
    world.send("withdraw", from_line)
    strict = make_settings(teams=Teams(approval="organizer"))
    object.__setattr__(world, "settings", strict)
    world.send(REGISTER, FORM)
    assert team(world).state is TeamState.PENDING
    organizer_acts_in(world, lambda organizer: organizer.reject(team(world), "No."))
    assert team(world).state is TeamState.WITHDRAWN


# --- a new string ---------------------------------------------------------------------------------
def test_a_new_string_goes_to_the_registered_address_and_the_old_one_is_void_once_it_is_used(
    world: World,
) -> None:
    old = registered_line(world)
    (mail,) = world.send("resend authentification", "", sender=ADDRESS)
    new = f"<<FROM>> {NAME} {string_in(mail)}\n"
    assert mail["To"] == ADDRESS
    assert new != old
    assert new.strip() in body_of(mail)
    assert "status" in world.send("status", old, sender=EVE)[0]["Subject"], (
        "anybody may have asked for a new one"
    )
    assert world.send(COMPILE, program(new), sender=EVE) == []
    assert "do not belong together" in world.answer(COMPILE, program(old), sender=ADDRESS)
    assert world.send(COMPILE, program(new) + "\nint another;\n", sender=EVE) == []


def test_of_two_new_strings_the_last_one_and_the_old_one_are_valid(world: World) -> None:
    lines = [registered_line(world)]
    for number in range(2):
        (mail,) = world.send("resend authentification", f"{number}", sender=ADDRESS)
        lines.append(f"<<FROM>> {NAME} {string_in(mail)}\n")
    old, first, last = lines
    for line, accepted in ((old, True), (first, False), (last, True), (old, False)):
        world.send("mail-preference RSM", line)
        assert ("refused" not in world.notes[-1]) == accepted


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (
            "dmarc=fail header.from=machine.domain.alfdkj",
            "does not come from your team's mail-address",
        ),
        ("dmarc=pass header.from=machine.domain.alfdkj", "Here it is."),
        ("spf=none", "Here it is."),
    ],
)
def test_a_new_string_is_refused_where_our_own_server_says_that_the_letter_is_forged(
    make_world: Callable[..., World], result: str, words: str
) -> None:
    world = make_world(mail=Mail(authserv_id="mx.contest.example"))
    registered_line(world)
    field = f"mx.contest.example; {result}"
    (mail,) = world.send(
        "resend authentification", "", sender=ADDRESS, Authentication_Results=field
    )
    assert mail["To"] == ADDRESS
    assert words in flat(mail)


def test_who_does_not_write_from_the_registered_address_gets_none(world: World) -> None:
    old = registered_line(world)
    (mail,) = world.send("resend authentification", old, sender=EVE)
    assert mail["To"] == EVE
    assert NAME not in body_of(mail)
    assert world.send(COMPILE, program(old)) == []


def test_there_are_only_a_few_new_strings_in_a_day(world: World) -> None:
    registered_line(world)
    start = world.clock.now()
    mails = [
        mail
        for hours in (0, 1, 2, 23, 25.5)
        for mail in world.send(
            "resend authentification", f"{hours}", sender=ADDRESS, at=start + hours * HOUR
        )
    ]
    assert ["name is" in body_of(mail) for mail in mails] == [True] * MAX_PER_DAY + [
        False,
        False,
        True,
    ]
    assert "has got all its new strings for today" in flat(mails[2])


def test_who_waits_has_withdrawn_or_is_late_gets_no_string(
    make_world: Callable[..., World],
) -> None:
    world = make_world(teams=Teams(approval="organizer"))
    world.send(REGISTER, FORM)
    assert "has not yet decided" in world.answer("resend authentification", "", sender=ADDRESS)
    with world.store.write() as tx:
        teams.set_state(tx, 1, TeamState.WITHDRAWN)
    assert "has withdrawn" in world.answer("resend authentification", "", sender=ADDRESS)
    with world.store.write() as tx:
        teams.set_state(tx, 1, TeamState.ACTIVE)
    world.enter(Phase.FINISHED)
    assert "The contest is over" in world.answer("resend authentification", "", sender=ADDRESS)


# --- no more reports ------------------------------------------------------------------------------
@pytest.mark.parametrize("subject", ["unsubscribe", "Stop!"])
def test_an_empty_letter_from_the_teams_address_ends_all_reports(
    world: World, subject: str
) -> None:
    line = registered_line(world)
    (mail,) = world.send(subject, "", sender=ADDRESS)
    assert team(world).registration.preferences == ()
    assert mail["To"] == ADDRESS
    assert "gets no more reports" in flat(mail)
    world.send(re.search(r"Subject: (mail-preference \S+)", body_of(mail))[1], line)
    assert team(world).registration.preferences == ("LAP", "DGP", "GRG", "RSM")


def test_the_letter_that_list_unsubscribe_asks_for_works(world: World) -> None:
    registered_line(world)
    with world.store.read() as tx:
        secret = contest_state.secret(tx)
    outgoing = Outgoing("k", "RSM", ADDRESS, "s", "b", is_report=True)
    report = compose(outgoing, world.settings, secret, START).raw.replace(b"\r\n ", b" ")
    found = re.search(rb"List-Unsubscribe: <mailto:([^?]+)\?subject=([^>]+)>", report)
    assert found[1].decode() == world.settings.contest.address
    subject = unquote(found[2].decode())
    wrong = subject.translate(str.maketrans("0123456789abcdef", "123456789abcdef0"))
    world.send(wrong, "This message was automatically generated.", sender=EVE)
    assert team(world).registration.preferences
    (mail,) = world.send(
        subject, "This message was automatically generated.", sender="any@where.example"
    )
    assert team(world).registration.preferences == ()
    assert mail["To"] == ADDRESS


def test_a_letter_that_proves_nothing_ends_no_reports_before_the_address_has_answered(
    make_world: Callable[..., World],
) -> None:
    world = make_world(mail=Mail(), registration=Registration())
    (welcome,) = world.send(REGISTER, FORM, sender=ADDRESS)
    name, string = told(welcome)
    world.send("status", from_line(name, string), sender=ADDRESS)
    questions = [mail for _ in range(6) for mail in world.send("unsubscribe", "", sender=ADDRESS)]
    assert 0 < len(questions) < 5
    assert all("Nothing has changed yet." in flat(mail) for mail in questions)
    assert team(world).registration.preferences
    facts = {"In_Reply_To": str(questions[0]["Message-ID"])}
    (done,) = world.send(
        f"Re: {questions[0]['Subject']}", "", sender="private@else.example", **facts
    )
    assert team(world).registration.preferences == ()
    assert done["To"] == ADDRESS
    assert "gets no more reports" in flat(done)


def test_nobody_else_ends_a_teams_reports_without_its_string(
    make_world: Callable[..., World],
) -> None:
    world = make_world(mail=Mail(authserv_id="mx.contest.example"))
    line = registered_line(world)
    assert "no reports go there" in world.answer("unsubscribe", "", sender=EVE)
    forged = "mx.contest.example; dmarc=fail header.from=machine.domain.alfdkj"
    (refused,) = world.send("unsubscribe", "", sender=ADDRESS, Authentication_Results=forged)
    assert "does not come from your team's mail-address" in flat(refused)
    assert team(world).registration.preferences
    world.send("unsubscribe", line, sender=EVE)
    assert team(world).registration.preferences == ()
