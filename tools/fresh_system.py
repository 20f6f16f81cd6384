#!/usr/bin/env python3
"""Try this commit in fresh systems made by debootstrap: a clone and a release, as root and as
ordinary users.

Usage: tools/fresh_system.py [--only PATTERN] [SUITE]...

SUITE: of Debian or Ubuntu; by default the four that README names, or will name next. `--only` runs
the cases whose names match the regular expression PATTERN. For root; takes about half an hour for
each suite. It prints a table, and why tests were skipped: the kernel is this host's, so what it
lacks each system lacks. What each case printed is in build/fresh-system/.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
LOGS = HERE / "build" / "fresh-system"
SUITES = ("bookworm", "trixie", "testing", "noble")
UBUNTU = ("noble",)
PACKAGES = "make,git,ca-certificates,sudo"
GAMES = ("bid-tac-toe", "ultimate-tic-tac-toe", "cooperation", "standoff", "hog")
MOST_SECONDS = 3_000
FAILURE_LINES = 100
# Sandboxes need namespaces, which the kernel refuses below chroot.
ENTER = """
mount --make-rprivate / && mount --bind "$0" "$0" && mount -t proc proc "$0/proc" &&
mount --rbind /dev "$0/dev" && mount --rbind /sys "$0/sys" &&
mount -t tmpfs -o mode=1777 tmp "$0/tmp" &&
cd "$0" && pivot_root . mnt && umount -l /mnt && exec su - "$1" -c "$2"
"""
LOOPBACK = """
import fcntl, socket, struct, os, sys
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sH14x", b"lo", 1))
os.execvp(sys.argv[1], sys.argv[1:])
"""


class System:
    """The root of a fresh system, in a folder of its own."""

    def __init__(self, suite: str, root: Path) -> None:
        self.suite, self.root = suite, root

    def run(self, log: Path, command: str, *, user: str = "root", network: bool = True) -> int:
        """Run a command in a login shell of this user; its output goes to the log. Returns its exit
        code."""
        enter = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER]
        words = [*enter, str(self.root), user, command]
        if not network:
            words = ["unshare", "--net", sys.executable, "-c", LOOPBACK, *words]
        with log.open("ab") as output:
            output.write(f"$ {command}   # {user}\n".encode())
            output.flush()
            environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TERM": "dumb"}
            try:
                return subprocess.run(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    env=environment,
                    timeout=MOST_SECONDS,
                    check=False,
                ).returncode
            except subprocess.TimeoutExpired:
                return 124

    def copy(self, name: str) -> System:
        other = self.root.with_name(f"{self.root.name}-{name}")
        subprocess.run(["cp", "-a", self.root, other], check=True)
        return System(self.suite, other)


@dataclass(frozen=True)
class Step:
    """A command that must end with 0 (with `fails`: with another code), and print each of these
    words."""

    command: str
    user: str = "root"
    network: bool = True
    fails: bool = False
    words: tuple[str, ...] = ()


CLONE = "test -d knobeln || git clone -q /srv/knobeln.bundle knobeln; cd knobeln; "
KNOBELN = "cd knobeln; PATH=$PWD/.venv/bin:$PATH; "
AS_KNOBELN = "setpriv --reuid knobeln --regid knobeln --clear-groups env HOME=/var/lib/knobeln "
DEMO = "knobeln demo --teams 5 --seed fresh"

TEST = "make test >build/test.log 2>&1; code=$?; tail -n 400 build/test.log; exit $code"

# What a newcomer does with a release, all of it fetched before. The shell says when each command
# began.
NEWCOMER = """
PS4='+ after $SECONDS s: '; set -ex
pipx install "$(echo /srv/release/*.whl)[fuel]"
knobeln demo
for game in $(knobeln games | cut -f 1); do
    knobeln demo --teams 5 --seed fresh --game $game $game
    knobeln publish -C $game $game-archive
    knobeln verify $game-archive || test $? = 3  # only its number was drawn here
done
"""
NEWCOMER_SECONDS = 180


def in_home(before: str, command: str = DEMO, user: str = "ann") -> Step:
    return Step(f"{KNOBELN}rm -rf ~/.cache; {before}; {command}", user)


# Steps of a case run in one root, and end with the first that fails. Cases of one root run in this
# order.
CASES: dict[str, dict[str, tuple[Step, ...]]] = {
    "offline": {
        "no network: says so": (
            Step(f"{CLONE}make demo", network=False, fails=True, words=("no network",)),
        ),
    },
    "root": {
        "root: make demo": (Step(f"{CLONE}make demo", words=("Look around",)),),
        "root: make test": (Step(f"{CLONE}mkdir -p build; {TEST}"),),
        "root: make install, service, uninstall": (
            Step("apt-get -qq install --yes systemd >/dev/null"),
            Step("cp -r knobeln /src; cd /src && make install CONTEST=spring && make install"),
            Step(
                f"cd /var/lib/knobeln; export KNOBELN_CONTEST=/var/lib/knobeln/spring; {AS_KNOBELN}"
                f"sh -ec 'knobeln init --beacon none && knobeln doctor && {DEMO}'"
            ),
            Step(
                "cd /src && make uninstall && test ! -e /opt/knobeln &&"
                " test -s /var/lib/knobeln/spring/contest.db"
            ),
        ),
    },
    "user": {
        "user with sudo: make demo": (Step(f"{CLONE}make demo", "ann", words=("Look around",)),),
        "the same without network": (
            Step(f"{CLONE}make demo", "ann", network=False, words=("Look around",)),
        ),
        **{
            f"demo of {game}": (in_home("true", f"{DEMO} --game {shlex.quote(game)}"),)
            for game in ("knobeln", *GAMES)
        },
        "doctor": (in_home("true", "knobeln doctor"),),
        **{
            f"umask {mask}": (
                in_home(f"umask {mask}", f"{DEMO} && test $(stat -c %a ~/.cache) = 700"),
            )
            for mask in ("002", "022", "077")
        },
        **{
            f"~/.cache of mode {mode}": (in_home(f"mkdir -m {mode} ~/.cache"),)
            for mode in ("700", "755", "775", "777", "000")
        },
        **{
            f"HOME {what}": (in_home(f"export HOME={value}; mkdir -p /tmp/empty"),)
            for what, value in (
                ("empty", "/tmp/empty"),
                ("missing", "/nonexistent"),
                ("not ours", "/root"),
            )
        },
        **{
            f"locale {locale}": (in_home(f"export LC_ALL={locale}"),)
            for locale in ("C", "de_DE.UTF-8", "xx_XX.UTF-8")
        },
        "clone in 'große Wörter'": (
            Step(
                f"mkdir -p 'große Wörter'; cd 'große Wörter'; {CLONE}make demo",
                "ann",
                words=("Look around",),
            ),
        ),
        "user with sudo: make test": (Step(f"{CLONE}mkdir -p build; {TEST}", "ann"),),
    },
    "plain": {
        "user without sudo: the line, then make demo": (
            Step(
                f"{CLONE}make demo 2>/tmp/said || {{ cat /tmp/said; grep '^    apt-get' /tmp/said"
                " >line; }",
                "bob",
            ),
            Step("sh /home/bob/knobeln/line >/dev/null"),
            Step(f"{CLONE}make demo", "bob", words=("Look around",)),
        ),
    },
    "release": {
        "pipx install, demo, all games, verify": (
            Step("apt-get -qq install --yes --no-install-recommends pipx >/dev/null"),
            Step('pipx install "$(echo /srv/release/*.whl)"', "ann"),
            Step("knobeln demo", "ann", fails=True, words=("system packages: some are missing",)),
            Step("knobeln doctor >said; cat said; grep '^    apt-get' said >line", "ann"),
            Step("sh /home/ann/line >/dev/null"),
            Step(
                "$(knobeln doctor | sed -n 's/.*`\\(.* -m pip install .*\\)`.*/\\1/p' | tr -d \\')",
                "ann",
            ),
            Step(
                "knobeln init spring && knobeln doctor -C spring && pipx uninstall knobeln",
                "ann",
                words=("ok   counted time of Python",),
            ),
            Step(
                f"time timeout {NEWCOMER_SECONDS} bash -c {shlex.quote(NEWCOMER)}",
                "ann",
                words=("whose time is counted played again",),
            ),
        ),
        "pip install --require-hashes": (
            Step(
                "python3 -m venv hashed && PATH=~/hashed/bin:$PATH && cd /srv/release && pip"
                " install -q --require-hashes --find-links . -r *-requirements.txt && pip check &&"
                f" knobeln doctor && {DEMO} --game standoff",
                "ann",
                words=("ok   counted time of Python",),
            ),
        ),
    },
    "container": {
        "the steps of the Containerfile": (
            Step(
                "git clone -q /srv/knobeln.bundle /src; cd /src;"
                " sed -n 's/^RUN //p' Containerfile >/steps; set -e; . /steps"
            ),
            Step(
                "cd /var/lib/knobeln; export KNOBELN_CONTEST=/var/lib/knobeln/contest;"
                f" {AS_KNOBELN}sh -ec 'knobeln init --beacon none && knobeln doctor && {DEMO}'"
            ),
        ),
    },
}


def make_system(suite: str, work: Path) -> System:
    """A fresh system with the bundle of this commit, an ordinary user with sudo, and one
    without."""
    log = LOGS / f"{suite}-debootstrap.log"
    root = work / suite
    with log.open("wb") as output:
        subprocess.run(_debootstrap(suite, root), stdout=output, stderr=output, check=True)
    shutil.copy("/etc/resolv.conf", root / "etc")
    _take_our_certificates(root)
    bundle = root / "srv" / "knobeln.bundle"
    subprocess.run(["git", "-C", HERE, "bundle", "create", "-q", bundle, "HEAD"], check=True)
    system = System(suite, root)
    script = (
        "set -e; update-ca-certificates; useradd -m -s /bin/bash ann; useradd -m -s /bin/bash bob;"
        " echo 'ann ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/ann; chmod 644 /srv/*"
    )
    if system.run(log, script):
        raise SystemExit(f"{suite}: see {log}")
    return system


@cache
def make_release(work: Path) -> Path:
    """The folder with what `make release` makes of this commit on this host."""
    source, log = work / "source", LOGS / "make-release.log"
    subprocess.run(["git", "clone", "-q", HERE, source], check=True)
    with log.open("wb") as output:
        subprocess.run(["make", "release"], cwd=source, stdout=output, stderr=output, check=True)
    return source / "dist"


def _debootstrap(suite: str, root: Path) -> list[str | Path]:
    targets = [
        "apt-get",
        "indextargets",
        "--format",
        "$(REPO_URI)",
        "Created-By: Packages",
        "Component: main",
    ]
    mount_points = subprocess.run(
        targets, capture_output=True, text=True, check=True
    ).stdout.split()
    mirror = next(
        line for line in mount_points if line.rstrip("/").endswith(("/debian", "/ubuntu"))
    ).rstrip("/")
    # most have both
    mirror = f"{mirror.rpartition('/')[0]}/{'ubuntu' if suite in UBUNTU else 'debian'}"
    scripts = Path("/usr/share/debootstrap/scripts")
    keyring = Path(
        f"/usr/share/keyrings/{'ubuntu' if suite in UBUNTU else 'debian'}-archive-keyring.gpg"
    )
    options = [
        f"--include={PACKAGES}",
        f"--components=main{',universe' if suite in UBUNTU else ''}",
    ]
    options += [] if keyring.exists() else ["--no-check-gpg"]
    command = ["debootstrap", "--variant=minbase", *options, suite, root, mirror]
    if not (scripts / suite).exists():  # one that this debootstrap does not know yet
        command.append(scripts / ("gutsy" if suite in UBUNTU else "sid"))
    return command


def _take_our_certificates(root: Path) -> None:
    """Where this host reaches the network by a proxy with a certificate of its own, so does the
    system."""
    ours = list(Path("/usr/local/share/ca-certificates").glob("*.crt"))
    for certificate in ours:
        shutil.copy(certificate, root / "usr/local/share/ca-certificates")
    if ours:
        (root / "etc/pip.conf").write_text("[global]\ncert = /etc/ssl/certs/ca-certificates.crt\n")


def log_of(suite: str, case: str) -> Path:
    return LOGS / f"{suite} {case.replace('/', '-')}.log"


def try_case(system: System, name: str, steps: tuple[Step, ...]) -> str:
    """What stands in the table: how long it took, or what failed."""
    log = log_of(system.suite, name)
    log.unlink(missing_ok=True)
    begin = time.monotonic()
    for step in steps:
        code = system.run(log, step.command, user=step.user, network=step.network)
        text = log.read_text(errors="replace")
        if bool(code) != step.fails:
            return f"FAILED ({code})"
        if lacking := [word for word in step.words if word not in text]:
            return f"FAILED, without {lacking[0]!r}"
    skipped = sum(skips(text).values())
    return f"{time.monotonic() - begin:.0f} s" + (f", {skipped} skips" if skipped else "")


def skips(text: str) -> Counter[str]:
    """How many tests pytest says that it skipped, by reason."""
    skipped: Counter[str] = Counter()
    for number, reason in re.findall(r"^SKIPPED \[(\d+)\] \S+ (.+)$", text, re.MULTILINE):
        skipped[reason] += int(number)
    return skipped


Table = dict[str, dict[str, str]]
"""What is shown, by case and suite."""
say = partial(print, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", metavar="PATTERN")
    parser.add_argument("suites", nargs="*", default=SUITES, metavar="SUITE")
    chosen = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("only root can make systems: sudo make fresh-system")
    if not shutil.which("debootstrap"):
        install = ["apt-get", "-qq", "install", "--yes", "--no-install-recommends", "debootstrap"]
        subprocess.run(install, check=True)
    LOGS.mkdir(parents=True, exist_ok=True)
    table: Table = {}
    with tempfile.TemporaryDirectory(
        prefix="knobeln-fresh-", dir=os.environ.get("TMPDIR", "/var/tmp")
    ) as folder:
        os.chmod(folder, 0o755)
        for suite in chosen.suites:
            fresh = make_system(suite, Path(folder))
            for place, cases in CASES.items():
                wanted = [name for name in cases if re.search(chosen.only, name)]
                if wanted:
                    try_place(fresh, place, wanted, table)
            shutil.rmtree(fresh.root)
    show(table, chosen.suites)
    return any("FAILED" in cell for row in table.values() for cell in row.values())


def try_place(fresh: System, place: str, wanted: Sequence[str], table: Table) -> None:
    """Try the wanted cases of this place in one copy of the system."""
    cases = CASES[place]
    system = fresh.copy(place)
    if place == "release":
        shutil.copytree(make_release(fresh.root.parent), system.root / "srv/release")
    first = next(iter(cases))  # the others need what it installs
    for name in cases:
        if name in wanted or name == first:
            result = try_case(system, name, cases[name])
            table.setdefault(name, {})[system.suite] = result
            tell(system.suite, name, result)
    shutil.rmtree(system.root)


def tell(suite: str, name: str, result: str) -> None:
    """Print how a case ended, what it skipped, and the end of its log if it failed."""
    say(f"{suite}: {name}: {result}")
    printed = log_of(suite, name).read_text(errors="replace")
    for reason, number in skips(printed).most_common():
        say(f"    {number} skipped: {reason}")
    if "FAILED" in result:
        say(*printed.splitlines()[-FAILURE_LINES:], sep="\n")


def show(table: Table, suites: Sequence[str]) -> None:
    width = max(map(len, table))
    say("\n" + "  ".join([" " * width, *(f"{suite:<18}" for suite in suites)]))
    for name, row in table.items():
        cells = (f"{row.get(suite, '-'):<18}" for suite in suites)
        say("  ".join([f"{name:<{width}}", *cells]))


if __name__ == "__main__":
    sys.exit(main())
