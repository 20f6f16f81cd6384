# Everything that a fresh Debian or Ubuntu computer needs, and what is done with it afterwards.
# Each target first installs what it needs and does not find; all can be repeated.

VENV := .venv
BIN := $(VENV)/bin
FUZZ_SECONDS := 180
DRILL_LETTERS := 20000
PREFIX := /opt/knobeln

SETUPS := $(addprefix setup-,test lint docs bench notebook class cluster fuel postgresql release dev)

.PHONY: demo install uninstall test test-all fuzz drill fresh-system catalogue lint docs bench release setup $(SETUPS) test-servers clean
.NOTPARALLEL:  # two calls of pip must not meet in one environment
unexport PYTHONDONTWRITEBYTECODE  # each command that a test starts would compile all modules again

demo:                             ## a whole contest by mail, in a scratch folder
	@./tools/system-packages
	@./tools/venv --without-interpreters $(VENV)
	$(BIN)/knobeln demo

install:                          ## for all users, as services: sudo make install CONTEST=spring; again: upgrade
	@./tools/system-packages
	@./tools/install $(PREFIX) $(CONTEST)

uninstall:                        ## remove what `install` has made; contests and passwords stay
	systemctl stop 'knobeln@*' 'knobeln-backup@*' || true
	rm -f /etc/systemd/system/*.wants/knobeln*@* /usr/local/lib/systemd/system/knobeln*@.*
	[ ! -L /usr/local/bin/knobeln ] || rm /usr/local/bin/knobeln
	rm -rf $(PREFIX)
	systemctl daemon-reload || true

test: setup-test test-servers     ## the tests that are run all the time
	$(BIN)/pytest -n auto --dist worksteal -m "not slow"

test-all: setup-test test-servers ## all tests, the slow ones too
	$(BIN)/pytest -n auto --dist worksteal

fuzz: setup-test                  ## some minutes each: damaged letters, writings of guests, random images in three machines and under the sanitizers
	$(BIN)/pytest -n 0 -m fuzz --hypothesis-profile=fuzz
	$(BIN)/python tests/machine/machine_fuzz.py $(FUZZ_SECONDS)

drill: setup-test test-servers    ## 20,000 letters and 1,000 programs at once, beside another contest's day
	KNOBELN_DRILL_LETTERS=$(DRILL_LETTERS) $(BIN)/pytest -n 0 tests/mail/test_load_drill.py

fresh-system:                     ## as root: a clone, and what `make release` makes, in fresh systems by debootstrap; half an hour each
	@python3 tools/fresh_system.py

catalogue: setup                  ## the sentences of mails, collected for the translators
	$(BIN)/python tools/catalogue.py

lint: setup-lint                  ## style, types, imports, translations, and how large all is
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/catalogue.py --check
	$(BIN)/python tools/measure.py

docs: setup-docs                  ## the guides as pages (docs/_build/html), a man page (man), and plain text (text)
	$(BIN)/python tools/reference.py
	for form in html man text; do $(BIN)/sphinx-build -q -W -b $$form docs docs/_build/$$form || exit 1; done

bench: setup-bench                ## speed, as ratios to peers in the same run; BENCH=--quick takes a minute
	$(BIN)/python -m bench $(BENCH)

release: setup-release docs       ## dist/ of the last commit: wheel, source, verify.html, hashes, SBOM, guides
	$(BIN)/python tools/release.py

setup:                            ## what a user of the program needs, and no more
	@./tools/system-packages
	@./tools/venv $(VENV)

$(SETUPS): setup-%:               ## the same, and one group of optional dependencies in pyproject.toml
	@./tools/system-packages
	@./tools/venv $(VENV) $*

# Without them the tests that need them are skipped, and say so; where CI is set, that is a failure.
test-servers:
	@{ ./tools/system-packages --for-tests && ./tools/exim; } || [ -z "$$CI" ]

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
