"""A contest's archive: everything that anybody needs to compute its results again (docs/archive.md).

`files` writes and reads the folder, which may come from a stranger; `contents` is what the files mean.
Neither needs a database, and neither computes a result: the command line puts them together with what does.
"""
