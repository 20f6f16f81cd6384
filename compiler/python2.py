"""Recognises programs in Python 2, which Python 3 refuses in words that do not say so. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from contest.language import gettext
from contest.util.program_files import suffix_of

_STATEMENTS = re.compile(
    r"^[ \t]{0,60}(?:"
    r"print[ \t]{1,20}(?:[\"'\w%]|>>)|print[ \t]{0,20}$|"  # print "x", print x, print >>file
    r"exec[ \t]{1,20}[\"'\w]|"
    r"except[ \t]{1,20}[\w.]{1,80}[ \t]{0,20},[ \t]{0,20}\w{1,80}[ \t]{0,20}:|"
    r"raise[ \t]{1,20}[\w.]{1,80}[ \t]{0,20},"
    r")",
    re.MULTILINE,
)
"""Statements that only Python 2 knows."""

_WHAT_IS_GONE = re.compile(
    r"name '(?:raw_input|xrange|unicode|unichr|basestring|long|reduce|execfile|cmp)' is not defined"
    r"|No module named '(?:urllib2|Queue|ConfigParser|cPickle|StringIO|cStringIO|sets|httplib)'"
    r"|has no attribute '(?:has_key|iteritems|iterkeys|itervalues)'"
)
"""What Python 3 says of names that only Python 2 has."""


def refused_as_python_2(files: Mapping[str, bytes]) -> str:
    """Return why Python 3 cannot compile these files, if one of them is in Python 2; else ""."""
    for name in sorted(files):
        if suffix_of(name) == "py" and _STATEMENTS.search(files[name].decode(errors="replace")):
            return _sentence(name)
    return ""


def failed_as_python_2(program: str, stderr: str) -> str:
    """Return why the program failed, if it used what only Python 2 has; else ""."""
    return _sentence(program) if _WHAT_IS_GONE.search(stderr) else ""


def _sentence(name: str) -> str:
    return gettext(
        "%(name)s is in Python 2, and this contest has Python 3: write `print(x)` for `print x`,"
        " `input` for `raw_input`, `range` for `xrange`, `except X as e` for `except X, e`",
        name=name,
    )
