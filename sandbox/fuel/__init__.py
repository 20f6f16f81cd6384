"""Programs as WebAssembly, whose time is counted in units of fuel instead of seconds.

    program.py   a program that was built for this, ready to be started
    engine.py    the engine (wasmtime) as the sandbox sees it, and machine code made for it
    guests.py    the interpreters that run programs in Python and JavaScript
    cpython.py   how that of Python is made; linker.py joins its libraries; python_guest/ has its
    sources counting/    puts a counter into a module
    worker/      runs inside the sandbox; imports nothing of ours

Fuel is the clock. The sandbox stays the wall: an engine that has a fault does not let a program
out.
"""
