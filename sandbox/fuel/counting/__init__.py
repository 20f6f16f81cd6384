"""Puts a counter into a WebAssembly module, so that every engine counts the same.

    operators.py   the operators that are known, and how their bytes are taken apart
    module.py      sections of a module: read and written
    prices.py      versioned lists of what operators cost; price_lists/ has the lists
    function.py    the counter in the body of one function
    counted.py     the pass over a whole module

Pure functions of bytes, which import the standard library alone: the worker takes them into the
sandbox. Quotations are from the WebAssembly Core Specification,
https://webassembly.github.io/spec/core/.
"""
