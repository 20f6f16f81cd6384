"""Runs inside the sandbox, with the system's Python and wasmtime; imports nothing else of ours."""
