"""Each function of the host, with every kind of bad argument: in wasmtime and in node it does the
same."""

from collections.abc import Iterator
from typing import Any

import pytest

from sandbox.fuel.program import FuelProgram
from tests.support.counting import instances_in_node
from tests.support.fuel_workers import UNITS, Worker, started
from tests.support.host_calls import WASI, Row, bad_calls, program_of

pytest.importorskip("wasmtime")

SEED = "5eed"
SCARCE = 950_000  # the module makes nine calls first: what it calls then it cannot pay
REST = " and the rest"  # of the line that says the number of the call
MORE = [{"ask": text, "fuel": UNITS} for text in ("second", "third", "fourth", "fifth", "sixth")]


def asked(number: int, fuel: int, rest: str = REST) -> list[dict[str, Any]]:
    """It owes a line, and the call finds the rest of one."""
    return [{"ask": f"{number:04}{rest}", "fuel": fuel}, *MORE]


def told(number: int, fuel: int, rest: str = REST) -> list[dict[str, Any]]:
    """It owes nothing, so it may wait for the next line."""
    return [{"tell": f"{number:04}{rest}", "fuel": fuel}, *MORE]


def asked_and_no_more(number: int, fuel: int) -> list[dict[str, Any]]:
    return asked(number, fuel, "")


def told_and_no_more(number: int, fuel: int) -> list[dict[str, Any]]:
    return told(number, fuel, "")


def run(number: int, fuel: int) -> list[dict[str, Any]]:
    """It has no input, and its output is collected."""
    return [{"run": [f"{number:04}"], "fuel": fuel}]


def in_wasmtime(worker: Worker, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The replies of a new instance to these requests, until it ends."""
    if "run" not in requests[0]:
        worker.ask(open=True)
    return list(replies(worker, requests))


def replies(worker: Worker, requests: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for request in requests:
        reply = worker.ask(**request)
        yield reply
        if "ended" in reply:
            return


def differences(
    program: FuelProgram, rows: list[Row], instances: list[list[dict[str, Any]]]
) -> list[str]:
    with started(program) as worker:
        here = [in_wasmtime(worker, requests) for requests in instances]
    there = instances_in_node(program, instances)
    return [
        f"{rows[number % len(rows)]} {instances[number][0]}: {one} in wasmtime, {other} in node"
        for number, (one, other) in enumerate(zip(here, there, strict=True))
        if one != other
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", WASI)
def test_the_hosts_agree_after_two_bad_arguments(name: str) -> None:
    rows = bad_calls(name, together=2)
    instances = [asked(number, UNITS) for number in range(len(rows))]
    assert differences(program_of(name, rows), rows, instances) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", WASI)
def test_the_hosts_agree_however_the_program_is_asked_and_when_it_cannot_pay(name: str) -> None:
    rows = bad_calls(name, together=1)
    instances = [
        how(number, fuel)
        for how in (asked, told, asked_and_no_more, told_and_no_more, run)
        for fuel in (UNITS, SCARCE)
        for number in range(len(rows))
    ]
    assert differences(program_of(name, rows), rows, instances) == []
