"""The envelope that mail systems write on top of a letter."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mailserver.intake.envelope import Envelope, of, without_body, without_from_line
from mailserver.reading.letter import parse
from tests.support.mail_world import World, flat

KNOWN: list[tuple[str, bytes, Envelope]] = [
    ("nothing", b"Subject: x\n\nReturn-Path: <a@b.example>\n", Envelope("", ())),
    (
        "Postfix",
        (
            b"Return-Path: <a@b.example>\r\nX-Original-To: r@c.example\r\nDelivered-To:"
            b" r@c.example\r\n\r\n"
        ),
        Envelope("a@b.example", ("r@c.example",)),
    ),
    (
        "Exim",
        b"Return-path: <a@b.example>\nEnvelope-to: r+7@c.example\n\n",
        Envelope("a@b.example", ("r+7@c.example",)),
    ),
    (
        "Gmail",
        b"Delivered-To: r@c.example\r\nReturn-Path: <a@b.example>\r\n\r\n",
        Envelope("a@b.example", ("r@c.example",)),
    ),
    (
        "Fastmail",
        b"Return-Path: <>\r\nX-Delivered-To: r@c.example\r\n\r\n",
        Envelope("", ("r@c.example",)),
    ),
    (
        "two",
        b"Delivered-To: s@c.example\nDelivered-To: r@c.example\n\n",
        Envelope("", ("s@c.example", "r@c.example")),
    ),
    ("folded", b"Subject: x\n Delivered-To: r@c.example\n\n", Envelope("", ())),
    ("a list", b"Delivered-To: r@c.example, s@c.example\n\n", Envelope("", ())),
]


@pytest.mark.parametrize(
    ("raw", "envelope"), [case[1:] for case in KNOWN], ids=[case[0] for case in KNOWN]
)
def test_what_mail_systems_note_is_found(raw: bytes, envelope: Envelope) -> None:
    assert of(raw) == envelope


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_whatever_stands_there_is_bounded_and_never_an_error(raw: bytes) -> None:
    found = of(b"Delivered-To: " + raw)
    assert len(found.sender) <= 254
    assert all(address and len(address) <= 254 for address in found.recipients)


@pytest.mark.parametrize(
    "start", [b"", b"From joe@x.example Sat May 14 12:00:00 1994\n", b">From joe\r\n"]
)
def test_the_line_of_a_mbox_is_left_out(start: bytes) -> None:
    letter = b"From: joe@x.example\n\nFrom here\n"
    assert without_from_line(start + letter) == letter


@pytest.mark.parametrize(
    "head",
    [b"From: joe@x.example\r\nSubject: y\r\n\r\n", b"From: joe@x.example\nSubject: y\n\nbody"],
)
def test_a_letter_without_its_body_says_who_wrote_about_what(head: bytes) -> None:
    letter = parse(without_body(head, 20_000_000, 1_000_000))
    assert (letter.sender, letter.subject, letter.body.lines) == ("joe@x.example", "y", ())
    assert letter.problems == ("it has 20,000,000 bytes, and a letter may have 1,000,000",)


@pytest.mark.parametrize("subject", ["please compile", "registration for KNOBELN"])
def test_the_writer_of_a_letter_without_its_body_hears_why(world: World, subject: str) -> None:
    raw = without_body(
        f"From: joe@machine.domain.alfdkj\nSubject: {subject}\n\n".encode(), 20_000_000, 1_000_000
    )
    (answer,) = world.deliver(raw, channel="imap")
    assert "it has 20,000,000 bytes, and a letter may have 1,000,000" in flat(answer)
