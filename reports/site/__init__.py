"""The contest as a folder of pages that needs no server: models of pages, their words, and its
files.

    facts     what has been released
    tables    a table as a page shows it, and the same as JSON and CSV
    charts    the geometry of the pictures; the templates draw them
    front, rules, questions, commands, announcement, log, teams, groups, bracket, evolution,
    certainty,
              ladder, games, throws: what each page says
    texts, mail_text, markdown   texts of mails and rules as parts of a page
    pages     all pages of a contest, one after the other
    templates render HTML
    folder    files: only what has changed, each at once or not at all

All but `folder` are pure.
"""
