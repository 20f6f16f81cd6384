"""Programs in the further languages, for the game of cooperation: each answers as the opponent did
last, and at first C."""

from contest.schema.languages import Language, further_languages

AT_NIGHT = ("C#", "Common Lisp", "Haskell", "OCaml", "Pascal", "PHP")
ROWS: dict[str, Language] = {row.name: row for row in further_languages()}

SEVERAL_FILES: dict[str, dict[str, str]] = {
    "Go": {
        "main.go": """package main

import (
    "os"
    "program/reading"
)

func main() { answer(reading.Last(os.Args[2])) }
""",
        "answer.go": 'package main\n\nimport "fmt"\n\nfunc answer(x string) { fmt.Println(x) }\n',
        "reading/reading.go": """package reading

import "strings"

func Last(text string) string {
    at := strings.LastIndexAny(text, "CB")
    if at < 0 {
        return "C"
    }
    return text[at : at+1]
}
""",
    },
    "Go with go.mod": {
        "go.mod": "module example.org/bot\n\ngo 1.18\n",
        "cmd/bot/main.go": """package main

import (
    "fmt"
    "os"

    "example.org/bot/reading"
)

func main() { fmt.Println(string(reading.Last([]rune(os.Args[2]), 'C'))) }
""",
        "reading/reading.go": """package reading

func Last[T comparable](letters []T, last T) T {
    for _, letter := range letters {
        if any(letter) == any('C') || any(letter) == any('B') {
            last = letter
        }
    }
    return last
}
""",
    },
    "Lua": {
        "src/main.lua": 'print(require("lib.reading").last(arg[2]))\n',
        "src/lib/reading.lua": """
return { last = function(text) return text:match(".*([CB])") or "C" end }
""",
    },
    "Ruby": {
        "bot.rb": "require_relative 'lib/reading'\nputs Reading.last(ARGV[1])\n",
        "lib/reading.rb": """
module Reading
  def self.last(text) = text.scan(/[CB]/).last || "C"
end
""",
    },
}

MISTAKES: dict[str, tuple[str, str, str]] = {
    "Go": ("bot.go", "package main\n\nfunc main() {\n\tx := 1\n}\n", "bot.go:4:2: x declared"),
    "Lua": ("bot.lua", "print(1)\nif then\n", "bot.lua:2: unexpected symbol near 'then'"),
    "Ruby": ("bot.rb", "puts 1\nputs (\n", "bot.rb:2: syntax error"),
}
"""Of each language a file, its text, and the words of the tool about the mistake in it."""

LIBRARIES: dict[str, tuple[str, str, str]] = {
    "Go": (
        "bot.go",
        'package main\n\nimport _ "github.com/fatih/color"\n\nfunc main() {}\n',
        "there is no github.com/fatih/color: a program in Go",
    ),
    "Lua": ("bot.lua", 'require "socket"\n', "there is no socket: a program in Lua"),
    "Ruby": ("bot.rb", "require 'nokogiri'\n", "there is no nokogiri: a program in Ruby"),
}
"""Of each language a program that wants a library, and what the report says."""

HOSTILE: dict[str, tuple[str, str]] = {
    "Go": (
        "bot.go",
        """package main

import (
    "fmt"
    "net"
    "os"
    "time"
)

func main() {
    _, err := os.ReadFile("/etc/passwd")
    if err == nil {
        os.Exit(3)
    }
    if connection, err := net.DialTimeout("tcp", "1.1.1.1:53", time.Second); err == nil {
        connection.Close()
        os.Exit(4)
    }
    if os.WriteFile("/usr/x", nil, 0o666) == nil {
        os.Exit(5)
    }
    for i := 0; i < 100; i++ {
        os.StartProcess("/bin/sleep", []string{"sleep", "100"}, &os.ProcAttr{})
    }
    fmt.Println("C")
}
""",
    ),
    "Lua": (
        "bot.lua",
        """
if io.open("/etc/passwd") then os.exit(3) end
if os.execute("exec 3<>/dev/tcp/1.1.1.1/53") then os.exit(4) end
if io.open("/usr/x", "w") then os.exit(5) end
for _ = 1, 100 do io.popen("sleep 100") end
print("C")
io.stdout:flush()
os.exit(0, false)
""",
    ),
    "Ruby": (
        "bot.rb",
        """
require "socket"
def refused = (yield; exit!(3)) rescue nil
refused { File.read("/etc/passwd") }
refused { TCPSocket.new("1.1.1.1", 53) }
refused { File.write("/usr/x", "") }
8.times { spawn("sleep 100") }
puts "C"
$stdout.flush
exit!(0)
""",
    ),
}
"""Programs that play only if what they try is refused, and that leave processes behind."""
