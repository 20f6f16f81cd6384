"""The organizer's commands by mail: who may give them, what confirms them, and what nobody
learns."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage

import pytest
from click.testing import CliRunner

from contest.ledger.receipts import Effect
from contest.model import OutboxState, Phase
from contest.public_number import drand
from contest.schema.sections import Tournament
from knobeln.cli import main
from mailserver.commands.organizer import MAX_TOKEN_HOURS
from mailserver.team_secret import digest
from store import contest_state, decisions, ledger, outbox
from tests.support.contest_field import House, add_field
from tests.support.drand_network import signed_round, stand_in_chain
from tests.support.knobeln_server import Server
from tests.support.letters import letter
from tests.support.mail_world import FORM, START, World, body_of, flat
from tests.support.servers import wait_for

STRING = "k7qd-2mxw-9rtz-h4pc-8nvb"
ORGANIZER = "organizer@contest.example"
PROOF = f"<<FROM>> organizer {STRING}\n"
STRANGER = "eve@evil.example"


@pytest.fixture
def ours(world: World) -> World:
    """A contest with a team, whose organizer has a string."""
    world.send("registration for KNOBELN", FORM)
    with world.store.write() as tx:
        decisions.set_organizer_digest(tx, digest(STRING))
    return world


def token_of(mail: EmailMessage) -> str:
    assert mail["To"] == ORGANIZER
    return str(mail["Subject"]).rpartition(" (")[2].rstrip(")")


def ask(
    world: World, subject: str, body: str = PROOF, sender: str = ORGANIZER
) -> list[EmailMessage]:
    return world.send(subject, body, sender=sender)


def confirm(world: World, token: str, sender: str = ORGANIZER) -> list[EmailMessage]:
    return world.send(f"Re: confirm {token}", "> quoted\n\nYes.\n", sender=sender)


def log_of(world: World, area: str) -> list[str]:
    with world.store.read() as tx:
        return [line.text for line in contest_state.log(tx, 100, area=area)]


# --- what is done ---------------------------------------------------------------------------------
def test_nothing_is_done_before_it_is_confirmed(ours: World) -> None:
    (question,) = ask(ours, "Organizer pause", PROOF + "Reason: the computer is on fire\n")
    with ours.store.read() as tx:
        assert decisions.paused(tx) is None
    assert "the computer is on fire" in body_of(question)
    assert STRING not in question.as_string()
    (answer,) = confirm(ours, token_of(question))
    with ours.store.read() as tx:
        pause = decisions.paused(tx)
    assert pause.reason == "the computer is on fire"
    assert answer["To"] == ORGANIZER
    assert "pause: done" in answer["Subject"]


def test_each_of_them_does_what_it_says(ours: World) -> None:
    for subject in ("pause", "resume", "hold", "release"):
        (question,) = ask(ours, f"organizer {subject}")
        (answer,) = confirm(ours, token_of(question))
        assert f"{subject}: done" in answer["Subject"]
    with ours.store.read() as tx:
        lines = [line for line in contest_state.log(tx, 100) if line.actor]
    done = [line.area for line in lines if not line.text.endswith("is to be confirmed")]
    assert done == ["pause", "resume", "hold", "release"]
    assert {line.actor for line in lines} == {f"mail: {ORGANIZER}"}


def test_a_date_is_moved_and_all_registered_teams_are_told(ours: World) -> None:
    (question,) = ask(ours, "organizer move contest_starts 1994-05-15 12:00")
    notice, answer = confirm(ours, token_of(question))
    assert notice["To"] == "our_team@machine.domain.alfdkj"
    assert "changed dates" in notice["Subject"]
    assert "1994-05-15 12:00 UT" in body_of(notice)
    assert "1 team is told" in body_of(answer)
    with ours.store.read() as tx:
        assert (
            decisions.dates_now(tx, ours.settings.dates, ours.settings.season).contest_starts.day
            == 15
        )


def test_the_status_is_told_at_once_and_to_the_organizer_alone(ours: World) -> None:
    (answer,) = ask(ours, "organizer status", sender=STRANGER)
    assert answer["To"] == ORGANIZER
    assert "phase: open" in body_of(answer)
    assert "teams: 1" in body_of(answer)


TEXT = "Subject: A later start\n\nDear teams,\n\n  we start at noon.\n"


def test_teams_are_told_the_organizers_own_words_once_they_are_confirmed(ours: World) -> None:
    (question,) = ask(ours, "Organizer tell without program", PROOF + TEXT)
    assert "1 team gets this text, with the subject `A later start`:" in body_of(question)
    assert "\n  we start at noon.\n" in body_of(question)
    told, answer = confirm(ours, token_of(question))
    assert told["To"] == "our_team@machine.domain.alfdkj"
    assert told["Subject"] == f"{ours.settings.contest.title}: A later start"
    assert "\n  we start at noon.\n" in body_of(told)
    assert STRING not in told.as_string()
    assert "1 team is told." in body_of(answer)
    (question,) = ask(ours, "Organizer tell all", PROOF + TEXT)
    (answer,) = confirm(ours, token_of(question))
    assert "change a word" in body_of(answer)


@pytest.mark.parametrize(
    ("subject", "text", "why"),
    [
        ("tell", "Dear teams,\n\nwe start at noon.\n", "like `subject: the final starts later`"),
        ("tell", f"Subject: noon\n\nMine is {STRING}.\n", "an authentification string"),
        ("tell round 1", TEXT, "There is no round 1"),
        ("tell everybody", TEXT, "`organizer tell all`"),
    ],
)
def test_words_that_cannot_be_told_are_refused_at_once(
    ours: World, subject: str, text: str, why: str
) -> None:
    (answer,) = ask(ours, f"organizer {subject}", PROOF + text)
    assert "not done" in answer["Subject"]
    assert why in flat(answer)


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        ("organizer", "the actions are `organizer run`"),
        ("organizer pause now", "there must be nothing else"),
        ("organizer move contest_starts", "1994-05-15 12:00"),
        ("organizer move tea_time 1994-05-15 12:00", "There is no date"),
        ("organizer run", "nobody to play"),
    ],
)
def test_what_cannot_be_asked_for_is_answered_at_once(
    ours: World, subject: str, words: str
) -> None:
    (answer,) = ask(ours, subject)
    assert "not done" in answer["Subject"]
    assert words in flat(answer)


def test_what_cannot_be_done_when_it_is_confirmed_is_told(ours: World) -> None:
    (question,) = ask(ours, "organizer resume")
    (answer,) = confirm(ours, token_of(question))
    assert "resume: not done" in answer["Subject"]
    assert "is not paused" in body_of(answer)


# --- tokens ---------------------------------------------------------------------------------------
def test_a_token_works_once(ours: World) -> None:
    (question,) = ask(ours, "organizer pause")
    confirm(ours, token_of(question))
    with ours.store.write() as tx:
        decisions.resume(tx)
    (answer,) = confirm(ours, token_of(question))
    assert "not done" in answer["Subject"]
    with ours.store.read() as tx:
        assert decisions.paused(tx) is None


def test_a_token_that_is_too_old_does_nothing(ours: World) -> None:
    (question,) = ask(ours, "organizer pause")
    ours.clock.at += timedelta(hours=MAX_TOKEN_HOURS, seconds=1)
    (answer,) = confirm(ours, token_of(question))
    assert "older than 2 hours" in flat(answer)
    with ours.store.read() as tx:
        assert decisions.paused(tx) is None


@pytest.mark.parametrize(
    ("token", "words"),
    [(STRING, "not done"), ("'--", "understand")],
)
def test_a_token_that_was_never_given_out_does_nothing(ours: World, token: str, words: str) -> None:
    (answer,) = confirm(ours, token)
    assert words in answer["Subject"]
    with ours.store.read() as tx:
        assert decisions.paused(tx) is None


def test_only_a_digest_of_the_token_is_kept(ours: World) -> None:
    (question,) = ask(ours, "organizer pause")
    with ours.store.read() as tx:
        assert decisions.organizer_digest(tx) == digest(STRING)
        found = [str(row) for row in tx.exec_driver_sql("SELECT * FROM confirmations")]
    assert token_of(question) not in "".join(found)


# --- strangers ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "body",
    [
        "",
        "<<FROM>> organizer 2222-3333-4444-5555-6666\n",
        f"<<FROM>> the_heavy_lords_of_knobeln {STRING}\n",
        f"<<FROM>> organizer {STRING} more\n",
    ],
)
def test_without_the_string_the_subject_means_nothing(ours: World, body: str) -> None:
    help_mail = ours.send("what is this", "", sender="other@evil.example")[0]
    (answer,) = ask(ours, "organizer pause", body, STRANGER)
    assert answer["To"] == STRANGER
    assert body_of(answer) == body_of(help_mail)
    assert len(log_of(ours, "organizer")) == 1


def test_the_string_of_a_forged_sender_leads_to_the_organizer_alone(ours: World) -> None:
    (question,) = ask(ours, "organizer pause", PROOF, STRANGER)
    assert question["To"] == ORGANIZER


def test_a_token_from_another_address_does_nothing_and_stays_good(ours: World) -> None:
    (question,) = ask(ours, "organizer pause")
    (answer,) = confirm(ours, token_of(question), sender=STRANGER)
    assert answer["To"] == STRANGER
    with ours.store.read() as tx:
        assert decisions.paused(tx) is None
    confirm(ours, token_of(question))
    with ours.store.read() as tx:
        assert decisions.paused(tx) is not None


def test_answers_do_not_follow_a_reply_to_of_the_confirmation(ours: World) -> None:
    (question,) = ask(ours, "organizer pause")
    (answer,) = ours.send(f"confirm {token_of(question)}", "", sender=ORGANIZER, Reply_To=STRANGER)
    assert answer["To"] == ORGANIZER


def test_where_the_organizer_has_no_string_nobody_is_the_organizer(world: World) -> None:
    for body in (PROOF, "<<FROM>> organizer \n", ""):
        (answer,) = world.send("organizer pause", body, sender=f"{len(body)}@evil.example")
        assert answer["To"] == f"{len(body)}@evil.example"


# --- the whole way --------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_contest_is_run_by_letter(server: Server, house: House) -> None:
    organizer = server.folder.settings.contest.organizer_address
    add_field(server.folder, 8, house, ("RSM",))
    line = command(server, "letters", "organizer-string").strip()
    assert re.fullmatch(r"<<FROM>> organizer [0-9a-z-]{24}", line)
    server.send(letter(organizer, "organizer run", line), organizer)
    (question,) = wait_for_answers(server, organizer, 1)
    server.send(letter(organizer, f"Re: {question['Subject']}", "yes"), organizer)
    answers = wait_for_answers(server, organizer, 3)
    assert [str(answer["Subject"]).rpartition(": ")[2] for answer in answers[1:]] == [
        "done",
        "done",
    ]
    with server.folder.store.read() as tx:
        assert contest_state.state(tx).phase is Phase.FINISHED
        assert decisions.run_ordered(tx) is None
    wait_for(lambda: set(outbox_states(server)) == {OutboxState.SENT})
    assert json.loads(command(server, "results", "--json"))["rounds"][0]["plan"]["final"]


@pytest.mark.parametrize(
    ("beacon", "wrong", "right", "shown"),
    [
        (
            "drand",
            (PROOF + signed_round(112), ""),
            (PROOF + signed_round(712), ""),
            "the public number is",
        ),
        ("file", (PROOF, ""), (PROOF + "heads\nor tails\n", ""), "the public number is heads"),
    ],
)
def test_the_public_number_is_handed_in_by_letter(
    make_world: Callable[..., World],
    beacon: str,
    wrong: tuple[str, ...],
    right: tuple[str, ...],
    shown: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drand, "QUICKNET", stand_in_chain(int(START.timestamp()) - 110))
    world = make_world(tournament=Tournament(beacon=beacon))
    with world.store.write() as tx:
        decisions.set_organizer_digest(tx, digest(STRING))
    (answer,) = ask(world, f"organizer beacon {right[1]}", right[0])
    assert "The contest waits for no public number now" in flat(answer)
    with world.store.write() as tx:
        contest_state.start(tx, {}, START)
        contest_state.seal(tx, bytes(32), has_number=True)
    world.clock.at = START + timedelta(minutes=11)
    (answer,) = ask(world, f"organizer beacon {wrong[1]}", wrong[0])
    assert "not done" in answer["Subject"]
    (question,) = ask(world, f"organizer beacon {right[1]}", right[0])
    with world.store.read() as tx:
        assert contest_state.state(tx).seed.is_open
    (answer,) = confirm(world, token_of(question))
    assert shown in flat(answer).lower()
    with world.store.read() as tx:
        assert not contest_state.state(tx).seed.is_open
        assert [entry.effect for entry in ledger.entries(tx)] == [Effect.NUMBER_DRAWN]


def outbox_states(server: Server) -> dict[OutboxState, int]:
    with server.folder.store.read() as tx:
        return outbox.count_by_state(tx)


def command(server: Server, *words: str) -> str:
    result = CliRunner().invoke(main, [*words, "-C", str(server.folder.path)])
    assert result.exit_code == 0, result.output
    return str(result.stdout)


def wait_for_answers(server: Server, address: str, count: int) -> list[EmailMessage]:
    wait_for(lambda: len(server.answers(address)) >= count)
    return server.answers(address)
