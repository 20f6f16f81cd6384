"""A worker that reads letters with a reader of ours that is bad: what the subject says happens to
it."""

import os
import re
import signal
import sys
from dataclasses import replace
from multiprocessing.connection import Connection

from contest.config.settings import Settings
from contest.model import StoredLetter
from mailserver import reader, reader_worker
from mailserver.reader import Reading

_CATASTROPHIC = re.compile(r"(a|a)*b")


def read(stored: StoredLetter, settings: Settings, language: str) -> Reading:
    found = re.search(rb"Subject: bad (\w+)", stored.raw)
    match found and found[1]:
        case b"pattern":
            # one call of C, which holds the interpreter for years
            _CATASTROPHIC.fullmatch("a" * 100)
        case b"loop":
            while True:
                pass
        case b"memory":
            return read(replace(stored, raw=b"x" * 4_000_000_000), settings, language)
        case b"fault":
            os.kill(os.getpid(), signal.SIGSEGV)
        case b"exception":
            raise ValueError("what nobody thought of")
        case b"exit":
            os._exit(3)
    return reader.read(stored, settings, language)


if __name__ == "__main__":
    reader_worker.read = read
    reader_worker.work(Connection(int(sys.argv[1])))
