"""Runs inside the component: Python as programs see it, and the two functions that the worker calls.

componentize-py imports this file when the component is built, and keeps the state of the interpreter. So what
is imported here is there at once, and costs a program nothing. There is no file system: this file gives
programs their own files, read-only, and the other modules of the standard library from an archive that it
makes at build time. Threads, processes and sockets end in a Python exception.
"""

import knobeln_driver as driver  # first, because it notes which modules a fresh Python has

import atexit
import builtins
import dataclasses
import errno
import gc
import importlib.machinery
import importlib.util
import io
import json
import linecache
import marshal
import os
import posixpath
import random
import stat
import sys
import threading
import time
import tokenize
import types
import warnings
import zlib
from contextlib import suppress

import _socket
import _thread
import select
import wit_world

__builtins__ = dict(vars(builtins))  # programs may change theirs; ours must report what happened then

_WORK = "/work"
_NO_NETWORK = "programs whose time is counted have no network"
_LIBRARY = "/python"
# What bots import most; the worth of a module is the time that its import would take.
_AT_ONCE = """
    abc argparse array ast base64 bisect calendar cmath collections collections.abc
    contextlib copy csv dataclasses datetime decimal difflib enum fractions functools glob graphlib hashlib
    heapq inspect io itertools json keyword linecache locale math numbers operator pathlib pickle
    pprint queue random re reprlib secrets shlex signal stat statistics string struct textwrap threading time
    timeit traceback types typing unicodedata uuid warnings weakref zlib
""".split()
# They need what is not here, or nobody plays a game with them.
_LEFT_OUT = frozenset(
    """antigravity asyncio ctypes curses dbm ensurepip idlelib multiprocessing pty pydoc_data site-packages
    sqlite3 this tkinter tty turtle turtledemo venv webbrowser xmlrpc""".split()
)


# --- standard streams --------------------------------------------------------------------------------------
class _Input(io.RawIOBase):
    name, mode = "<stdin>", "rb"

    def readable(self):
        return True

    def fileno(self):
        return 0

    def readinto(self, buffer):
        data = wit_world.read(len(buffer)).encode("latin-1")
        buffer[: len(data)] = data
        return len(data)


class _Output(io.RawIOBase):
    mode = "wb"

    def __init__(self, descriptor):
        self._descriptor = descriptor
        self.name = ("<stdin>", "<stdout>", "<stderr>")[descriptor]

    def writable(self):
        return True

    def fileno(self):
        return self._descriptor

    def write(self, data):
        wit_world.write(self._descriptor, bytes(data).decode("latin-1"))
        return len(data)


def _input():
    return io.TextIOWrapper(io.BufferedReader(_Input()), "utf-8", "surrogateescape")


def _output(descriptor):
    errors = "backslashreplace" if descriptor == 2 else "surrogateescape"
    return io.TextIOWrapper(io.BufferedWriter(_Output(descriptor)), "utf-8", errors, line_buffering=True)


def _open_streams(stdout):
    sys.stdin = sys.__stdin__ = _input()
    sys.stderr = sys.__stderr__ = _output(2)
    sys.stdout = sys.__stdout__ = sys.stderr if stdout == 2 else _output(1)


# --- files -------------------------------------------------------------------------------------------------
_files = None  # name: data, None until it is read


def _own_files():
    global _files
    if _files is None:
        _files = dict.fromkeys(wit_world.file_names())
    return _files


def _data(name):
    if _own_files()[name] is None:
        _files[name] = wit_world.file(name.encode().decode("latin-1")).encode("latin-1")
    return _files[name]


def _full(path):
    return posixpath.normpath(posixpath.join(_WORK, os.fsdecode(path)))


def _name(path):
    """The name of a file of the program. Raises FileNotFoundError."""
    full = _full(path)
    name = full.removeprefix(_WORK + "/")
    if name == full or name not in _own_files():
        raise _error(errno.ENOENT, path)
    return name


def _names_in(path):
    """Names in a folder, with whether each is a folder."""
    prefix = "" if _full(path) == _WORK else _full(path).removeprefix(_WORK + "/") + "/"
    found = {}
    for name in _own_files():
        if name.startswith(prefix):
            first, slash, _ = name[len(prefix) :].partition("/")
            found[first] = bool(slash)
    if not found and prefix:
        raise _error(errno.ENOTDIR if prefix[:-1] in _own_files() else errno.ENOENT, path)
    return found


def _error(number, path):
    return OSError(number, os.strerror(number), path)


class _File(io.BytesIO):
    def __init__(self, name, data):
        super().__init__(data)
        self.name, self.mode = name, "rb"

    def writable(self):
        return False


def _open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    """As the function `open`, for the program's own files and the three standard streams."""
    if not isinstance(mode, str) or set(mode) - set("rwaxbt+U") or sum(map(mode.count, "rwax")) != 1:
        raise ValueError(f"invalid mode: {mode!r}")
    if isinstance(file, int):
        if file not in (0, 1, 2):
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        raw = _Input() if file == 0 else _Output(file)
    elif set(mode) & set("wax+"):
        raise _error(errno.EROFS, file)
    elif _is_folder(file):
        raise _error(errno.EISDIR, file)
    else:
        raw = _File(file, _data(_name(file)))
    if "b" in mode and buffering == 0:
        return raw
    buffer = io.BufferedReader(raw) if raw.readable() else io.BufferedWriter(raw)
    if "b" in mode:
        return buffer
    return io.TextIOWrapper(buffer, encoding or "utf-8", errors, newline, line_buffering=True)


def _is_folder(path):
    try:
        return bool(_names_in(path)) or _full(path) == _WORK
    except OSError:
        return False


def _stat(path, *, dir_fd=None, follow_symlinks=True):
    if isinstance(path, int):
        return os.stat_result((stat.S_IFCHR | 0o600, 0, 0, 1, 0, 0, 0, 0, 0, 0))
    if _full(path) == "/" or _is_folder(path):
        return os.stat_result((stat.S_IFDIR | 0o555, 0, 0, 1, 0, 0, 0, 0, 0, 0))
    return os.stat_result((stat.S_IFREG | 0o444, 0, 0, 1, 0, 0, len(_data(_name(path))), 0, 0, 0))


def _listdir(path="."):
    return sorted(_names_in(path))


class _Entry:
    def __init__(self, folder, name, is_folder):
        self.name, self.path = name, posixpath.join(os.fspath(folder), name)
        self._is_folder = is_folder

    def __fspath__(self):
        return self.path

    def is_dir(self, *, follow_symlinks=True):
        return self._is_folder

    def is_file(self, *, follow_symlinks=True):
        return not self._is_folder

    def is_symlink(self):
        return False

    def is_junction(self):
        return False

    def stat(self, *, follow_symlinks=True):
        return _stat(self.path)


class _Entries(list):
    def __enter__(self):
        return iter(self)

    def __exit__(self, *_):
        pass

    def close(self):
        pass


def _scandir(path="."):
    return _Entries(_Entry(path, *each) for each in sorted(_names_in(path).items()))


def _access(path, mode, **_):
    try:
        return not mode & os.W_OK and bool(_stat(path))
    except OSError:
        return False


def _read(descriptor, size):
    if descriptor != 0:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return wit_world.read(min(size, 2**31)).encode("latin-1")


def _write(descriptor, data):
    if descriptor not in (1, 2):
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    wit_world.write(descriptor, bytes(data).decode("latin-1"))
    return len(data)


def _read_only(path, *_, **__):
    raise _error(errno.EROFS, path)


def _no_descriptor(*_, **__):
    raise OSError(errno.EBADF, os.strerror(errno.EBADF))


# --- what is not there -------------------------------------------------------------------------------------
def _no_network(*_, **__):
    raise OSError(errno.ENETUNREACH, _NO_NETWORK)


class _NoSocket:
    __slots__ = ()

    def __init__(self, *_, **__):
        _no_network()


def _no_thread(*_, **__):
    raise RuntimeError("can't start new thread: programs whose time is counted have one")


def _no_waiting(*_, **__):
    raise OSError(errno.ENOSYS, "programs whose time is counted wait for input only by reading it")


def _sleep(seconds, /):
    nanoseconds = round(seconds * 1_000_000_000)
    if nanoseconds < 0:
        raise ValueError("sleep length must be non-negative")
    wit_world.sleep(min(nanoseconds, 2**63))


def _exit(status):
    wit_world.exit(status & 0xFF)


def _urandom(size, /):
    if size < 0:
        raise ValueError("negative argument not allowed")
    return wit_world.random(size).encode("latin-1")


def _replace_the_system():
    builtins.open = io.open = io.open_code = tokenize._builtin_open = _open
    for name in dir(_socket):
        if name.startswith("get") or name in ("socketpair", "if_nameindex"):
            setattr(_socket, name, _no_network)
    _socket.socket = _socket.SocketType = _NoSocket
    for name in ("select", "poll"):
        setattr(select, name, _no_waiting)
    for name in ("start_new_thread", "start_new", "start_joinable_thread"):
        setattr(_thread, name, _no_thread)
    threading._start_joinable_thread = _no_thread
    time.sleep = _sleep
    dataclasses.exec = _exec
    for module in (os, sys.modules["posix"]):
        module.open = _no_files
        for name in ("chmod", "link", "mkdir", "remove", "rename", "replace", "rmdir", "symlink", "truncate"):
            setattr(module, name, _read_only)
        for name in ("unlink", "utime", "chdir"):
            setattr(module, name, _read_only)
        for name in ("ftruncate", "pread", "preadv", "pwrite", "pwritev", "readv", "writev", "lseek"):
            setattr(module, name, _no_descriptor)
        module.stat = module.lstat = _stat
        module.listdir, module.scandir, module.access = _listdir, _scandir, _access
        module.read, module.write = _read, _write
        module.getcwd, module.getcwdb = _getcwd, _getcwdb
        module.isatty = _is_terminal
        module.close = _close
        module.fstat = _stat
        module._exit, module.urandom = _exit, _urandom
    random._urandom = _urandom


def _getcwd():
    return _WORK


def _getcwdb():
    return _WORK.encode()


def _is_terminal(descriptor):
    return False


def _close(descriptor):
    """The streams stay open: what Python writes at its end would be lost."""


def _no_files(path, flags, *_, **__):
    raise _error(errno.EROFS if flags & (os.O_WRONLY | os.O_RDWR) else errno.ENOSYS, path)


# --- modules -----------------------------------------------------------------------------------------------
class _OwnFiles:
    """Finds modules of the program."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        stem = name.replace(".", "/")
        for file, is_package in ((f"{stem}.py", False), (f"{stem}/__init__.py", True)):
            if file in _own_files():
                return importlib.util.spec_from_file_location(
                    name,
                    f"{_WORK}/{file}",
                    loader=_OwnLoader(file),
                    submodule_search_locations=[f"{_WORK}/{stem}"] if is_package else None,
                )
        return None


class _OwnLoader:
    def __init__(self, file):
        self._file = file

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        path = f"{_WORK}/{self._file}"
        exec(_code(path) or driver.compiled(path), vars(module))

    def get_source(self, name):
        return importlib.util.decode_source(_data(self._file))


def _code(source):
    """What another instance has compiled; None if there is none, so it must be compiled here."""
    code = wit_world.code(_latin(source))
    return marshal.loads(code.encode("latin-1")) if code else None


def _latin(text):
    return text.encode(errors="replace").decode("latin-1")


def _exec(text, *scopes):
    """What dataclasses call as `exec`: compiling takes most of its time."""
    exec(_code(text) or text, *scopes)


class _Library:
    """Finds modules of the standard library that were not imported when the component was built."""

    archive = {}  # name: (compressed code, whether it is a package)

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name not in cls.archive:
            if name.partition(".")[0] in _LEFT_OUT:
                raise ModuleNotFoundError(f"programs whose time is counted have no module {name}", name=name)
            return None
        return importlib.machinery.ModuleSpec(name, cls, is_package=cls.archive[name][1])

    @staticmethod
    def create_module(spec):
        return None

    @classmethod
    def exec_module(cls, module):
        exec(marshal.loads(zlib.decompress(cls.archive[module.__name__][0])), vars(module))


def _make_archive():
    for folder, folders, names in os.walk(_LIBRARY):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT and name != "__pycache__")
        for name in sorted(names):
            stem, extension = os.path.splitext(name)
            path = os.path.join(folder, name)
            parts = [*folder[len(_LIBRARY) :].split("/")[1:], stem]
            module = ".".join(parts).removesuffix(".__init__")
            if extension != ".py" or parts[0] in _LEFT_OUT or module in sys.modules:
                continue
            with open(path, "rb") as source:
                code = compile(source.read(), path, "exec", dont_inherit=True)
            _Library.archive[module] = (zlib.compress(marshal.dumps(code), 9), stem == "__init__")


# --- what the worker calls ---------------------------------------------------------------------------------
_OWN_FRAMES = (__file__, driver.__file__)


class WitWorld(wit_world.WitWorld):
    def compile(self, program, sources):
        warnings.simplefilter("error")  # whoever runs the program shall see its warnings
        codes = []
        for latin in sources:
            source = latin.encode("latin-1").decode()
            with suppress(Exception):
                if source == program or source.startswith(_WORK):
                    code = driver.compiled(source)
                else:
                    code = compile(source, "<string>", "exec", dont_inherit=True)
                codes.append((latin, marshal.dumps(code).decode("latin-1")))
        return codes

    def run(self, program, words):
        _open_streams(stdout=1)
        code = 1
        try:
            code = _run_script(program, words)
        except BaseException as error:
            with suppress(BaseException):
                _write(2, f"{type(error).__name__}: {error}\n".encode(errors="replace"))
        for stream in (sys.stdout, sys.stderr):
            with suppress(BaseException):
                stream.flush()
        return code

    def call(self, program, function, request):
        _open_streams(stdout=2)
        reply = driver.answer(driver.Program(program, function, _code(program)), json.loads(request))
        with suppress(BaseException):
            sys.stderr.flush()
        return json.dumps(reply)


def _seed_once(*_):
    """componentize-py calls random.seed() before a component's first function; 16 bytes of us are enough."""
    random.seed = random._inst.seed
    random.seed(_urandom(16))


def _run_script(program, words):
    driver.forget_modules_of_the_same_name()
    module = types.ModuleType("__main__")
    module.__file__ = program
    module.__builtins__ = builtins
    sys.modules["__main__"] = module
    sys.argv = [program, *words]
    code = 0
    try:
        exec(_code(program) or driver.compiled(program), vars(module))
    except SystemExit as error:
        code = _exit_code(error.code)
    except BaseException as error:
        code = 1
        _report(error)
    atexit._run_exitfuncs()
    vars(module).clear()  # as at the end of any script: finalizers may print
    return code


def _exit_code(code):
    if code is None or isinstance(code, int):
        return (code or 0) & 0xFF
    print(code, file=sys.stderr)
    return 1


def _report(error):
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename in _OWN_FRAMES:
        trace = trace.tb_next
    error.__traceback__ = trace
    with suppress(BaseException):
        sys.stdout.flush()
    try:
        sys.excepthook(type(error), error, trace)
    except BaseException:
        sys.__excepthook__(type(error), error, trace)


# --- at build time -----------------------------------------------------------------------------------------
def _build():
    for name in _AT_ONCE:
        importlib.import_module(name)
    _make_archive()
    _replace_the_system()
    sys.meta_path[:] = [
        _OwnFiles,
        importlib.machinery.BuiltinImporter,
        importlib.machinery.FrozenImporter,
        _Library,
    ]
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()
    sys.path[:] = [_WORK]
    os.environ.clear()
    random.seed = _seed_once
    linecache.clearcache()
    gc.collect()
    _fill_gaps()
    gc.freeze()


_gaps = [None] * 100_000  # what fills them


def _fill_gaps():
    """Fill the gaps between objects, so that programs get memory that is in one piece.

    An instance copies a page of the component's memory when it first writes to it, which takes microseconds;
    and there are gaps on nearly all pages.
    """
    end = id(bytes(2**20))  # no gap is so large
    count = 0
    for size in (*(2**power for power in range(19, 10, -1)), *range(1024, 16, -16)):
        while id(filling := bytes(size - 21)) < end:  # so it takes `size` bytes
            _gaps[count] = filling
            count += 1


_build()
