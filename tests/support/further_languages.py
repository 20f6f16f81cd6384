"""Programs in the further languages, for the game of cooperation: each answers as the opponent did
last, and at first C."""

from contest.schema.languages import Language, further_languages

AT_NIGHT = ("C#", "Common Lisp", "Haskell", "OCaml", "Pascal", "PHP")
ROWS: dict[str, Language] = {row.name: row for row in further_languages()}

SEVERAL_FILES: dict[str, dict[str, str]] = {
    "C#": {
        "Program.cs": """
using System;
using Bot.Parts;

class Program { static void Main(string[] words) { Console.WriteLine(Reading.Last(words[1])); } }
""",
        "Parts/Reading.cs": """
using System.Linq;

namespace Bot.Parts
{
    public static class Reading
    {
        public static char Last(string text)
        {
            return text.Where(c => c == 'C' || c == 'B').DefaultIfEmpty('C').Last();
        }
    }
}
""",
    },
    "Common Lisp": {
        "src/main.lisp": """
(load "parts/reading.lisp")
(format t "~a~%" (reading:last-of (second (rest sb-ext:*posix-argv*))))
""",
        "src/parts/reading.lisp": """
(defpackage :reading (:use :cl) (:export #:last-of))
(in-package :reading)
(defun last-of (text)
  (let ((at (position-if (lambda (c) (find c "CB")) text :from-end t)))
    (if at (char text at) #\\C)))
""",
    },
    "Fortran": {
        "a_bot.f90": """
program bot
  use reading
  implicit none
  character(len=10000) :: text
  call get_command_argument(2, text)
  print '(a)', last_of(text)
end program
""",
        "parts/reading.f90": """
module reading
  use letters
contains
  function last_of(text)
    character(len=*), intent(in) :: text
    character :: last_of
    integer :: at
    at = scan(text, both, back=.true.)
    last_of = 'C'
    if (at > 0) last_of = text(at:at)
  end function
end module
""",
        "parts/symbols.f90": """
module letters
  character(len=2), parameter :: both = 'CB'
end module
""",
    },
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
    "Haskell": {
        "src/Main.hs": """
module Main where
import Parts.Reading (lastOf)
import System.Environment

main :: IO ()
main = do
  words <- getArgs
  putStrLn [lastOf (words !! 1)]
""",
        "src/Parts/Reading.hs": """
module Parts.Reading (lastOf) where
import qualified Data.Map as Map

lastOf :: String -> Char
lastOf text = Map.findWithDefault 'C' (0 :: Int) (Map.fromList [(0, c) | c <- text, c `elem` "CB"])
""",
    },
    "Lua": {
        "src/main.lua": 'print(require("lib.reading").last(arg[2]))\n',
        "src/lib/reading.lua": """
return { last = function(text) return text:match(".*([CB])") or "C" end }
""",
    },
    "OCaml": {
        "bot.ml": "let () = print_char (Reading.last Sys.argv.(2)); print_newline ()\n",
        "parts/reading.mli": "val last : string -> char\n",
        "parts/reading.ml": """
let last text =
  String.fold_left (fun found c -> if String.contains Letters.both c then c else found) 'C' text
""",
        "parts/letters.ml": 'let both = "CB"\n',
    },
    "Pascal": {
        "bot.pas": """
uses Reading;
begin
  writeln(LastOf(ParamStr(2)));
end.
""",
        "units/reading.pas": """
{$mode objfpc}
unit Reading;
interface
function LastOf(const text: ansistring): char;
implementation
function LastOf(const text: ansistring): char;
var
  c: char;
begin
  result := 'C';
  for c in text do
    if c in ['C', 'B'] then result := c;
end;
end.
""",
    },
    "PHP": {
        "index.php": "<?php\nrequire __DIR__ . '/lib/reading.php';\necho last($argv[2]);\n",
        "lib/reading.php": """<?php
function last(string $text): string {
    return preg_match('/.*([CB])/', $text, $found) ? $found[1] : 'C';
}
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
    "C#": (
        "bot.cs",
        "class A {\n  static void Main() { int x = y; }\n}\n",
        "bot.cs(2,32): error CS0103: The name `y' does not exist",
    ),
    "Common Lisp": (
        "bot.lisp",
        "(print 1)\n\n(defun f (x)\n  (print x)\n",
        "bot.lisp:3: this form has no end",
    ),
    "Fortran": ("bot.f90", "program bot\n  integer :: i\n  i =\nend program\n", "bot.f90:3:5:"),
    "Go": ("bot.go", "package main\n\nfunc main() {\n\tx := 1\n}\n", "bot.go:4:2: x declared"),
    "Haskell": ("bot.hs", "main = do\n  print (x)\n", "bot.hs:2:10: error"),
    "Lua": ("bot.lua", "print(1)\nif then\n", "bot.lua:2: unexpected symbol near 'then'"),
    "OCaml": ("bot.ml", "let x = 1\nlet y = z + 1\n", 'File "bot.ml", line 2, characters 8-9'),
    "Pascal": (
        "bot.pas",
        "begin\n  x := 1;\nend.\n",
        'bot.pas(2,3) Error: Identifier not found "x"',
    ),
    "PHP": ("bot.php", "<?php\necho 1\necho 2;\n", "in bot.php on line 3"),
    "Ruby": ("bot.rb", "puts 1\nputs (\n", "bot.rb:2: syntax error"),
}
"""Of each language a file, its text, and the words of the tool about the mistake in it."""

LIBRARIES: dict[str, tuple[str, str, str]] = {
    "C#": (
        "bot.cs",
        "using Newtonsoft.Json;\nclass A { static void Main() {} }\n",
        "there is no Newtonsoft: a program in C#",
    ),
    "Common Lisp": ("bot.lisp", "(ql:quickload :alexandria)\n", "there is no QL: a program in"),
    "Fortran": ("bot.f90", "program bot\nuse stdlib_math\nend\n", "there is no stdlib_math: a pro"),
    "Go": (
        "bot.go",
        'package main\n\nimport _ "github.com/fatih/color"\n\nfunc main() {}\n',
        "there is no github.com/fatih/color: a program in Go",
    ),
    "Haskell": ("bot.hs", "import System.Random\nmain = print 1\n", "there is no System.Random: "),
    "Lua": ("bot.lua", 'require "socket"\n', "there is no socket: a program in Lua"),
    "OCaml": ("bot.ml", "let x = Base.List.length\n", "there is no Base: a program in OCaml"),
    "Pascal": ("bot.pas", "uses Synapse;\nbegin\nend.\n", "there is no Synapse: a program in Pa"),
    "PHP": (
        "bot.php",
        "<?php\nrequire 'vendor/autoload.php';\n",
        "there is no vendor/autoload.php: a program in PHP",
    ),
    "Ruby": ("bot.rb", "require 'nokogiri'\n", "there is no nokogiri: a program in Ruby"),
}
"""Of each language a program that wants a library, and what the report says."""

HOSTILE: dict[str, tuple[str, str]] = {
    "C#": (
        "bot.cs",
        """
using System;
using System.Diagnostics;
using System.IO;
using System.Net.Sockets;
using System.Threading;

class Bot
{
    static void Refused(int code, Action action)
    {
        try { action(); } catch (Exception) { return; }
        Environment.Exit(code);
    }

    static void Main()
    {
        Refused(3, () => File.ReadAllText("/etc/passwd"));
        Refused(4, () => new TcpClient("1.1.1.1", 53).GetStream().WriteByte(1));
        Refused(5, () => File.WriteAllText("/usr/x", ""));
        Refused(6, () => File.WriteAllText("/proc/self/maps", ""));
        var thread = new Thread(() => GC.Collect());
        thread.Start();
        thread.Join();
        for (int i = 0; i < 4; i++)
            Process.Start(new ProcessStartInfo("/bin/sleep", "100") { UseShellExecute = false });
        Console.WriteLine("C");
    }
}
""",
    ),
    "Common Lisp": (
        "bot.lisp",
        """
(require :sb-bsd-sockets)
(when (probe-file "/etc/passwd") (sb-ext:exit :code 3 :abort t))
(when (ignore-errors
        (sb-bsd-sockets:socket-connect
          (make-instance 'sb-bsd-sockets:inet-socket :type :stream :protocol :tcp) #(1 1 1 1) 53) t)
  (sb-ext:exit :code 4 :abort t))
(when (ignore-errors (open "/usr/x" :direction :output)) (sb-ext:exit :code 5 :abort t))
(loop repeat 8 do (sb-ext:run-program "/bin/sleep" '("100") :wait nil :input nil :output nil))
(format t "C~%")
""",
    ),
    "Fortran": (
        "bot.f90",
        """
program bot
  logical :: is_there
  integer :: status
  inquire (file='/etc/passwd', exist=is_there)
  if (is_there) stop 3
  open (unit=7, file='/usr/x', action='write', iostat=status)
  if (status == 0) stop 5
  call execute_command_line('sleep 100 > /dev/null &')
  print '(a)', 'C'
end program
""",
    ),
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
    "Haskell": (
        "bot.hs",
        """
import Control.Exception
import Control.Monad
import System.Exit
import System.Process

refused :: IO () -> IO ()
refused action = do
  result <- try action :: IO (Either IOException ())
  either (const (return ())) (const (exitWith (ExitFailure 3))) result

main :: IO ()
main = do
  refused (readFile "/etc/passwd" >>= putStrLn)
  refused (writeFile "/usr/x" "")
  refused (callCommand "exec 3<>/dev/tcp/1.1.1.1/53")
  replicateM_ 4 (spawnCommand "sleep 100 > /dev/null")
  putStrLn "C"
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
    "OCaml": (
        "bot.ml",
        """
let refused code action =
  match action () with
  | _ -> exit code
  | exception (Sys_error _ | Unix.Unix_error _) -> ()

let () =
  refused 3 (fun () -> ignore (open_in "/etc/passwd"));
  refused 5 (fun () -> ignore (open_out "/usr/x"));
  refused 4 (fun () ->
    let socket = Unix.socket Unix.PF_INET Unix.SOCK_STREAM 0 in
    Unix.connect socket (Unix.ADDR_INET (Unix.inet_addr_of_string "1.1.1.1", 53)));
  for _ = 1 to 8 do ignore (Sys.command "sleep 100 > /dev/null &") done;
  print_endline "C"
""",
    ),
    "Pascal": (
        "bot.pas",
        """
uses SysUtils, Unix;
begin
  if FileExists('/etc/passwd') then halt(3);
  if FileCreate('/usr/x') >= 0 then halt(5);
  fpSystem('sleep 100 > /dev/null &');
  writeln('C');
end.
""",
    ),
    "PHP": (
        "bot.php",
        """<?php
if (@file_get_contents('/etc/passwd') !== false) exit(3);
if (@stream_socket_client('tcp://1.1.1.1:53', $code, $text, 1)) exit(4);
if (@file_put_contents('/usr/x', 'x') !== false) exit(5);
for ($i = 0; $i < 8; $i++) exec('sleep 100 > /dev/null &');
echo "C\n";
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
