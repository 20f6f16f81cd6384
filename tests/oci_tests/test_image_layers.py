"""Layers applied in order, in the model: which files a program in the image finds."""

import io

import pytest

from sandbox.oci.refusal import Refused
from sandbox.oci.tar import members
from sandbox.oci.tree import MAX_DEPTH, File, Folder, Link, Tree
from tests.support.oci_images import folder, link, member, tar


def laid(*layers, entries=1000):
    """Build the tree of these layers, lists of members; a file's `size` tells which file it is."""
    tree = Tree(entries)
    for layer in layers:
        raw = tar(layer)
        tree.apply(members(io.BytesIO(raw), 0, len(raw)))
    return tree


def shape(node):
    if isinstance(node, Folder):
        return {name.decode(): shape(child) for name, child in node.children.items()}
    return node.size if isinstance(node, File) else node.target.decode()


def file(name, size=1):
    return member(name, b"x" * size)


LAYERS = {
    "a_later_file_wins": ([[file("a", 1)], [file("a", 2)]], {"a": 2}),
    "a_later_layer_adds": ([[file("d/a")], [file("d/b")]], {"d": {"a": 1, "b": 1}}),
    "a_folder_that_comes_again_keeps_its_files": ([[file("d/a")], [folder("d")]], {"d": {"a": 1}}),
    "a_file_takes_a_folders_place": ([[file("d/a")], [file("d", 3)]], {"d": 3}),
    "a_folder_takes_a_links_place": ([[link("d", "e")], [folder("d"), file("d/a")]], {"d": {"a": 1}}),
    "folders_are_made_as_needed": ([[file("a/b/c")]], {"a": {"b": {"c": 1}}}),
    "dots_and_slashes_mean_nothing": ([[folder("./"), file("/a"), file("./b//c")]], {"a": 1, "b": {"c": 1}}),
    "a_whiteout_takes_a_file_away": ([[file("d/a"), file("d/b")], [file("d/.wh.a")]], {"d": {"b": 1}}),
    "a_whiteout_takes_a_folder_away": ([[file("d/a")], [file(".wh.d")]], {}),
    "a_whiteout_leaves_what_its_own_layer_brings": (
        [[file("a", 1)], [file("a", 2), file(".wh.a")]],
        {"a": 2},
    ),
    "a_whiteout_of_nothing": ([[file("a")], [file(".wh.b"), file("no/.wh.a")]], {"a": 1}),
    "a_whiteout_takes_the_link_and_not_its_target": (
        [[file("a"), link("l", "a")], [file(".wh.l")]],
        {"a": 1},
    ),
    "an_opaque_folder_hides_all_below": (
        [[file("d/a"), file("d/e/b")], [file("d/c"), file("d/.wh..wh..opq")]],
        {"d": {"c": 1}},
    ),
    "marks_of_aufs_mean_nothing": (
        [[file(".wh..wh.plnk/1"), file(".wh..wh.aufs")]],
        {".wh..wh.plnk": {"1": 1}},
    ),
    "a_linked_folder_is_followed": (
        [[folder("usr/bin"), link("bin", "usr/bin")], [file("bin/a")]],
        {"usr": {"bin": {"a": 1}}, "bin": "usr/bin"},
    ),
    "an_absolute_link_is_one_within": (
        [[folder("usr/bin"), link("bin", "/usr/bin")], [file("bin/a")]],
        {"usr": {"bin": {"a": 1}}, "bin": "/usr/bin"},
    ),
    "the_root_is_above_itself": (
        [[link("d", "../../../etc"), folder("etc")], [file("d/passwd")]],
        {"d": "../../../etc", "etc": {"passwd": 1}},
    ),
    "a_hard_link_is_the_same_file": (
        [[file("a", 5), member("d/b", type=b"1", linkname="a")]],
        {"a": 5, "d": {"b": 5}},
    ),
    "a_hard_link_stays_when_its_target_goes": (
        [[file("a", 5)], [member("b", type=b"1", linkname="/a")], [file(".wh.a")]],
        {"b": 5},
    ),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_make_one_tree(name):
    layers, expected = LAYERS[name]
    assert shape(laid(*layers).root) == expected


def test_a_hard_link_shares_its_file():
    root = laid([file("a"), member("b", type=b"1", linkname="a")]).root
    assert root.children[b"a"] is root.children[b"b"]


DEEP = "/".join("d" for _ in range(MAX_DEPTH))
REFUSED = {
    "up": ([file("../a")], "leads out"),
    "up_within": ([file("d/../../a")], "leads out"),
    "a_root_that_is_a_file": ([file(".")], "its root is a file"),
    "a_character_device": ([member("dev/mem", type=b"3")], "character device"),
    "a_block_device": ([member("disk", type=b"4")], "block device"),
    "a_named_pipe": ([member("pipe", type=b"6")], "named pipe"),
    "a_file_used_as_a_folder": ([file("a"), file("a/b")], "is not one"),
    "a_folder_behind_a_link_that_is_a_file": ([file("a"), link("l", "a"), file("l/b")], "is not one"),
    "links_in_a_circle": ([link("a", "b"), link("b", "a"), file("a/c")], "is not one"),
    "a_link_to_itself_below": ([link("a", "a/a"), file("a/c")], "is not one"),
    "a_link_to_nothing": ([link("a", "")], "no proper name"),
    "a_hard_link_to_nothing": ([member("b", type=b"1", linkname="a")], "no file"),
    "a_hard_link_outside": ([member("b", type=b"1", linkname="../../etc/passwd")], "leads out"),
    "a_hard_link_to_a_folder": ([folder("d"), member("b", type=b"1", linkname="d")], "no file"),
    "a_hard_link_to_the_root": ([member("b", type=b"1", linkname="/")], "no file"),
    "a_long_name": ([file("a" * 256)], "at most 255"),
    "a_long_path": ([file("/".join(["a" * 200] * 21))], "more than 4,000"),
    "a_deep_path": ([file(f"{DEEP}/d")], "too deep"),
    "a_path_that_links_make_deep": ([folder(DEEP), link("l", DEEP), file("l/d")], "too deep"),
    "a_whiteout_of_all": ([file(".wh...")], "deletes nothing"),
    "a_whiteout_of_nothing": ([file(".wh.")], "deletes nothing"),
    "many_files": ([file(str(number)) for number in range(1001)], "more than 1,000 files"),
    "many_folders": (
        [file(f"{number}/" + "/".join("e" * 99)) for number in range(11)],
        "more than 1,000 files",
    ),
    "many_whiteouts": ([file(f".wh.{number}") for number in range(1001)], "more than 1,000 files"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused(name):
    layer, words = REFUSED[name]
    with pytest.raises(Refused, match=words):
        laid(layer)


def test_a_maze_of_links_is_refused_before_it_takes_long():
    way = "/".join(["d", ".."] * 600)
    maze = [folder("d"), link("l0", "."), *(link(f"l{n}", f"{way}/l{n - 1}") for n in range(1, 40))]
    with pytest.raises(Refused, match="too many steps"):
        laid([*maze, *(file(f"l39/{n}") for n in range(900))])


FOUND = {
    "/usr/bin/a": 1,
    "/bin/a": 1,
    "bin/a": None,
    "a": 1,
    "./a": 1,
    "../bin/a": 1,
    "/alias": 1,
    "/../../bin/a": 1,
    "/circle": None,
    "/nothing": None,
    "/usr/bin/a/b": None,
    "/usr": Folder,
    "..": Folder,
    "/": Folder,
}


@pytest.mark.parametrize("path", FOUND)
def test_a_program_is_found_as_from_within(path):
    tree = laid(
        [file("usr/bin/a"), link("bin", "usr/bin"), link("alias", "/bin/a"), link("circle", "circle")]
    )
    node = tree.find(path.encode(), b"/usr/bin")
    assert (type(node) if isinstance(node, Folder) else node and node.size) == FOUND[path]


def test_folders_of_the_box_are_real_whatever_the_image_had_there():
    tree = laid([link("proc", "/../../etc"), file("tmp")])
    for name in (b"proc", b"tmp", b"dev"):
        tree.make_empty_folder(name)
    assert shape(tree.root) == {"proc": {}, "tmp": {}, "dev": {}}
    assert not isinstance(tree.root.children[b"proc"], Link)
