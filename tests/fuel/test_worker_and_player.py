"""The worker in the sandbox imports nothing of ours outside of it, so some facts stand on both
sides."""

import pytest

from sandbox import players, process
from sandbox.fuel.worker import written
from sandbox.players import fuel

pytest.importorskip("wasmtime")


def test_every_end_that_the_worker_names_has_a_sentence() -> None:
    from sandbox.fuel.worker import core

    assert {*core._TRAPS.values(), "stack overflow", "no start"} == set(fuel._TRAPS)


def test_answers_and_standard_error_have_the_lengths_of_other_programs() -> None:
    assert written.MAX_ANSWER_BYTES == players.MAX_ANSWER_BYTES
    assert written.MAX_RETURNED_BYTES == players.MAX_REPLY_BYTES
    assert written.STDERR_TAIL_BYTES == process.STDERR_TAIL_BYTES
