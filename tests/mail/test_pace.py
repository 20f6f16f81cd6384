"""Mails keep within a provider's limits, answers before reports; and what its replies mean."""

from datetime import UTC, datetime, timedelta

import pytest

from contest.errors import DeliveryDeferred, DeliveryRefused
from contest.schema.sections import Mail
from mailserver.delivery import pace
from mailserver.delivery.transports import LimitReached
from mailserver.delivery.transports.smtp import _verdict

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


@pytest.mark.parametrize(
    ("limits", "waiting", "after"),
    [
        ("500 per day", 500, timedelta(0)),
        ("500 per day", 501, DAY),
        ("500 per day", 1_501, 3 * DAY),
        ("50 per hour", 480, 9 * HOUR),
        ("30 per minute", 60, MINUTE),
        ("30 per minute", 61, 2 * MINUTE),
        ("30 per minute,10000 per day", 480, 15 * MINUTE),
        ("30 per minute,100 per day", 101, DAY),
    ],
)
def test_when_all_will_have_theirs(limits: str, waiting: int, after: timedelta) -> None:
    found = Mail(limits=tuple(limits.split(","))).sending_limits
    assert pace.last_of(found, (), waiting, NOW) == NOW + after


def test_what_went_out_before_counts_until_its_span_is_over() -> None:
    limits = Mail(limits=("4 per hour",)).sending_limits
    sent = tuple(NOW - timedelta(minutes=minutes) for minutes in (90, 50, 40, 30))
    assert pace.room(limits, sent, NOW) == 1
    assert pace.room(limits, sent, NOW + timedelta(minutes=10)) == 2
    assert pace.last_of(limits, sent[1:], 2, NOW) == NOW + timedelta(minutes=10)


def test_reports_leave_a_tenth_for_answers() -> None:
    limits = pace.for_reports(Mail(limits=("500 per day", "1 per minute")).sending_limits)
    assert limits == ((450, DAY), (1, MINUTE))


@pytest.mark.parametrize("text", ["500", "0 per day", "500 per week", "five per day", "5 per  day"])
def test_what_is_no_limit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no limit, such as 50 per hour"):
        Mail(limits=(text,))


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (550, "5.4.5 Daily user sending quota exceeded. To learn more"),
        (550, "5.4.5 Daily user sending limit exceeded"),
        (450, "Requested mail action not taken: mailbox unavailable 450 Mail send limit exceeded."),
        (450, "4.7.1 Error: too much mail from 192.0.2.7"),
        (550, "5.7.1 me@icloud.com: You have exceeded your daily sending limit. Please try again"),
        (554, "5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException"),
        (451, "4.7.1 Sending rate limit reached"),
        (550, "You have reached a limit for sending email"),
    ],
)
def test_the_provider_says_that_we_have_sent_enough(code: int, text: str) -> None:
    assert isinstance(_verdict(code, text.encode(), "r@x.example", "t@y.example"), LimitReached)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (552, "5.2.2 The email account that you tried to reach is over quota: quota exceeded"),
        (452, "4.2.2 Quota exceeded (mailbox for user is full)"),
        (550, "mailbox quota exceeded"),
        (450, "4.2.1 The user you are trying to contact is receiving mail at a rate that"),
        (552, "5.3.4 Message size limit exceeded"),
        (554, "Message size exceeds fixed limit"),
        (550, "5.1.1 User unknown"),
        (451, "4.7.1 Greylisted, try again in 5 minutes"),
    ],
)
def test_what_is_wrong_with_one_mail_holds_up_no_other(code: int, text: str) -> None:
    error = _verdict(code, text.encode(), "r@x.example", "t@y.example")
    assert type(error) is (DeliveryRefused if code >= 500 else DeliveryDeferred)
