"""Letters as gateways, mailers and people make them, at the SMTP port of a running server."""

import binascii
import quopri
from collections.abc import Iterator
from pathlib import Path

import pytest

from contest.model import OutboxState
from contest.store import outbox, submissions, teams
from tests.support.desk import COMPILE, Desk, flat, form_of
from tests.support.knobeln_server import ROBOT
from tests.support.mail_world import REGISTER

BOUNCES = Path(__file__).parent.parent / "bounces"
MAIN = "main () { for (;;) make_throw (1); }"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    desk = Desk(tmp_path_factory.mktemp("desk"))
    yield desk
    desk.stop()


# --- subjects ----------------------------------------------------------------------------------------------
def test_a_form_or_a_from_line_is_answered_whatever_the_subject_and_however_often(desk: Desk) -> None:
    address, auth_line = desk.team()
    own = form_of(address, "lords")
    for text, words in [
        (own, f"Subject: {REGISTER}"),
        (desk.program(auth_line, MAIN), f"Subject: {COMPILE}"),
        (f"{auth_line}\n", "I know these subjects"),
        (f"{auth_line}\nWhat do we do now?\n", "I know these subjects"),
    ] * 2:
        (answer,) = desk.send("hello", text, address)
        assert words in flat(answer)
    (ninth,) = desk.send("hello", own, address)
    (tenth,) = desk.send("hello", own, address)
    assert "this was the last one for now" not in flat(ninth)
    assert "this was the last one for now" in flat(tenth)
    assert desk.send("hello", own, address) == []


# --- characters that nobody sees ---------------------------------------------------------------------------
HIDDEN = ["\u200b", "\ufeff", "\u2060", "\u00ad", "\u200e"]


@pytest.mark.parametrize("sign", HIDDEN, ids=ascii)
def test_invisible_characters_in_a_form_and_at_the_from_line_do_not_matter(desk: Desk, sign: str) -> None:
    address = desk.stranger()
    name = address.partition("@")[0]
    form = form_of(address, name).replace("team-name: ", f"{sign}team-{sign}name{sign}: {sign}")
    (welcome,) = desk.send(REGISTER, form.replace("Joe Cool, 45", f"{sign}Joe Cool,{sign} 45"), address)
    assert "invisible characters were taken out of line 3" in flat(welcome)
    secret = desk.server.auth_line(address).split()[-1]
    line = f"{sign}<<FROM>>{sign} {sign}{name} {sign}{secret}{sign}"
    (report,) = desk.send(COMPILE, desk.program(line, MAIN), address)
    assert "version 1" in report["Subject"]
    assert "invisible characters were taken out of the <<FROM>> line" in flat(report)
    (status,) = desk.send("withdraw", line, address)
    assert "was not carried out" not in status["Subject"]


# --- the registration form ---------------------------------------------------------------------------------
def test_none_means_no_reports_in_the_form_as_in_the_command(desk: Desk) -> None:
    address = desk.stranger()
    form = form_of(address, "silent_ones").replace("mail-preference: RSM", "mail-preference: None")
    desk.send(REGISTER, form, address)
    with desk.server.folder.store.read() as tx:
        assert teams.by_name(tx, "silent_ones").registration.preferences == ()


# --- one <<FROM>> line, several times ----------------------------------------------------------------------
def test_the_same_from_line_in_the_text_and_in_the_attached_program_is_one(desk: Desk) -> None:
    address, auth_line = desk.team()
    other = auth_line[:-1] + ("2" if auth_line[-1] != "2" else "3")
    source = desk.program(auth_line, MAIN)
    cases = [
        (f"{auth_line}\n", source, "version 1 of"),
        (f"{auth_line}\nHere it is.\n/* {auth_line} */\n", source + "int a;\n", "version 2 of"),
        (f"{auth_line}\n", source.replace(auth_line, "") + "int b;\n", "version 3 of"),
        (f"{other}\n", source, "There are different <<FROM>> lines in lords.c and the text of the letter"),
        (source, source, "version 4 of"),
        (source + "int c;\n", source, "another one is the text of the letter"),
    ]
    for text, program, words in cases:
        (answer,) = desk.send(COMPILE, text, address, attached={"lords.c": program.encode()})
        assert words in f"{answer['Subject']} {flat(answer)}"


def test_the_same_from_line_twice_in_a_program_is_one(desk: Desk) -> None:
    address, auth_line = desk.team()
    (report,) = desk.send(COMPILE, f"/* {auth_line} */\n{desk.program(auth_line, MAIN)}", address)
    assert "version 1" in report["Subject"]


# --- no word is lost in silence ----------------------------------------------------------------------------
def test_a_word_behind_a_comment_that_names_the_mark_stays(desk: Desk) -> None:
    address, auth_line = desk.team()
    source = desk.program(auth_line, f"int x = 1;\n/* <<FROM>> */ {MAIN}")
    (report,) = desk.send(COMPILE, source, address)
    assert "is accepted" in report["Subject"]


# --- programs from nobody, and the same again --------------------------------------------------------------
@pytest.mark.parametrize("line", ["", "<<FROM>> lords k7qd-2mxw-9rtz-h4pc-v8sn"])
def test_a_stranger_who_sends_a_program_is_told_to_register_first(desk: Desk, line: str) -> None:
    address = desk.stranger()
    (answer,) = desk.send(COMPILE, desk.program(line, MAIN), address)
    assert f"register first: send this form, filled in, with the subject `{REGISTER}`" in flat(answer)
    assert "mail-address: name@machine.domain" in flat(answer)


def test_a_team_with_a_wrong_string_is_not_told_to_register(desk: Desk) -> None:
    address, auth_line = desk.team()
    (answer,) = desk.send(COMPILE, desk.program(auth_line[:-4] + "zzzz", MAIN), address)
    assert "do not belong together" in flat(answer)
    assert "register first" not in flat(answer)


def test_the_same_program_again_is_unchanged_and_not_compiled(desk: Desk) -> None:
    address, auth_line = desk.team()
    first, other, wrong = (desk.program(auth_line, code) for code in (MAIN, f"int x; {MAIN}", "main () {"))
    for source, words in [
        (first, "version 1 of"),
        (first, "is unchanged, version 1"),
        (first.replace(auth_line, f"  {auth_line}  "), "is unchanged, version 1"),
        (wrong, "version 2 of"),
        (first, "is unchanged, version 1"),
        (wrong, "version 3 of"),
        (other, "version 4 of"),
        (first, "version 5 of"),
    ]:
        (answer,) = desk.send(COMPILE, source, address)
        assert words in answer["Subject"]
    (answer,) = desk.send(COMPILE, first, address)
    assert "version 5 still counts" in flat(answer)


# --- what mailers and people do to programs and forms ------------------------------------------------------
QUOTED = """On Tue, 22 Nov 2026 at 15:15, KNOBELN <knobeln@contest.example>
wrote:
> Your team is registered; here is your line:
>   /*
>   {line}
>   */
> {{ and so on }}
"""
CODE = """int From, all;
int f (int n)
{
  From = n;
From = From + 1;
  if (From == 2) all += From;
  return From;
}
main ()
{
  for (;;) make_throw (f (1));
}"""


def uuencoded(name: str, data: bytes) -> str:
    lines = [binascii.b2a_uu(data[n : n + 45]).decode() for n in range(0, len(data), 45)]
    return f"begin 644 {name}\n{''.join(lines)} \nend\n"


def residue(code: str) -> str:
    return "".join(f"{line.replace('=', '=3D')}=20\n" for line in code.split("\n"))


@pytest.mark.parametrize(
    ("change", "repair"),
    [
        (lambda line, whole: f"{QUOTED.format(line=line)}\n{whole}", "above the program were left out"),
        (lambda _, whole: f"Here it is.\n\n{uuencoded('lords.c', whole.encode())}", ""),
        (lambda _, whole: whole.replace("\nFrom", "\n>From"), "the `>` of `>From` was taken out of line 25"),
        (lambda _, whole: residue(whole), "the text was quoted-printable, though its letter did not say so"),
        (lambda _, whole: f"a = b\n{residue(whole)}", "still quoted-printable, and was decoded"),
        (
            lambda _, whole: whole.replace("From == 2", "From =3D=3D 2").replace("n;", "n;=20"),
            "left over from quoted-printable (`=3D`, `=20`) was decoded in lines 24 and 26",
        ),
    ],
    ids=["quoted above", "uuencoded", "mailbox", "encoded", "encoded below words", "encoded in part"],
)
def test_a_program_that_has_one_reading_is_compiled(desk, change, repair) -> None:
    address, auth_line = desk.team()
    (report,) = desk.send(COMPILE, change(auth_line, desk.program(auth_line, CODE)), address)
    assert "is accepted" in report["Subject"]
    assert repair in flat(report)
    with desk.server.folder.store.read() as tx:
        (version,) = submissions.newest(tx, 1)
    compiled = version.submission.files["program.c"].decode()
    assert compiled.split() == desk.program(auth_line, CODE).split()


@pytest.mark.parametrize(
    ("encoding", "words", "content_type"),
    [
        ("quoted-printable", "It is größer =20 now.\n\n", "text/plain"),
        ("base64", "", "text/plain"),
        ("quoted-printable", "", "application/x-uuencode"),
        ("base64", "It is größer =20 now.\n\n", "application/x-uuencode"),
    ],
)
def test_a_uuencoded_program_is_found_below_another_encoding(desk, encoding, words, content_type) -> None:
    address, auth_line = desk.team()
    program = desk.program(auth_line, CODE)
    text = (words + uuencoded("lords.c", program.encode())).replace("\n", "\r\n").encode()
    body = binascii.b2a_base64(text) if encoding == "base64" else quopri.encodestring(text)
    assert b"=3D" in body or encoding == "base64"
    name = "" if content_type == "text/plain" else '; name="lords.uue"'
    head = (
        f"From: {address}\nTo: {ROBOT}\nSubject: {COMPILE}\nMessage-ID: <{address}>\nMIME-Version: 1.0\n"
        f"Content-Type: {content_type}{name}; charset=utf-8\nContent-Transfer-Encoding: {encoding}\n\n"
    )
    (report,) = desk.post(head.encode() + body, address)
    assert "is accepted" in report["Subject"], flat(report)
    with desk.server.folder.store.read() as tx:
        (version,) = submissions.newest(tx, 1)
    assert version.submission.files["program.c"].decode().split() == program.split()


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("int n; int m = 1 +=20\n2;", "seems to be encoded still"),
        ("int From; int n = (1\n>From x);", "begins with `>From`"),
        ("int n = (1\n> > 2);", "begins with `>`"),
        (uuencoded("lords.c", b"int x;\n" * 20).replace("\nM", "\nM?", 2)[:-20], "its uuencoding is damaged"),
        ("begin 644 lords.c\nM5\nend", "begins a uuencoded file, whose end is missing or damaged"),
    ],
)
def test_where_two_readings_are_possible_the_cause_is_named(desk: Desk, code: str, cause: str) -> None:
    address, auth_line = desk.team()
    (answer,) = desk.send(COMPILE, desk.program(auth_line, f"{code}\n{MAIN}"), address)
    assert cause in flat(answer)


@pytest.mark.parametrize("below", [True, False])
def test_a_form_above_or_below_our_quoted_mail_is_read(desk: Desk, below: bool) -> None:
    address = desk.stranger()
    name = address.partition("@")[0]
    form = form_of(address, name).replace("RSM\n", "RSM=20\n")
    quoted = "On Tuesday the robot wrote:\n> team-name: other\n> Organization:\n"
    (welcome,) = desk.send(REGISTER, f"{quoted}\n{form}" if below else f"{form}\n{quoted}", address)
    assert f"team-name: {name}" in flat(welcome)
    assert "<<FROM>>" in flat(welcome)
    assert "quoted lines of another letter were left out" in flat(welcome)


# --- machines ----------------------------------------------------------------------------------------------
def test_who_wants_no_automatic_answer_gets_none(desk: Desk) -> None:
    address = desk.stranger()
    assert desk.send("help", "", address, X_Auto_Response_Suppress="DR, AutoReply") == []
    assert len(desk.send("help", "", address, X_Auto_Response_Suppress="DR, OOF")) == 1


def test_a_delivery_report_to_the_plain_address_is_read_by_its_message_id(desk: Desk) -> None:
    address, _ = desk.team()
    (welcome,) = desk.server.answers(address)
    store = desk.server.folder.store
    for message_id, state in (
        (f"<{'0' * 32}@contest.example>", OutboxState.SENT),
        (str(welcome["Message-ID"]), OutboxState.BOUNCED),
    ):
        report = (BOUNCES / "postfix.eml").read_text().replace("@BOUNCE@", ROBOT)
        desk.post(report.replace("@MESSAGE_ID@", message_id).encode(), address, envelope="")
        with store.read() as tx:
            item_id = outbox.id_of(tx, str(welcome["Message-ID"]))
            assert item_id is not None
            item = outbox.get(tx, item_id)
        assert item.state is state
