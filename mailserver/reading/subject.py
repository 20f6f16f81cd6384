"""The subject of a letter, as the commands read it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

# What mailers write before a colon, in the languages of their users: answers, forwarded letters, warnings.
_REPLY_WORDS = """
    re aw antw antwort sv vs vá ref rif r rv res resp respuesta odp ynt atb bls ats απ σχετ отв ответ
    回复 回覆 答复 答覆 השב رد
    fw fwd wg vb vl vl tr enc rvd i pd ilt ılt doorst trs továbbítás πρθ пер перес 转发 轉寄 הועבר إعادة
    ext extern external spam junk warning warnung
"""
_REPLY = rf"(?:{'|'.join(map(re.escape, _REPLY_WORDS.split()))})\s*(?:\[\d+\]|\(\d+\)|\^?\d+)?\s*[:：]"
# What gateways, spam filters and lists write there: `[EXTERNAL]`, `{list}`, `***SPAM***`.
_TAG = r"\[[^\[\]]*\]+|\{[^{}]*\}+|\([^()]*\)+|<[^<>]*>+|【[^】]*】|\*+[^*]+\*+"
_LEADING = re.compile(rf"(?:\s*(?:{_REPLY}|[\[{{(<]?(?:{_TAG})|[^\w\[{{(<【*]))+", re.IGNORECASE)
_AROUND = " .,;:!?'\"<>()*"


def clean_subject(subject: str) -> str:
    """`[EXT] Re[2]: Please  Compile!` -> `Please Compile`: undoes what people and mailers do to subjects.

    A subject that is nothing but tags stays: `(please compile)`.
    """
    folded = " ".join(subject.split())
    leading = _LEADING.match(folded)
    return folded[leading.end() if leading else 0 :].strip(_AROUND) or folded.strip(_AROUND)


@lru_cache(maxsize=1_024)  # each letter's subject is compared with those of all commands
def plain_subject(subject: str) -> str:
    """The clean subject in small letters, to be compared."""
    return clean_subject(subject).casefold()


def arguments_after(subject: str, *heads: str) -> tuple[str, ...] | None:
    """The words after the head with which the clean subject begins, without signs around them.

    None if it begins with none of the heads, which are plain subjects.
    """
    words = subject.split()
    for head in heads:
        count = len(head.split())
        if " ".join(words[:count]).casefold() == head:
            return stripped(words[count:])
    return None


def stripped(words: Sequence[str]) -> tuple[str, ...]:
    """The words without quotation marks and punctuation around them, as far as anything is left."""
    return tuple(text for word in words if (text := word.strip(f"{_AROUND}`")))
