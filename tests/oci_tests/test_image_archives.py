"""Image archives as teams send them: good ones are unpacked, bad ones are refused with a sentence."""

import gzip
import io
import json
import os
import stat
import threading
import zipfile
from dataclasses import replace

import pytest

from contest.errors import NotFound, TryAgain
from sandbox.oci.formats import this_architecture
from sandbox.oci.image import OciImage
from sandbox.oci.limits import OciLimits
from sandbox.oci.refusal import ImageProblem
from sandbox.oci.unpack import unpack
from tests.support.oci_images import Made, archive, described, digest, folder, link, member, tar

PLAYER = member("player", b"#!/bin/sh\n")
RUN = {"Entrypoint": ["/player"]}
GOOD = Made([tar([PLAYER])], RUN)
IN_TMP = "/tmp/a"  # noqa: S108 - in the image
OTHER = "s390x" if this_architecture() != "s390x" else "amd64"
SMALL = OciLimits(archive_bytes=60_000, unpacked_bytes=200_000, entries=50, layers=3)


def refused(raw, folder, limits=SMALL):
    problem = unpack(raw, folder, limits)
    assert isinstance(problem, ImageProblem), problem
    return problem.text


def zipped():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("image.tar", "x")
    return packed.getvalue()


def running(**run):
    return archive(Made([tar([PLAYER, folder("d")])], run).docker_files())


def spoiled(name, old, new):
    """Write the good image as an oci-archive in which only one file is changed."""
    files = GOOD.oci_files()
    assert old in files[name]
    return archive({**files, name: files[name].replace(old, new)})


def of_layer(*members, **run):
    return archive(Made([tar(members)], {**RUN, **run}).docker_files())


def other_blob():
    files = GOOD.oci_files()
    name = max(files, key=lambda n: n.startswith("blobs/") and files[n].startswith(b"\x1f\x8b"))
    return archive({**files, name: gzip.compress(b"something else")})


def of_two():
    files = GOOD.oci_files()
    (entry,) = json.loads(files["index.json"])["manifests"]
    return archive({**files, "index.json": json.dumps({"manifests": [entry, entry]}).encode()})


def of_endless_indexes():
    index = json.dumps({"manifests": []}).encode()
    files = {"oci-layout": b"{}"}
    for _ in range(9):
        files[f"blobs/sha256/{digest(index)[7:]}"] = index
        entry = {**described(index), "mediaType": "application/vnd.oci.image.index.v1+json"}
        index = json.dumps({"manifests": [entry]}).encode()
    return archive({**files, "index.json": index})


def bomb(size):
    return gzip.compress(bytes(size), mtime=0)


GOOD_TAR = archive(GOOD.docker_files())
BAD = {
    "nothing": (b"", "the archive is empty"),
    "text": (b"FROM scratch\nCOPY player /\n" * 40, "it is no tar archive, or a damaged one"),
    "zip": (zipped(), "the archive is a zip archive; send what `podman save` or `docker save` writes"),
    "xz": (b"\xfd7zXZ\0" + bytes(600), "compressed with xz"),
    "zstd": (b"\x28\xb5\x2f\xfd" + bytes(600), "compressed with zstd"),
    "program": (b"\x7fELF" + bytes(600), "a program, not an image"),
    "cut_off": (GOOD_TAR[: len(GOOD_TAR) // 2 // 512 * 512 + 100], "cut off"),
    "cut_off_gzip": (gzip.compress(GOOD_TAR)[:-20], "cut off: its gzip stream has no end"),
    "damaged_gzip": (gzip.compress(GOOD_TAR)[:50] + b"garbage" * 20, "the archive is damaged"),
    "bomb": (bomb(300_000), "it is too large: unpacked it has more than 200,000 bytes"),
    "bomb_in_a_layer": (
        archive(Made([tar([PLAYER, member("zeros", bytes(300_000))])], RUN).oci_files()),
        "it is too large: unpacked it has more than 200,000 bytes",
    ),
    "large": (bytes(60_001), "it has 60,001 bytes; at most 60,000 are taken"),
    "a_file_system": (tar([PLAYER, folder("etc")]), "not of an image: there is neither manifest.json nor"),
    "wrong_architecture": (
        archive(replace(GOOD, architecture=OTHER).docker_files()),
        f'the image is for "linux/{OTHER}", the contest host is linux/{this_architecture()}; build it '
        f"with `docker build --platform linux/{this_architecture()}`",
    ),
    "wrong_system": (archive(replace(GOOD, os="windows").docker_files()), 'the image is for "windows/'),
    "other_platforms_only": (
        archive(GOOD.oci_files(platform={"os": "linux", "architecture": OTHER})),
        "the archive has no image for the contest host",
    ),
    "two_images": (of_two(), "there are 2 images in the archive; send one"),
    "no_images": (archive({"manifest.json": b"[]"}), "there are 0 images in the archive"),
    "endless_indexes": (of_endless_indexes(), "indexes without end"),
    "json_that_is_none": (archive({"manifest.json": b"{[}"}), "manifest.json cannot be read"),
    "json_of_another_form": (archive({"manifest.json": b'{"a": 1}'}), "manifest.json cannot be read"),
    "json_too_deep": (archive({"manifest.json": b"[" * 20_000}), "manifest.json cannot be read"),
    "layer_missing": (
        archive({k: v for k, v in GOOD.docker_files().items() if "layer" not in k}),
        'the archive is not complete: "0/layer.tar" is missing',
    ),
    "twice_the_same_name": (
        tar([*(member(n, d) for n, d in GOOD.docker_files().items()), member("manifest.json", b"[]")]),
        '"manifest.json" is in the archive twice',
    ),
    "wrong_configuration": (
        archive({n: d.replace(b"/player", b"/prayer") for n, d in GOOD.docker_files().items()}),
        "does not have the digest in its name",
    ),
    "wrong_layer": (
        archive(replace(GOOD, diff_ids=[digest(b"")]).docker_files()),
        "layer 1 does not have the digest sha256:e3b0c44298fc...",
    ),
    "wrong_blob": (other_blob(), "a blob is not what its digest"),
    "wrong_manifest": (spoiled("index.json", b'"size": ', b'"size": 1'), "a blob is not what its digest"),
    "a_digest_that_is_a_path": (
        spoiled("index.json", b"sha256:", b"sha256:../../"),
        "an index cannot be read: manifests.0.digest",
    ),
    "another_number_of_layers": (
        archive(replace(GOOD, diff_ids=[digest(GOOD.layers[0])] * 2).docker_files()),
        "another number of layers",
    ),
    "many_layers": (
        archive(Made([tar([PLAYER])] * 4, RUN).docker_files()),
        "it has 4 layers; at most 3 are taken",
    ),
    "a_zstd_layer": (
        archive(Made([b"\x28\xb5\x2f\xfd" + bytes(600)], RUN).docker_files()),
        "layer 1 is compressed with zstd",
    ),
    "many_entries": (of_layer(PLAYER, *(folder(str(n)) for n in range(50))), "more than 50 files, folders"),
    "a_path_that_leads_out": (of_layer(member("../../../../tmp/knobeln-evil")), "leads out of the image"),
    "a_device": (of_layer(member("dev/sda", type=b"4")), "block device"),
    "no_command": (running(), "it has neither ENTRYPOINT nor CMD"),
    "an_empty_command": (running(Entrypoint=[""]), "it has neither ENTRYPOINT nor CMD"),
    "shell_form": (
        running(Entrypoint=["/bin/sh", "-c", "python bot.py"]),
        'its command "python bot.py" is in the shell form, which takes no arguments',
    ),
    "shell_form_of_cmd": (running(Cmd=["/bin/sh", "-c", "python bot.py"]), "is in the shell form"),
    "a_command_that_is_not_there": (
        running(Entrypoint=["/no"]),
        'its command "/no" is not a program in the image',
    ),
    "a_command_that_is_nowhere_in_path": (running(Entrypoint=["player"]), "is not a program in the image"),
    "a_command_that_is_a_folder": (running(Entrypoint=["/d"]), "is not a program in the image"),
    "a_command_that_cannot_be_executed": (
        of_layer(member("player", b"x", mode=0o644)),
        "is not a program in the image",
    ),
    "a_command_on_this_computer": (
        of_layer(link("player", "../../../../bin/true")),
        "is not a program in the image",
    ),
    "a_command_in_tmp": (
        of_layer(member("tmp/a", b"x"), Entrypoint=[IN_TMP]),
        "is not a program in the image",
    ),
    "a_folder_in_tmp": (running(**RUN, WorkingDir=IN_TMP), "is not kept: /dev, /proc and /tmp are empty"),
    "a_folder_linked_to_proc": (
        of_layer(PLAYER, link("p", "/proc/self"), WorkingDir="/p/root"),
        "is not kept",
    ),
    "a_folder_that_is_a_file": (running(**RUN, WorkingDir="/player"), "is used as a folder"),
    "a_relative_folder": (running(**RUN, WorkingDir="d"), "does not begin with /"),
    "a_byte_0_in_a_variable": (running(**RUN, Env=["A=x\0--bind\0/\0/mnt"]), "a byte 0"),
    "a_byte_0_in_a_word": (running(Entrypoint=["/player", "\0"]), "a byte 0"),
    "half_a_character": (
        running(Entrypoint=["/\ud800"]),
        "cannot be read",
    ),
    "a_variable_without_a_name": (running(**RUN, Env=["=x"]), "has no name"),
    "many_variables": (running(**RUN, Env=[f"A{n}=" for n in range(101)]), "more than 100 words"),
    "a_large_variable": (running(**RUN, Env=["A=" + "x" * 20_000]), "more than 16,384 bytes"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_archive_is_refused_in_a_sentence_and_leaves_nothing(name, tmp_path):
    raw, words = BAD[name]
    assert words in refused(raw, tmp_path / "cache")
    left = {path.name for path in (tmp_path / "cache").rglob("*")} if (tmp_path / "cache").exists() else set()
    assert left <= {".lock"}


def test_a_gzip_stream_of_very_many_pieces_is_refused(tmp_path):
    raw = gzip.compress(b"", mtime=0) * 200_001
    assert "in more than 200,000 pieces" in refused(raw, tmp_path, OciLimits())


def test_an_archive_of_very_many_files_is_refused(tmp_path):
    assert "more than 10,000 files" in refused(
        tar(member(str(n)) for n in range(10_001)), tmp_path, OciLimits()
    )


FORMS = {
    "docker": GOOD.docker_files(),
    "oci": GOOD.oci_files(),
    "oci_with_plain_layers": GOOD.oci_files(packed=False),
    "oci_that_names_its_platform": GOOD.oci_files(
        platform={"os": "linux", "architecture": this_architecture()}
    ),
    "both_at_once": {**GOOD.docker_files(), **GOOD.oci_files()},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzipped"])
def test_every_form_of_archive_is_unpacked(form, packed, tmp_path):
    raw = archive(FORMS[form])
    image = unpack(gzip.compress(raw) if packed else raw, tmp_path)
    assert isinstance(image, OciImage), image
    assert (image.folder / "root" / "player").read_bytes() == b"#!/bin/sh\n"
    assert image.run.entrypoint == ("/player",)


def test_a_gzip_stream_may_be_in_several_pieces(tmp_path):
    raw = b"".join(gzip.compress(GOOD_TAR[start : start + 700]) for start in range(0, len(GOOD_TAR), 700))
    assert isinstance(unpack(raw, tmp_path), OciImage)


def test_equal_layers_may_be_kept_once_behind_a_link(tmp_path):
    made = Made([GOOD.layers[0]] * 2, RUN)
    files = made.docker_files()
    raw = tar(
        link(name, "../0/layer.tar") if name == "1/layer.tar" else member(name, data)
        for name, data in files.items()
    )
    assert isinstance(unpack(raw, tmp_path), OciImage)


def test_one_image_of_several_platforms_is_the_one_for_this_computer(tmp_path):
    here = GOOD.oci_files(platform={"os": "linux", "architecture": this_architecture()})
    there = replace(GOOD, architecture=OTHER).oci_files(platform={"os": "linux", "architecture": OTHER})
    entries = [json.loads(files["index.json"])["manifests"][0] for files in (here, there)]
    inner = json.dumps({"manifests": entries}).encode()
    outer = {**described(inner), "mediaType": "application/vnd.oci.image.index.v1+json"}
    files = {
        **here,
        **there,
        f"blobs/sha256/{digest(inner)[7:]}": inner,
        "index.json": json.dumps({"manifests": [outer]}).encode(),
    }
    assert isinstance(unpack(archive(files), tmp_path), OciImage)


def test_what_is_written_is_plain_and_readable_whatever_the_image_says(tmp_path):
    layer = [
        PLAYER,
        member("su", b"x", mode=0o6755, uid=0),
        member("secret", b"x", mode=0o600, uid=1000),
        member("closed/file", b"x", mode=0o000),
        member("hard", type=b"1", linkname="su"),
        link("out", "../../../../../etc/passwd"),
        link("tmp", "/etc"),
        link("home", "/"),
        member("home/evil", b"inside", mode=0o644),
    ]
    image = unpack(archive(Made([tar(layer)], RUN).docker_files()), tmp_path)
    assert isinstance(image, OciImage), image
    root = image.folder / "root"
    modes = {
        str(path.relative_to(root)): stat.S_IMODE(path.lstat().st_mode)
        for path in sorted(root.rglob("*"))
        if not path.is_symlink()
    }
    assert modes == {
        **dict.fromkeys(["closed", "dev", "proc", "tmp"], 0o755),
        **dict.fromkeys(["hard", "player", "su"], 0o555),
        **dict.fromkeys(["closed/file", "evil", "secret"], 0o444),
    }
    assert os.readlink(root / "out") == "../../../../../etc/passwd"
    assert (root / "su").stat().st_ino == (root / "hard").stat().st_ino


def test_an_archive_is_unpacked_once(tmp_path):
    first = unpack(GOOD_TAR, tmp_path)
    written = (tmp_path / first.digest).stat().st_ctime_ns
    file = tmp_path / "image.tar"
    file.write_bytes(GOOD_TAR)
    assert unpack(file, tmp_path) == first
    assert (tmp_path / first.digest).stat().st_ctime_ns == written


def test_several_at_once_end_with_the_same_image(tmp_path):
    found = []
    threads = [threading.Thread(target=lambda: found.append(unpack(GOOD_TAR, tmp_path))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(map(repr, found))) == 1
    assert isinstance(found[0], OciImage)


def test_what_somebody_killed_has_left_is_removed(tmp_path):
    (tmp_path / ".fresh-1" / "root").mkdir(parents=True)
    assert isinstance(unpack(GOOD_TAR, tmp_path), OciImage)
    assert not (tmp_path / ".fresh-1").exists()


def other(number):
    """Write a good archive of about 30 kB that differs from all others."""
    made = Made([tar([PLAYER, member("filler", bytes([number]) * 20_000)])], RUN)
    return archive(made.docker_files())


def test_what_was_used_longest_ago_makes_room_and_what_is_held_stays(tmp_path):
    room_for_two = OciLimits(kept_bytes=80_000)
    first, second = (unpack(other(number), tmp_path, room_for_two) for number in (1, 2))
    assert 20_000 < first.unpacked_bytes < 40_000
    with first.held():
        pass  # used last
    third = unpack(other(3), tmp_path, room_for_two)
    assert [image.is_unpacked for image in (first, second, third)] == [True, False, True]
    with first.held(), third.held():
        fourth = unpack(other(4), tmp_path, room_for_two)
        assert [image.is_unpacked for image in (first, third, fourth)] == [True, True, True]
    fifth = unpack(other(5), tmp_path, room_for_two)
    assert [image.is_unpacked for image in (first, third, fourth, fifth)] == [False, False, True, True]
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == sorted(
        [fourth.digest, fifth.digest]
    )


def test_an_image_that_was_removed_cannot_be_held(tmp_path):
    first = unpack(other(1), tmp_path)
    unpack(other(2), tmp_path, OciLimits(kept_bytes=1))
    with pytest.raises(NotFound, match="unpack its archive again"), first.held():
        pass
    assert unpack(other(1), tmp_path) == first


def test_an_image_whose_settings_are_lost_is_unpacked_again(tmp_path):
    image = unpack(GOOD_TAR, tmp_path)
    (image.folder / "image.json").write_bytes(b"{")
    assert unpack(GOOD_TAR, tmp_path) == image
    assert OciImage.from_bytes((image.folder / "image.json").read_bytes(), tmp_path) == image


def test_a_cache_that_cannot_be_written_is_nobodys_fault(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(TryAgain, match="could not be unpacked"):
        unpack(GOOD_TAR, tmp_path / "file" / "cache")
