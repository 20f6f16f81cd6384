"""Which file of a program starts: by rules that a team can follow."""

import pytest

from compiler.languages import ANY, Problem, Wanted, recognise

HELPER = "def helper():\n    return 1\n"
MAIN_JAVA = "public class {0} {{ public static void main(String[] words) {{ }} }}"
HOG = Wanted("final_strategy.py", "final_strategy")
MOVES = Wanted("", "get_move")

STARTS = [
    # Python
    (ANY, {"main.py": "import a", "a.py": HELPER}, "main.py", "of its name"),
    (ANY, {"src/main.py": "import a", "src/a.py": HELPER}, "src/main.py", "of its name"),
    (ANY, {"main.py": "", "other/main.py": ""}, "main.py", "of its name"),
    (ANY, {"__main__.py": "import a", "a.py": HELPER}, "__main__.py", "of its name"),
    (ANY, {"bot.py": "import a\n", "a.py": HELPER}, "bot.py", "no other file loads it"),
    (ANY, {"bot.py": "from .a import b\n", "a.py": HELPER}, "bot.py", "no other file loads it"),
    (ANY, {"bot.py": "from p.a import b\n", "p/a.py": "", "p/__init__.py": ""}, "bot.py", "loads"),
    (ANY, {"x.py": "if __name__ == '__main__': pass", "y.py": "import x"}, "x.py", "__name__"),
    (MOVES, {"main.py": "", "bot.py": "def get_move(a, b):\n"}, "bot.py", "function get_move"),
    (MOVES, {"bot.py": "get_move = 3\n", "a.py": ""}, "bot.py", "function get_move"),
    (HOG, {"final_strategy.py": "", "main.py": ""}, "final_strategy.py", "as the contest says"),
    (HOG, {"x.py": "def final_strategy(a, b):\n", "dice.py": ""}, "x.py", "function final_str"),
    # C and C++
    (ANY, {"a.c": "int f() {}", "z.c": "int main() { f(); }", "a.h": ""}, "z.c", "function main"),
    (ANY, {"a.c": "// main()\n", "z.c": "main(argc, argv)\n{}"}, "z.c", "function main"),
    (ANY, {"a.cpp": 'char*a="main(";', "src/z.cc": "auto main() -> int {}"}, "src/z.cc", "main"),
    # Java
    (ANY, {"Bot.java": MAIN_JAVA.format("Bot")}, "Bot.java", ""),
    (ANY, {"Bot.java": "package a.b;\n" + MAIN_JAVA.format("Bot")}, "Bot.java", "a.b.Bot"),
    (ANY, {"B.java": MAIN_JAVA.format("B"), "A.java": "class A {}"}, "B.java", "class B in"),
    (
        ANY,
        {"B.java": MAIN_JAVA.format("B"), "Main.java": MAIN_JAVA.format("Main")},
        "Main.java",
        "class Main in",
    ),
    (
        ANY,
        {"B.java": "class A {} class C { static public void main(final String... a) {} }"},
        "B.java",
        "class C in",
    ),
    (
        ANY,
        {"B.java": "class A { static class I { static void main(String[] a) {} } }"},
        "B.java",
        "class A$I in",
    ),
    # JavaScript, Rust, others
    (ANY, {"index.js": "", "lib/a.js": ""}, "index.js", "of its name"),
    (ANY, {"bot.js": "require('./a')", "a.js": ""}, "bot.js", "no other file loads it"),
    (
        ANY,
        {"package.json": '{"main": "./lib/b.js"}', "lib/b.js": "", "main.js": ""},
        "lib/b.js",
        "package.json names it",
    ),
    (ANY, {"src/main.rs": "mod a;", "src/a.rs": ""}, "src/main.rs", "of its name"),
    (ANY, {"bot.rs": "mod a; fn main() {}", "a.rs": "pub fn main_part() {}"}, "bot.rs", "main"),
    (ANY, {"main.pl": "", "a.pl": ""}, "main.pl", "of its name"),
    (ANY, {"main.py": "", "plot.sh": ""}, "main.py", "of its name"),
]


@pytest.mark.parametrize(("wanted", "files", "program", "why"), STARTS)
def test_a_program_starts_by_a_rule_that_is_told(
    wanted: Wanted, files: dict[str, str], program: str, why: str
) -> None:
    start = recognise({name: text.encode() for name, text in files.items()}, wanted=wanted)
    assert start.program == program
    assert why in start.why
    assert bool(start.why) or len(files) == 1


NO_START = [
    ({"a.py": "", "b.py": ""}, "not clear which of a.py and b.py the program starts with: call"),
    ({"main.py": "", "main.c": ""}, "programs in several languages: C (main.c); Python (main.py)"),
    ({"a.c": "int main() {}", "b.c": "int main() {}"}, "a.c and b.c each have a function main"),
    ({"A.java": MAIN_JAVA.format("A"), "B.java": MAIN_JAVA.format("B")}, "A and B each have a"),
    ({"A.java": "class A { void main() {} }"}, "no class in A.java has a method `public static"),
    ({"A.java": "// public static void main(String[] a)\nclass A {}"}, "could never start"),
    ({"a.rs": "", "b.rs": ""}, "call that file main.rs"),
]


@pytest.mark.parametrize(("files", "words"), NO_START)
def test_where_two_could_be_the_start_the_answer_says_how_to_tell(
    files: dict[str, str], words: str
) -> None:
    with pytest.raises(Problem) as found:
        recognise({name: text.encode() for name, text in files.items()})
    assert words in found.value.text
