"""What we override of aiosmtpd was written after reading it: another version must be read again."""

import hashlib
import inspect
from importlib.metadata import version

import pytest
from aiosmtpd.smtp import SMTP

from mailserver.intake.connection import READ_VERSION, Connection, LmtpConnection

READ = {  # the beginning of the sha256 of each method's source, as it was read
    "__init__": "8a9ca80f23ad9bf2",
    "_set_post_data_state": "1dc8a8abca2a8164",
    "connection_made": "77a45df5065bba34",
    "connection_lost": "d3bf6349bc3c25c1",
    "eof_received": "baab5aaf93160933",
    "handle_exception": "33be80d97d2d75ee",
    "_handle_client": "0e4d096403af6c74",
    "_getaddr": "0aeb21c56ac1260e",
    "_reset_timeout": "fef19b94d28dff31",
    "_timeout_cb": "10a7351f9bec2818",
    "push": "15f4f1de5e30c337",
    # These call what we override, at the moment that it relies on.
    "smtp_STARTTLS": "6565289f4131fa13",
    "smtp_MAIL": "80dd938e7791acfb",
    "smtp_DATA": "3a33f30d3fd6d02f",
}


@pytest.mark.parametrize("name", READ)
def test_the_library_is_as_it_was_read(name: str) -> None:
    source = inspect.getsource(getattr(SMTP, name))
    assert hashlib.sha256(source.encode()).hexdigest()[:16] == READ[name], (
        f"SMTP.{name} of aiosmtpd {version('aiosmtpd')} is not that of {READ_VERSION}:"
        " read both, and mailserver/intake/connection.py; then note the new digest"
        " here, and the version there"
    )


def test_every_method_that_we_override_was_read() -> None:
    ours = {*vars(Connection), *vars(LmtpConnection)}
    overridden = {name for name in ours & {*vars(SMTP)} if inspect.isfunction(getattr(SMTP, name))}
    assert overridden <= {*READ}
