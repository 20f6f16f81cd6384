#!/usr/bin/env python3
"""Try this commit in fresh systems made by debootstrap: a clone and a release, as root and as ordinary users.

Usage: tools/fresh_system.py [--only PATTERN] [SUITE]...

SUITE: of Debian or Ubuntu; by default the four that README names, or will name next. `--only` runs the cases
whose names match the regular expression PATTERN. For root; takes about half an hour for each suite. It prints
a line for each case; what the case itself printed is in build/fresh-system/.
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
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
LOGS = HERE / "build" / "fresh-system"
SUITES = ("bookworm", "trixie", "testing", "noble")
UBUNTU = ("noble",)
PACKAGES = "make,git,ca-certificates,sudo"
MOST_SECONDS = 3_000
# Sandboxes need namespaces, which the kernel refuses below chroot.
ENTER = """
mount --make-rprivate / && mount --bind "$0" "$0" && mount -t proc proc "$0/proc" &&
mount --rbind /dev "$0/dev" && mount --rbind /sys "$0/sys" && mount -t tmpfs -o mode=1777 tmp "$0/tmp" &&
cd "$0" && pivot_root . mnt && umount -l /mnt && exec su - "$1" -c "$2"
"""
LOOPBACK = """
import fcntl, socket, struct, os, sys
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sH14x", b"lo", 1))
os.execvp(sys.argv[1], sys.argv[1:])
"""


@dataclass(frozen=True)
class Step:
    """A command that must end with 0 (with `fails`: with another code), and print each of these words."""

    command: str
    user: str = "root"
    network: bool = True
    fails: bool = False
    words: tuple[str, ...] = ()

    def run(self, root: Path, log: Path) -> int:
        """Run it in a login shell of the system below `root`; its output goes to the log. Its exit code."""
        enter = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER]
        words = [*enter, str(root), self.user, self.command]
        if not self.network:
            words = ["unshare", "--net", sys.executable, "-c", LOOPBACK, *words]
        with log.open("ab") as output:
            output.write(f"$ {self.command}   # {self.user}\n".encode())
            output.flush()
            environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TERM": "dumb"}
            try:
                return subprocess.run(
                    words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment,
                    timeout=MOST_SECONDS, check=False,
                ).returncode  # fmt: skip
            except subprocess.TimeoutExpired:
                return 124


CLONE = "test -d knobeln || git clone -q /srv/knobeln.bundle knobeln; cd knobeln; "
AS_KNOBELN = "setpriv --reuid knobeln --regid knobeln --clear-groups env HOME=/var/lib/knobeln "
DEMO = "knobeln demo --teams 5 --seed fresh"

TEST = "make test >build/test.log 2>&1; code=$?; tail -n 400 build/test.log; exit $code"

# What a newcomer does with a release, all of it fetched before. The shell says when each command began.
NEWCOMER = """
PS4='+ after $SECONDS s: '; set -ex
pipx install "$(echo /srv/release/*.whl)[fuel]"
knobeln demo
for game in $(knobeln games | cut -f 1); do
    knobeln demo --teams 5 --seed fresh --game $game $game
    knobeln publish -C $game $game-archive
    knobeln verify $game-archive || test $? = 3  # only the public number was drawn by the demonstration
done
"""
NEWCOMER_SECONDS = 180


# Each case has a root of its own; it ends with the first step that fails.
CASES: dict[str, tuple[Step, ...]] = {
    "no network": (Step(f"{CLONE}make demo", network=False, fails=True, words=("no network",)),),
    "root": (
        Step(f"{CLONE}make demo", words=("Look around",)),
        Step(f"{CLONE}mkdir -p build; {TEST}"),
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
    "user with sudo": (
        Step(f"{CLONE}make demo", "ann", words=("Look around",)),
        Step(f"{CLONE}mkdir -p build; {TEST}", "ann"),
    ),
    "user without sudo": (
        Step(
            f"{CLONE}make demo 2>/tmp/said || {{ cat /tmp/said; grep '^    apt-get' /tmp/said >line; }}",
            "bob",
        ),
        Step("sh /home/bob/knobeln/line >/dev/null"),
        Step(f"{CLONE}make demo", "bob", words=("Look around",)),
    ),
    "release": (
        Step("apt-get -qq install --yes --no-install-recommends pipx >/dev/null"),
        Step('pipx install "$(echo /srv/release/*.whl)"', "ann"),
        Step("knobeln demo", "ann", fails=True, words=("system packages: some are missing",)),
        Step("knobeln doctor >said; cat said; grep '^    apt-get' said >line", "ann"),
        Step("sh /home/ann/line >/dev/null"),
        Step("$(knobeln doctor | sed -n 's/.*`\\(.* -m pip install .*\\)`.*/\\1/p' | tr -d \\')", "ann"),
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
        Step(
            "python3 -m venv hashed && PATH=~/hashed/bin:$PATH && cd /srv/release &&"
            " pip install -q --require-hashes --find-links . -r *-requirements.txt && pip check &&"
            f" knobeln doctor && {DEMO} --game standoff",
            "ann",
            words=("ok   counted time of Python",),
        ),
    ),
    "the steps of the Containerfile": (
        Step(
            "git clone -q /srv/knobeln.bundle /src; cd /src;"
            " sed -n 's/^RUN //p' Containerfile >/steps; set -e; . /steps"
        ),
        Step(
            f"cd /var/lib/knobeln; export KNOBELN_CONTEST=/var/lib/knobeln/contest; {AS_KNOBELN}"
            f"sh -ec 'knobeln init --beacon none && knobeln doctor && {DEMO}'"
        ),
    ),
}


def make_system(suite: str, root: Path) -> None:
    """A fresh system with the bundle of this commit, an ordinary user with sudo, and one without."""
    log = LOGS / f"{suite} debootstrap.log"
    with log.open("wb") as output:
        subprocess.run(_debootstrap(suite, root), stdout=output, stderr=output, check=True)
    shutil.copy("/etc/resolv.conf", root / "etc")
    _take_our_certificates(root)
    bundle = root / "srv" / "knobeln.bundle"
    subprocess.run(["git", "-C", HERE, "bundle", "create", "-q", bundle, "HEAD"], check=True)
    script = (
        "set -e; update-ca-certificates; useradd -m -s /bin/bash ann; useradd -m -s /bin/bash bob;"
        " echo 'ann ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/ann; chmod 644 /srv/*"
    )
    if Step(script).run(root, log):
        raise SystemExit(f"{suite}: see {log}")


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
    found = subprocess.run(targets, capture_output=True, text=True, check=True).stdout.split()
    mirror = next(line for line in found if line.rstrip("/").endswith(("/debian", "/ubuntu"))).rstrip("/")
    mirror = f"{mirror.rpartition('/')[0]}/{'ubuntu' if suite in UBUNTU else 'debian'}"  # most have both
    scripts = Path("/usr/share/debootstrap/scripts")
    keyring = Path(f"/usr/share/keyrings/{'ubuntu' if suite in UBUNTU else 'debian'}-archive-keyring.gpg")
    options = [f"--include={PACKAGES}", f"--components=main{',universe' if suite in UBUNTU else ''}"]
    options += [] if keyring.exists() else ["--no-check-gpg"]
    script = () if (scripts / suite).exists() else (scripts / ("gutsy" if suite in UBUNTU else "sid"),)
    return ["debootstrap", "--variant=minbase", *options, suite, root, mirror, *script]


def _take_our_certificates(root: Path) -> None:
    """Where this host reaches the network by a proxy with a certificate of its own, so does the system."""
    ours = list(Path("/usr/local/share/ca-certificates").glob("*.crt"))
    for certificate in ours:
        shutil.copy(certificate, root / "usr/local/share/ca-certificates")
    if ours:
        (root / "etc/pip.conf").write_text("[global]\ncert = /etc/ssl/certs/ca-certificates.crt\n")


def try_case(root: Path, log: Path, steps: tuple[Step, ...]) -> str:
    """How long it took, or what failed."""
    log.unlink(missing_ok=True)
    begin = time.monotonic()
    for step in steps:
        code = step.run(root, log)
        text = log.read_text(errors="replace")
        lacking = [word for word in step.words if word not in text]
        if bool(code) != step.fails or lacking:
            without = f", without {lacking[0]!r}" if lacking else ""
            return f"FAILED ({code}){without}: {step.command}"
    skipped = sum(line.startswith("SKIPPED [") for line in text.splitlines())
    return f"{time.monotonic() - begin:.0f} s" + (f", {skipped} skips" if skipped else "")


def try_suite(suite: str, work: Path, only: str) -> bool:
    """Try the cases whose names match, and tell what each came to. Whether none failed."""
    fresh, is_well = work / suite, True
    make_system(suite, fresh)
    for name, steps in CASES.items():
        if not re.search(only, name):
            continue
        root = work / f"{suite} {name}"
        subprocess.run(["cp", "-a", fresh, root], check=True)
        if name == "release":
            shutil.copytree(make_release(work), root / "srv/release")
        found = try_case(root, LOGS / f"{suite} {name}.log", steps)
        print(f"{suite}: {name}: {found}", flush=True)
        is_well = is_well and not found.startswith("FAILED")
        shutil.rmtree(root)
    shutil.rmtree(fresh)
    return is_well


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", metavar="PATTERN")
    parser.add_argument("suites", nargs="*", default=SUITES, metavar="SUITE")
    chosen = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("only root can make systems: sudo make fresh-system")
    LOGS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix="knobeln-fresh-", dir=os.environ.get("TMPDIR", "/var/tmp")
    ) as folder:
        os.chmod(folder, 0o755)
        found = [try_suite(suite, Path(folder), chosen.only) for suite in chosen.suites]
    return int(not all(found))


if __name__ == "__main__":
    sys.exit(main())
