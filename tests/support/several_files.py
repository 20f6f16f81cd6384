"""Programs of several files for the game of cooperation, by what is special of each."""

PYTHON = "import sys\nfrom {} import last\nprint(last(sys.argv[2]))\n"
LAST_PY = 'def last(text):\n    return ([c for c in text if c in "CB"] or ["C"])[-1]\n'
JS = "console.log(last(process.argv[3]))"
LAST_JS = 't => (t.match(/[CB]/g) ?? ["C"]).at(-1)'
C = """#include <stdio.h>
#include "last.h"
int main(int count, char **words) { printf("%c\\n", last(words[2])); }
"""
LAST_C = """#include "last.h"
char last(const char *text) {
  char found = 'C';
  for (; *text; text++) if (*text == 'C' || *text == 'B') found = *text;
  return found;
}
"""
LAST_H = """#ifdef __cplusplus
#include <string>
#endif
char last(const char *text);
"""
RUST = """mod parts;
fn main() { println!("{}", parts::last(&std::env::args().nth(2).unwrap())); }
"""
LAST_RS = """pub fn last(text: &str) -> char {
    text.chars().filter(|c| "CB".contains(*c)).last().unwrap_or('C')
}
"""
JAVA = """{}public class Bot {{
  public static void main(String[] words) {{ System.out.println(Last.last(words[1])); }}
}}
"""
LAST_JAVA = """{}public class Last {{
  public static char last(String text) {{
    char found = 'C';
    for (char c : text.toCharArray()) if (c == 'C' || c == 'B') found = c;
    return found;
  }}
}}
"""

PROGRAMS: dict[str, dict[str, str]] = {
    "a module": {"main.py": PYTHON.format("reading"), "reading.py": LAST_PY},
    "a folder for sources": {
        "src/main.py": PYTHON.format("reading"),
        "src/reading.py": LAST_PY,
        "README.md": "Hello",
    },
    "a package": {
        "main.py": PYTHON.format("bot.core"),
        "bot/__init__.py": "",
        "bot/core.py": "from .reading import last\n",
        "bot/reading.py": LAST_PY,
    },
    "a package without __init__": {
        "main.py": PYTHON.format("bot.reading"),
        "bot/reading.py": LAST_PY,
    },
    "a package that starts itself": {
        "src/bot/__init__.py": "",
        "src/bot/__main__.py": PYTHON.format(".reading"),
        "src/bot/reading.py": "from bot.letters import last\n",
        "src/bot/letters.py": LAST_PY,
    },
    "tests beside": {
        "bot.py": PYTHON.format("reading"),
        "reading.py": LAST_PY,
        "test_bot.py": "import bot\n",
        "tests/run.js": "require('assert')\n",
    },
    "data in a folder": {
        "main.py": "print(open('data/answer.txt').read().strip())\n",
        "data/answer.txt": "C\n",
    },
    "require": {
        "main.js": f"const last = require('./lib'); {JS}",
        "lib/index.js": f"module.exports = {LAST_JS}",
    },
    "require from above": {
        "src/main.js": f"const last = require('../last'); {JS}",
        "last.js": f"module.exports = {LAST_JS}",
    },
    "import": {
        "main.mjs": f"import {{last}} from './lib/last.mjs'; {JS}",
        "lib/last.mjs": f"export const last = {LAST_JS}",
    },
    "package.json": {
        "package.json": '{"type": "module", "main": "src/bot.js"}',
        "src/bot.js": f"import {{last}} from './last.js'; {JS}",
        "src/last.js": f"export const last = {LAST_JS}",
    },
    "import of a script": {
        "src/main.mjs": f"import last from './last.cjs'; {JS}",
        "src/last.cjs": f"module.exports = {LAST_JS}",
    },
    "C": {"bot.c": C, "last.c": LAST_C, "last.h": LAST_H},
    "C in folders": {"src/bot.c": C, "src/last.c": LAST_C, "include/last.h": LAST_H},
    "C that includes C": {
        "bot.c": C.replace("last.h", "last.c"),
        "last.c": LAST_C,
        "last.h": LAST_H,
    },
    "C with a second main": {
        "bot.c": C.replace('"last.h"', "<last.h>"),
        "last.c": LAST_C,
        "last.h": LAST_H,
        "tools/try.c": "int main(void) { return 0; }\n",
    },
    "C with a header by its folder": {
        "src/bot.c": C.replace("last.h", "parts/last.h"),
        "parts/last.c": LAST_C,
        "parts/last.h": LAST_H,
    },
    "C++": {"bot.cpp": C, "last.cc": LAST_C, "last.h": LAST_H},
    "bits/stdc++.h": {
        "bot.cpp": f"#include <bits/stdc++.h>\n{C}",
        "last.cpp": LAST_C,
        "last.h": LAST_H,
    },
    "Rust": {"main.rs": RUST, "parts.rs": LAST_RS},
    "Cargo": {
        "Cargo.toml": "[package]\n",
        "src/main.rs": RUST,
        "src/parts/mod.rs": "mod last; pub use last::last;",
        "src/parts/last.rs": LAST_RS,
    },
    "Java": {"Bot.java": JAVA.format(""), "Last.java": LAST_JAVA.format("")},
    "a public class in another file": {
        "bot.java": JAVA.format(""),
        "Last.java": LAST_JAVA.format(""),
        "src/test/java/LastTest.java": "import org.junit.Test;\npublic class LastTest { }\n",
    },
    "Java's packages": {
        "src/main/java/de/example/Bot.java": JAVA.format(
            "package de.example;\nimport de.example.parts.Last;\n"
        ),
        "src/main/java/de/example/parts/Last.java": LAST_JAVA.format("package de.example.parts;\n"),
    },
    "Perl": {
        "main.pl": "require './last.pl'; print last_of($ARGV[1]), qq(\\n);",
        "last.pl": "sub last_of { ($_[0] =~ /[CB]/g)[-1] // 'C' } 1;",
    },
    "shell": {"main.sh": ". ./last.sh\nanswer\n", "last.sh": "answer() { echo C; }\n"},
}
