"""A contest's archive: everything that is needed to compute its results again (docs/archive.md).

`files` writes and reads the folder, which may be foreign input; `contents` converts the files to
records. They use no database and compute no results; the commands `publish` and `verify` do.
"""
