"""The sentences of our scripts in other languages.

A script says `say("Copied.")`. That is looked up in the JSON of the page's element `<meta name="words">`; an
English page has none.
"""

from __future__ import annotations

import json

from contest.language import SOURCE, noted, spoken, translated

_WORDS = (
    # page.js
    noted("{date} in"),
    noted("less than a minute"),
    noted("{number} day"),
    noted("{number} days"),
    noted("{number} hour"),
    noted("{number} hours"),
    noted("{number} minute"),
    noted("{number} minutes"),
    noted("Copy the form"),
    noted("Copied."),
    noted("This page may be out of date."),
    noted("Renew it"),
    # tables.js
    noted("Find"),
    noted("{found} of {all}"),
)


def words_of_scripts() -> str:
    """The sentences of scripts with their translations, as JSON; "" on an English page."""
    if spoken() == SOURCE:
        return ""
    return json.dumps({words: translated(words) for words in _WORDS}, ensure_ascii=False)
