"""What we write in the place of the library, because it takes its time, is what the library would
write."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import default

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.config.settings import Settings
from contest.mail import compose
from contest.model import Attachment, Outgoing
from tests.support.contest_field import settings

SETTINGS: Settings = settings()
NOW = datetime(1994, 5, 14, 12, tzinfo=UTC)
SIMPLE = "abcxyzABCXYZ0189_.-"

bodies = st.one_of(
    st.sampled_from(
        ["", "(the body)\n", "x" * 1_200 + "\n", "NNNNNNNN\n", "no newline", "From me\n.\n--x\n"]
    ),
    st.text(
        st.characters(codec="ascii", exclude_characters="\r\x0b\x0c\x1c\x1d\x1e"), max_size=300
    ),
    st.text(max_size=50).filter(lambda text: "\r" not in text),
)
names = st.one_of(
    st.text(SIMPLE, min_size=1, max_size=70),
    st.sampled_from(["NNNNNNNNNN", "über.c", 'q"uote.txt', "with space.txt", "scores.csv"]),
)
files = st.builds(
    Attachment,
    names,
    st.sampled_from(
        ["text/plain", "application/gzip", "text/csv", "text/calendar; method=PUBLISH"]
    ),
    st.binary(max_size=400),
)


def by_the_library(body: str, attachments: tuple[Attachment, ...]) -> bytes:
    plain = body.isascii() and all(
        len(line) <= compose.MAX_LINE_BYTES for line in body.splitlines()
    )
    mail = EmailMessage(policy=compose._POLICY)
    mail.set_content(body, cte="7bit" if plain else "quoted-printable", params={"format": "fixed"})
    for each in attachments:
        kind, _, parameter = each.media_type.partition("; ")
        maintype, _, subtype = kind.partition("/")
        params = dict([parameter.split("=")] if parameter else [])
        if maintype == "text":
            params["charset"] = "utf-8"
        mail.add_attachment(
            each.data, maintype=maintype, subtype=subtype, filename=each.name, params=params
        )
    if mail.is_multipart():
        mail.set_boundary("=_" + hashlib.sha256(body.encode()).hexdigest()[:32])
    return mail.as_bytes()


@given(body=bodies, attachments=st.lists(files, max_size=3).map(tuple))
def test_bodies_and_attachments(body: str, attachments: tuple[Attachment, ...]) -> None:
    mail = compose.compose(
        Outgoing("k", "DGP", "a@b.example", "s", body, attachments=attachments),
        SETTINGS,
        bytes(32),
        NOW,
    )
    assert mail.content == by_the_library(body, attachments)
    assert mail.digest == hashlib.sha256(mail.content).hexdigest()


@given(
    lead=st.sampled_from(["", "You: place 3 of 5.\n\n", "=3D\n", "Plätze\n"]),
    text=st.sampled_from(["one\n\n  two\n", "Größe = 3\n", "x" * 1_200 + "\n"]),
    attachments=st.lists(files, max_size=2).map(tuple),
)
def test_a_lead_stands_above_a_text_that_is_shared(lead, text, attachments) -> None:
    own = Outgoing("k", "DGP", "a@b.example", "s", text, attachments=attachments, lead=lead)
    mail, shared = (
        compose.compose(each, SETTINGS, bytes(32), NOW) for each in (own, replace(own, lead=""))
    )
    whole = message_from_bytes(mail.raw, policy=default)
    part = whole.get_body()
    assert part is not None
    assert part.get_content().splitlines() == (lead + text).splitlines()
    sent = [each.get_payload(decode=True) for each in whole.iter_attachments()]
    assert sent == [each.data for each in attachments]
    if lead.isascii() or not compose._is_plain(text):
        assert mail.content == shared.content


@given(subject=st.text("abcXYZ019 ?=_:;,<>@()[]\"\\'!#$%&*+-/^`{|}~.Q", min_size=1, max_size=70))
def test_subjects(subject: str) -> None:
    for plain in (True, False):
        assert compose._line("Subject", subject, plain) == compose._folded(
            "Subject", subject, plain
        )


@given(
    local=st.text("abzAZ09_+-.", min_size=1, max_size=40),
    domain=st.text("abc09-.", min_size=1, max_size=40),
)
def test_addresses(local: str, domain: str) -> None:
    address = f"{local}@{domain}"
    if compose._SIMPLE_ADDRESS.fullmatch(address):
        for plain in (True, False):
            whole = compose._folded("To", Address("", addr_spec=address), plain)
            assert compose._address_line("To", "", address, plain) == whole


@given(
    media=st.sampled_from(["application/gzip", "text/csv", "text/calendar; method=PUBLISH"]),
    name=st.text("abzAZ019_.- =?", min_size=1, max_size=80),
)
def test_heads_of_files(media: str, name: str) -> None:
    assert compose._head_of_file(media, name) == compose._folded_head_of_file(media, name)


@pytest.mark.parametrize("odd", ["<a@b@c.example>", "<a<b@c.example>", "<no.domain>"])
def test_odd_message_ids_are_given_back_as_they_came(odd: str) -> None:
    """From Python 3.14 on the library cuts them."""
    assert compose._line("In-Reply-To", odd, plain=True) == f"In-Reply-To: {odd}\r\n".encode()


@given(names=st.lists(st.text("abzAZ09_+-.=$ ", min_size=1, max_size=90), min_size=1, max_size=2))
def test_message_ids(names: list[str]) -> None:
    value = " ".join(f"<{name}@{name}.example>" for name in names)
    for header in ("In-Reply-To", "References"):
        assert compose._line(header, value, plain=True) == compose._folded(
            header, value, plain=True
        )


@given(
    name=st.text("abzAZ09_+-.=?%@: ", min_size=1, max_size=90),
    domain=st.text("abc09-.", min_size=1, max_size=40),
)
def test_addresses_of_lists(name: str, domain: str) -> None:
    for header in ("List-Id", "List-Unsubscribe"):
        value = f"<{name}@{domain}>"
        assert compose._line(header, value, plain=True) == compose._folded(
            header, value, plain=True
        )


def test_where_a_list_is_left_is_in_plain_words_whatever_the_subject() -> None:
    """The library would write a long address as encoded words, which no mailer reads there."""
    subject = "Zusammenfassung f\N{LATIN SMALL LETTER U WITH DIAERESIS}r alle"
    report = Outgoing("k", "RSM", "t@club.example", subject, "(the body)\n", is_report=True)
    head = compose.compose(report, SETTINGS, b"secret", NOW).head
    assert b"\r\nList-Unsubscribe: <mailto:" in head
    assert b"\r\nList-Id: <rsm." in head
