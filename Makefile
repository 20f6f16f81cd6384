# Everything that a fresh Debian or Ubuntu computer needs, and what is done with it afterwards.
# `make demo` and `make test` install what is missing first; both can be repeated.

VENV := .venv
BIN := $(VENV)/bin
FUZZ_SECONDS := 180

.PHONY: demo test test-all lint bench fuzz setup clean

demo: setup                ## a whole contest by mail, in a scratch folder
	$(BIN)/knobeln demo

test: setup                ## the tests that are run all the time
	$(BIN)/pytest -n auto -m "not slow"

test-all: setup            ## all tests, the slow ones too
	$(BIN)/pytest -n auto

lint: setup                ## style, types, and which package may import which
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup               ## speed, as ratios to peers in the same run; one peer, Axelrod-Python, is installed for it
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[bench]'
	$(BIN)/python -m bench

fuzz: setup                ## the contest machine on random images, under the sanitizers: FUZZ_SECONDS of it
	$(BIN)/python tests/machine/machine_fuzz.py $(FUZZ_SECONDS)

setup:
	@./tools/system-packages
	@./tools/venv $(VENV)

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
