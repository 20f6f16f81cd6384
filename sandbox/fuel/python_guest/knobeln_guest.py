"""Runs inside the guest: Python as programs see it, and what the worker has it do.

It is imported once, when the guest is made, and the state of the interpreter is kept as a picture. So what is
imported here is there at once, and costs a program nothing. system.wat has the system calls; this file gives
programs the other modules of the standard library, from an archive that it makes at build time. Threads and
sockets end in a Python exception.
"""

import knobeln_driver as driver  # first, because it notes which modules a fresh Python has

import atexit
import builtins
import dataclasses
import errno
import gc
import importlib.machinery
import importlib.util
import json
import linecache
import marshal
import os
import random
import sys
import threading
import types
import warnings
import zipimport
import zlib
from contextlib import suppress

import _socket
import _thread

__builtins__ = dict(vars(builtins))  # programs may change theirs; ours must report what happened then

_WORK = "/work"
_LIBRARY = "/python"  # a zip file, at build time
_REQUEST, _CODES = (
    4,
    5,
)  # descriptors of worker/python.py: what to do, and the answer; what was compiled before
_CHUNK_BYTES = 65_536
_NO_NETWORK = "programs whose time is counted have no network"
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


# --- what is not there -------------------------------------------------------------------------------------
def _no_network(*_, **__):
    raise OSError(errno.ENETUNREACH, _NO_NETWORK)


class _NoSocket:
    __slots__ = ()

    def __init__(self, *_, **__):
        _no_network()


def _no_thread(*_, **__):
    raise RuntimeError("can't start new thread: programs whose time is counted have one")


def _replace_the_system():
    for name in dir(_socket):
        if name.startswith("get") or name in ("socketpair", "if_nameindex"):
            setattr(_socket, name, _no_network)
    _socket.socket = _socket.SocketType = _NoSocket
    for name in ("start_new_thread", "start_new", "start_joinable_thread"):
        setattr(_thread, name, _no_thread)
    threading._start_joinable_thread = _no_thread
    dataclasses.exec = _exec


# --- modules -----------------------------------------------------------------------------------------------
_names = frozenset()  # of the program's files
_codes = None  # by source; None until they are read
_is_rehearsal = False


class _OwnFiles:
    """Finds modules of the program."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        stem = name.replace(".", "/")
        for file, is_package in ((f"{stem}.py", False), (f"{stem}/__init__.py", True)):
            if file in _names:
                return importlib.util.spec_from_file_location(
                    name,
                    f"{_WORK}/{file}",
                    loader=_OwnLoader(f"{_WORK}/{file}"),
                    submodule_search_locations=[f"{_WORK}/{stem}"] if is_package else None,
                )
        return None


class _OwnLoader:
    def __init__(self, path):
        self._path = path

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(_code(self._path) or driver.compiled(self._path), vars(module))

    def get_source(self, name):
        with open(self._path, "rb") as file:
            return importlib.util.decode_source(file.read())


def _code(source):
    """What another instance has compiled; None if there is none, so it must be compiled here."""
    global _codes
    if _is_rehearsal:
        _tell(json.dumps(source).encode() + b"\n")
        return None
    if _codes is None:
        _codes = marshal.loads(_read_all(_CODES) or marshal.dumps({}))
    code = _codes.get(source)
    return marshal.loads(code) if code else None


def _exec(text, *scopes):
    """What dataclasses call as `exec`: compiling takes most of its time."""
    exec(_code(text) or text, *scopes)


class _Library:
    """Finds modules of the standard library that were not imported at build time."""

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
    files = zipimport.zipimporter(_LIBRARY)
    for file in sorted(files._get_files()):
        path, extension = os.path.splitext(file)
        name = path.replace("/", ".").removesuffix(".__init__")
        if extension == ".py" and name.partition(".")[0] not in _LEFT_OUT and name not in sys.modules:
            code = compile(files.get_data(file), f"{_LIBRARY}/{file}", "exec", dont_inherit=True)
            _Library.archive[name] = (zlib.compress(marshal.dumps(code), 9), path.endswith("__init__"))


# --- what the worker has done ------------------------------------------------------------------------------
_OWN_FRAMES = (__file__, driver.__file__)


def main():
    """Do what the request says, and end."""
    global _names, _is_rehearsal
    request = json.loads(_read_all(_REQUEST))
    if request is None:  # at build time
        return
    program, _names, _is_rehearsal = request["program"], frozenset(request["files"]), request["is_rehearsal"]
    code = 0
    if "compile" in request:
        _tell(_compiled(program, request["compile"]))
    elif "call" in request:
        _call(driver.Program(program, request["function"], _code(program)), request)
    else:
        code = _run(program, request["run"])
    os._exit(code)


def _read_all(descriptor):
    parts = [os.read(descriptor, _CHUNK_BYTES)]
    while len(parts[-1]) == _CHUNK_BYTES:
        parts.append(os.read(descriptor, _CHUNK_BYTES))
    return b"".join(parts)


def _tell(data):
    while data:
        data = data[os.write(_REQUEST, data) :]


def _compiled(program, sources):
    """The code of sources: paths of the program's files, as tracebacks show them, and texts that modules of
    the library make. Without what cannot be compiled, or not without a warning."""
    warnings.simplefilter("error")  # whoever runs the program shall see its warnings
    codes = {}
    for source in sources:
        with suppress(Exception):
            if source == program or source.startswith(_WORK):
                code = driver.compiled(source)
            else:
                code = compile(source, "<string>", "exec", dont_inherit=True)
            codes[source] = marshal.dumps(code)
    return marshal.dumps(codes)


def _call(program, request):
    _seed()
    sys.stdout = sys.__stdout__ = sys.stderr
    reply = driver.answer(program, request)
    with suppress(BaseException):
        sys.stderr.flush()
    _tell(json.dumps(reply).encode())


def _run(program, words):
    _seed()
    code = 1
    try:
        code = _run_script(program, words)
    except BaseException as error:
        with suppress(BaseException):
            os.write(2, f"{type(error).__name__}: {error}\n".encode(errors="replace"))
    for stream in (sys.stdout, sys.stderr):
        with suppress(BaseException):
            stream.flush()
    return code


def _seed():
    random.seed(os.urandom(16))


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
    zipimport._zip_directory_cache.clear()
    sys.path[:] = [_WORK]
    sys.stdout.reconfigure(line_buffering=True)
    linecache.clearcache()
    gc.collect()
    gc.freeze()


_build()
