"""Whether a reply to a question of ours plainly says no. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, takewhile

_MAX_LINES, _MAX_CHARACTERS = 4, 200  # that are looked at: the answer comes first
_NO = re.compile(
    r"""
    (?:no|nope|nein|non|nee)[\s.,!]*
    | (?:no|nope|nein|non|nee)[\s.,!;:–-]
        .*\b(?:not|nicht|kein\w{0,2}|pas|niet|never|\w{2,6}n['’]t)\b.*
    | .*\b(?:not|wasn['’]t)\s(?:me|mine|us|ours)\b.*
    | .*\b(?:not|never|didn['’]t)\s(?:write|wrote|send|sent|ask|request|register).*
    | .*\b(?:nicht\s(?:von\s)?(?:mir|uns|ich|wir)|(?:ich|wir)\s(?:war|waren)\s(?:das|es)\snicht)\b.*
    | .*\bnicht\s(?:angemeldet|geschrieben|geschickt|registriert)\b.*
    | .*\bpas\smoi\b.*
    """,
    re.IGNORECASE | re.VERBOSE,
)


def says_no(lines: Sequence[str]) -> bool:
    """Return whether the first words above the quoted letter deny what was asked."""
    own = takewhile(lambda line: not line.startswith((">", "-----")), lines)
    words = (line.strip()[:_MAX_CHARACTERS] for line in own)
    return any(map(_NO.fullmatch, islice(filter(None, words), _MAX_LINES)))
