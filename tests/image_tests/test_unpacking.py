"""Images as teams send them, unpacked by the real tools: bad ones are refused in a sentence, or
contained."""

import gzip
import json
import os
import re
import stat
import tarfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from contest.errors import NotFound, ToolMissing, TryAgain
from sandbox.budget import Budget, UsedUp, paid_from
from sandbox.images import unpacking
from sandbox.images.oci_image import OciImage, Refused, read_configuration, this_architecture
from sandbox.images.unpacking import ARCHIVE_BYTES, MAX_DEPTH, MAX_FILES, unpack
from sandbox.sandbox import Sandbox
from tests.support.oci_images import (
    INDEX,
    Made,
    archive,
    described,
    digest,
    folder,
    hard_links,
    link,
    member,
    tar,
)

RUN = {"Entrypoint": ["/player", "always"]}
IN_TMP = "/tmp/a"  # noqa: S108 - in the image
OTHER = "s390x" if this_architecture() != "s390x" else "amd64"


@pytest.fixture
def refused(new_cache: Path, sandbox: Sandbox):
    """Unpack an archive that must be refused; return the sentence. Nothing may be left in the
    cache."""

    def unpack_one(raw):
        with pytest.raises(Refused) as problem:
            unpack(raw, sandbox, new_cache)
        assert {path.name for path in new_cache.iterdir()} <= {".lock"}
        return str(problem.value)

    return unpack_one


def file(name, size=1):
    return member(name, b"x" * size)


def image_of(program, *members, **run):
    return Made([tar([member("player", program), *members])], {**RUN, **run})


# What makes an archive gets a program, and returns the archive.
def of_run(**run):
    return lambda p: archive(Made([tar([member("player", p), folder("d")])], run).docker_files())


def of_layer(*members, **run):
    return lambda p: archive(image_of(p, *members, **run).docker_files())


def spoiled(name, old, new):
    """Write a good image as an oci-archive in which only one file is changed."""

    def make(program):
        files = image_of(program).oci_files()
        assert old in files[name]
        return archive({**files, name: files[name].replace(old, new)})

    return make


def of_two(program):
    files = image_of(program).oci_files()
    (entry,) = json.loads(files["index.json"])["manifests"]
    return archive({**files, "index.json": json.dumps({"manifests": [entry, entry]}).encode()})


def of_endless_indexes(_):
    index = json.dumps({"schemaVersion": 2, "manifests": []}).encode()
    files = {"oci-layout": b"{}"}
    for _ in range(9):
        files[f"blobs/sha256/{digest(index)[7:]}"] = index
        index = json.dumps({"schemaVersion": 2, "manifests": [described(index, INDEX)]}).encode()
    return archive({**files, "index.json": index})


def good(program):
    return archive(image_of(program).docker_files())


def oci_of(layer, diff_id):
    """An oci-archive of one packed layer; `diff_id`: the digest that it is said to have
    unpacked."""
    files = Made([b""], RUN, diff_ids=[diff_id]).oci_files()
    (old,) = (name for name, data in files.items() if data == gzip.compress(b"", mtime=0))
    (name,) = (name for name, data in files.items() if b"layers" in data and b"rootfs" not in data)
    manifest = json.loads(files[name])
    manifest["layers"][0].update(digest=digest(layer), size=len(layer))
    raw = json.dumps(manifest).encode()
    index = json.loads(files["index.json"])
    index["manifests"][0].update(digest=digest(raw), size=len(raw))
    kept = {key: data for key, data in files.items() if key not in (old, name)}
    blobs = {f"blobs/sha256/{digest(blob)[7:]}": blob for blob in (layer, raw)}
    return archive({**kept, **blobs, "index.json": json.dumps(index).encode()})


DEEP = "/".join("d" for _ in range(MAX_DEPTH))
NO_TAR, NO_PROGRAM = "does not look like a tar archive", "is not a program in the image"
BAD = {
    "a_command_that_is_nowhere_in_path": (of_run(Entrypoint=["player"]), NO_PROGRAM),
    "a_command_that_is_a_folder": (of_run(Entrypoint=["/d"]), NO_PROGRAM),
    "a_command_on_this_computer": (
        of_layer(link("true", "../../../../bin/true"), Entrypoint=["/true"]),
        NO_PROGRAM,
    ),
    "a_command_in_tmp": (of_layer(member("tmp/a", b"x"), Entrypoint=[IN_TMP]), NO_PROGRAM),
    "a_folder_in_tmp": (of_run(**RUN, WorkingDir=IN_TMP), f'"{IN_TMP}" is not in the image'),
    "nothing": (lambda _: b"", "does not look like a tar archive; send what `podman save` or"),
    "program": (lambda _: b"\x7fELF" + bytes(600), NO_TAR),
    "cut_off": (lambda p: good(p)[: len(good(p)) // 2], "Unexpected EOF in archive"),
    "a_file_system": (
        lambda _: tar([folder("etc")]),
        "it has neither a file manifest.json nor oci-layout",
    ),
    "two_images": (of_two, "more than one image"),
    "endless_indexes": (of_endless_indexes, "copying system image from manifest list"),
    "json_too_deep": (lambda _: archive({"manifest.json": b"[" * 20_000}), "exceeded max depth"),
    "wrong_layer": (
        lambda p: archive(replace(image_of(p), diff_ids=[digest(b"")]).docker_files()),
        "Digest did not match",
    ),
    "a_digest_that_is_a_path": (
        spoiled("index.json", b"sha256:", b"sha256:../../"),
        "invalid checksum digest",
    ),
    "links_in_a_circle": (
        of_layer(link("a", "b"), link("b", "a"), file("a/c")),
        "too many levels of",
    ),
    "a_hard_link_outside": (
        of_layer(member("b", type=b"1", linkname="../../etc/passwd")),
        "no such file or directory",
    ),
    "a_path_that_links_make_deep": (
        of_layer(folder(DEEP), link("l", DEEP), file("l/d")),
        "its folders are more than 128 deep",
    ),
    "a_whiteout_of_all": (of_layer(file(".wh...")), "unpack entry: .wh..."),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_archive_is_refused_in_a_sentence_and_leaves_nothing(
    name: str, refused: Callable[[bytes], str], program: bytes
) -> None:
    make, words = BAD[name]
    assert words in refused(make(program))


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ({}, "it has neither ENTRYPOINT nor CMD"),
        (
            {"Entrypoint": ["/bin/sh", "-c", "python bot.py"]},
            'its command "python bot.py" is in the shell form, which takes no arguments',
        ),
        ({"Cmd": ["/bin/sh", "-c", "python bot.py"]}, "is in the shell form"),
        ({**RUN, "WorkingDir": "d"}, "does not begin with /"),
        ({**RUN, "Env": ["A=x\0--bind\0/\0/mnt"]}, "a byte 0"),
        ({**RUN, "Env": ["A=" + "x" * 20_000]}, "more than 16,384 bytes"),
        ({**RUN, "Env": ["==x"]}, 'its variable "==x" has no name'),
        ({**RUN, "Env": ["=x"]}, 'its variable "=x" has no name'),
        ({**RUN, "Env": [""]}, 'its variable "" has no name'),
        ({**RUN, "Env": ["aa="] * 3_200}, "more than 500 variables"),
        ({**RUN, "Cmd": ["x"] * 3_000}, "more than 500 words"),
        ({**RUN, "WorkingDir": "/" + "a" * 5_000}, "more than 1,024 bytes, or 255 in a name"),
        ({**RUN, "WorkingDir": "/a" * 2_500}, "more than 1,024 bytes, or 255 in a name"),
        ({**RUN, "WorkingDir": "/" + "ä" * 128}, "more than 1,024 bytes, or 255 in a name"),
        ({"Entrypoint": ["/p" * 3_000]}, "more than 1,024 bytes, or 255 in a name"),
        ({"Entrypoint": ["/bin/env", "x"], "Cmd": ["x"] * 501}, "more than 500 words"),
    ],
)
def test_a_configuration_that_cannot_be_run_is_refused_in_a_sentence(
    run: dict[str, list[str] | str], words: str
) -> None:
    with pytest.raises(Refused, match=re.escape(words)):
        read_configuration(Made([], run).configuration)


def test_an_image_for_other_computers_is_refused_with_how_to_build_it():
    here = f"linux/{this_architecture()}"
    with pytest.raises(Refused) as refused:
        read_configuration(Made([], RUN, architecture=OTHER).configuration)
    assert str(refused.value) == (
        f'the image is for "linux/{OTHER}", the contest host is {here}; build it with '
        f"`docker build --platform {here}`"
    )


def layer_of(*parts):
    """A gzipped layer, and its digest unpacked, of pieces that may come many times each."""
    packed = b"".join(gzip.compress(data, mtime=0) * times for data, times in parts)
    return oci_of(packed, digest(b""))  # refused long before the digest is known


def zeros(count):
    """The parts of `count` files of 900 MB each."""
    for number in range(count):
        info = tarfile.TarInfo(f"zeros{number}")
        info.size = 900 << 20
        yield info.tobuf(tarfile.GNU_FORMAT), 1
        yield bytes(1 << 20), 900


def empty_files(count):
    yield (
        b"".join(
            tarfile.TarInfo(f"{n // 1000}/{n}").tobuf(tarfile.USTAR_FORMAT) for n in range(count)
        ),
        1,
    )


def sparse_files(count):
    """Files that have 900 MB, and a few bytes in the archive."""
    for number in range(count):
        facts = {"major": 1, "minor": 0, "name": f"sparse{number}", "realsize": 900 << 20}
        headers = {f"GNU.sparse.{key}": str(value) for key, value in facts.items()}
        data = f"1\n{900 << 20}\n0\n".encode().ljust(512, b"\0")
        yield tar([member(f"s{number}", data, pax_headers=headers)])[: 4 * 512], 1


BOMBS = {
    "gzip": lambda: gzip.compress(bytes(1 << 20)) * 2_000,
    "large_files": lambda: layer_of(*zeros(5)),
    "sparse_files": lambda: layer_of(*sparse_files(40)),
    "empty_files": lambda: layer_of(*empty_files(2 * MAX_FILES)),
    "hard_links": lambda: layer_of((hard_links(2 * MAX_FILES), 1)),
}
LONG_BOMBS = ("large_files", "empty_files", "hard_links")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["gzip", "sparse_files", *(pytest.param(n, marks=pytest.mark.night) for n in LONG_BOMBS)],
)
def test_a_bomb_is_ended_before_it_fills_the_disk(
    name: str, refused: Callable[[bytes], str]
) -> None:
    assert f"more than 1,073,741,824 bytes, or {MAX_FILES:,} files" in refused(BOMBS[name]())


def test_an_image_that_takes_long_holds_up_no_other(
    new_cache: Path, sandbox: Sandbox, program: bytes
) -> None:
    unfinished = new_cache / f".fresh-{digest(b'another')[7:]}"
    unfinished.mkdir()
    with unpacking._held(unfinished):
        raw = archive(image_of(program).docker_files())
        assert unpack(raw, sandbox, new_cache).is_unpacked
        assert unfinished.exists()
    other = archive(image_of(program, file("a")).docker_files())
    unpack(other, sandbox, new_cache)
    assert not unfinished.exists()  # whoever had it is dead


def test_an_image_whose_unpacking_was_killed_is_unpacked_anew(
    new_cache: Path, sandbox: Sandbox, program: bytes
) -> None:
    raw = archive(image_of(program).docker_files())
    name = digest(raw)[7:]
    unfinished = new_cache / f".fresh-{name}" / "work"
    unfinished.mkdir(parents=True)
    (unfinished / "plain").write_bytes(b"")
    assert unpack(raw, sandbox, new_cache).is_unpacked
    assert {path.name for path in new_cache.iterdir()} == {".lock", name}


def test_unpacking_is_paid_from_the_budget_and_leaves_nothing(
    new_cache: Path, sandbox: Sandbox, program: bytes
) -> None:
    raw = archive(image_of(program).docker_files())
    with pytest.raises(UsedUp), paid_from(Budget(0.001)):
        unpack(raw, sandbox, new_cache)
    assert {path.name for path in new_cache.iterdir()} <= {".lock"}


def test_a_huge_archive_is_refused_unread(refused: Callable[[bytes], str]) -> None:
    assert (
        refused(bytes(ARCHIVE_BYTES + 1))
        == "it has 536,870,913 bytes; at most 536,870,912 are taken"
    )


def test_what_an_image_tries_stays_within_it(
    new_cache: Path, sandbox: Sandbox, program: bytes
) -> None:
    tries = [
        file("../a"),
        file("d/../../a"),
        member("../../../../tmp/knobeln-evil", b"x"),
        member("/tmp/knobeln-evil", b"x"),  # noqa: S108
        link("up", "../../../../tmp"),
        member("up/knobeln-evil", b"x"),
        member("mem", type=b"3"),
        member("disk", type=b"4"),
        member("pipe", type=b"6"),
        link("proc", "/etc"),
        link("dev", "../.."),
        file("closed/a"),
        member("closed", type=tarfile.DIRTYPE, mode=0),
        member("closed/b", b"x", mode=0),
    ]
    image = unpack(archive(image_of(program, *tries).docker_files()), sandbox, new_cache)
    kinds = {stat.S_IFMT(path.lstat().st_mode) for path in (image.folder / "root").rglob("*")}
    assert kinds <= {stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK}
    assert {path.name for path in new_cache.iterdir()} == {".lock", image.digest}
    assert not Path("/tmp/knobeln-evil").exists()  # noqa: S108
    for covered in ("dev", "proc", "tmp"):
        assert (image.folder / "root" / covered).lstat().st_mode == stat.S_IFDIR | 0o755


@pytest.mark.slow
def test_every_form_of_archive_is_unpacked(
    new_cache: Path, sandbox: Sandbox, program: bytes
) -> None:
    made = image_of(program)
    forms = {
        "docker, gzipped": gzip.compress(archive(made.docker_files())),
        "oci": archive(made.oci_files()),
        "both at once": archive({**made.docker_files(), **made.oci_files()}),
    }
    for form, raw in forms.items():
        image = unpack(raw, sandbox, new_cache)
        assert (image.folder / "root" / "player").read_bytes() == program, form
        assert image.run.entrypoint == ("/player", "always")


def test_one_image_of_several_platforms_is_the_one_for_this_computer(
    new_cache: Path, sandbox: Sandbox, program: bytes
) -> None:
    here = image_of(program).oci_files(
        platform={"os": "linux", "architecture": this_architecture()}
    )
    of_others = replace(image_of(program), architecture=OTHER)
    there = of_others.oci_files(platform={"os": "linux", "architecture": OTHER})
    entries = [json.loads(files["index.json"])["manifests"][0] for files in (there, here)]
    inner = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries}).encode()
    outer = {"schemaVersion": 2, "manifests": [described(inner, INDEX)]}
    made = {f"blobs/sha256/{digest(inner)[7:]}": inner, "index.json": json.dumps(outer).encode()}
    unpack(archive({**here, **there, **made}), sandbox, new_cache)


def test_layers_lie_over_one_another(new_cache: Path, sandbox: Sandbox, program: bytes) -> None:
    first = [member("player", program), file("a"), file("d/a"), file("e/a"), folder("usr/bin")]
    second = [
        file("a", 2),
        file("d/.wh.a"),
        file("e/b"),
        file("e/.wh..wh..opq"),
        link("bin", "usr/bin"),
    ]
    third = [file("bin/c"), member("hard", type=b"1", linkname="a")]
    image = unpack(
        archive(Made([tar(first), tar(second), tar(third)], RUN).oci_files()), sandbox, new_cache
    )
    root = image.folder / "root"
    sizes = {
        str(path.relative_to(root)): path.stat().st_size
        for path in root.rglob("*")
        if path.is_file()
    }
    sizes = {name: size for name, size in sizes.items() if not name.startswith("bin/")}
    assert sizes == {"player": len(program), "a": 2, "hard": 2, "e/b": 1, "usr/bin/c": 1}
    assert os.readlink(root / "bin") == "usr/bin"


def test_what_is_written_is_plain_and_readable_whatever_the_image_says(
    new_cache: Path, sandbox: Sandbox, program: bytes
) -> None:
    layer = [
        member("su", b"x", mode=0o6755, uid=0),
        member("secret", b"x", mode=0o600, uid=1000),
        member("closed/file", b"x", mode=0o000),
        member("hard", type=b"1", linkname="su"),
        link("out", "../../../../../etc/passwd"),
    ]
    root = (
        unpack(archive(image_of(program, *layer).docker_files()), sandbox, new_cache).folder
        / "root"
    )
    modes = {
        str(path.relative_to(root)): stat.S_IMODE(path.lstat().st_mode)
        for path in sorted(root.rglob("*"))
        if not path.is_symlink()
    }
    assert modes == {
        **dict.fromkeys(["closed", "dev", "proc", "tmp", "hard", "player", "su"], 0o755),
        **dict.fromkeys(["closed/file", "secret"], 0o644),
    }
    assert os.readlink(root / "out") == "../../../../../etc/passwd"
    assert (root / "su").stat().st_ino == (root / "hard").stat().st_ino


def test_an_archive_is_unpacked_once(new_cache: Path, sandbox: Sandbox, program: bytes) -> None:
    first = unpack(good(program), sandbox, new_cache)
    written = (new_cache / first.digest).stat().st_ctime_ns
    assert unpack(good(program), sandbox, new_cache) == first
    assert (new_cache / first.digest).stat().st_ctime_ns == written


def test_several_at_once_end_with_the_same_image(
    new_cache: Path, sandbox: Sandbox, program: bytes
) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(
            pool.map(lambda raw: repr(unpack(raw, sandbox, new_cache)), [good(program)] * 8)
        )
    assert len(set(found)) == 1


def test_what_somebody_killed_has_left_is_removed(
    new_cache: Path, sandbox: Sandbox, program: bytes
) -> None:
    left = new_cache / ".fresh-1" / "work"
    (left / "root" / DEEP / DEEP).mkdir(parents=True)
    (left / "root").chmod(0)
    if sandbox.user:
        for path in (left, *left.rglob("*")):
            os.chown(path, sandbox.user, sandbox.user)
    unpack(good(program), sandbox, new_cache)
    assert not (new_cache / ".fresh-1").exists()


@pytest.mark.parametrize("where", ["work/root", "ready/root", "root"])
def test_closed_folders_that_are_left_of_an_image_are_removed(
    where: str, new_cache: Path, sandbox: Sandbox, program: bytes
) -> None:
    closed = new_cache / ".fresh-2" / where / "closed" / "folder"
    closed.mkdir(parents=True)
    closed.chmod(0)
    closed.parent.chmod(0)
    unpack(good(program), sandbox, new_cache)
    assert not (new_cache / ".fresh-2").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root can remove every folder")
def test_what_cannot_be_removed_does_not_stop_the_next_image(
    new_cache: Path, sandbox: Sandbox, program: bytes
) -> None:
    left = new_cache / ".fresh-3"
    (left / "work").mkdir(parents=True)
    left.chmod(0o500)
    assert unpack(good(program), sandbox, new_cache).is_unpacked
    assert left.exists()
    left.chmod(0o700)


@pytest.mark.slow
def test_what_was_used_longest_ago_makes_room_and_what_is_held_stays(
    new_cache: Path, sandbox: Sandbox, program: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other(number):
        layer = [member("filler", bytes([number]) * 20_000)]
        return unpack(archive(image_of(program, *layer).docker_files()), sandbox, new_cache)

    first = other(1)
    monkeypatch.setattr(unpacking, "KEPT_BYTES", 2 * first.unpacked_bytes + 1)
    second = other(2)
    with first.held():
        pass  # used last
    third = other(3)
    assert [image.is_unpacked for image in (first, second, third)] == [True, False, True]
    with first.held(), third.held():
        fourth = other(4)
        assert [image.is_unpacked for image in (first, third, fourth)] == [True, True, True]
    fifth = other(5)
    assert [image.is_unpacked for image in (first, third, fourth, fifth)] == [
        False,
        False,
        True,
        True,
    ]
    assert {path.name for path in new_cache.iterdir()} == {".lock", fourth.digest, fifth.digest}
    with pytest.raises(NotFound, match="unpack it again"), first.held():
        pass
    assert other(1) == first


def test_an_image_whose_settings_are_lost_is_unpacked_again(
    new_cache: Path, sandbox: Sandbox, program: bytes
) -> None:
    image = unpack(good(program), sandbox, new_cache)
    (image.folder / "image.json").write_bytes(b"{")
    assert unpack(good(program), sandbox, new_cache) == image
    assert OciImage.from_bytes((image.folder / "image.json").read_bytes(), new_cache) == image


def test_a_cache_that_cannot_be_written_is_nobodys_fault(
    new_cache: Path, sandbox: Sandbox, program: bytes
) -> None:
    (new_cache / "file").touch()
    with pytest.raises(TryAgain, match="could not be unpacked"):
        unpack(good(program), sandbox, new_cache / "file" / "cache")


def test_a_tool_that_is_missing_is_nobodys_fault(
    new_cache: Path, sandbox: Sandbox, program: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "PATH", str(new_cache))
    with pytest.raises(ToolMissing, match="missing: `apt install skopeo umoci`"):
        unpack(good(program), sandbox, new_cache)
