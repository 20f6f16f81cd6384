"""The contest as a folder of pages that needs no server: models of pages, their words, and its files.

    facts     what is known, and of that what has been released
    tables    a table as a page shows it, and the same as JSON and CSV
    charts    the geometry of the pictures; the templates draw them
    contest, teams, groups, games, log   what each page says
    pages     all pages of a contest, one after the other
    words     templates -> HTML
    folder    files: only what has changed, each at once or not at all

All but `folder` are pure.
"""
