"""The sentences of our scripts in other languages.

A script says `say("Copied.")`. That is looked up in the JSON of the page's element `<meta name="words">`; an
English page has none. A page has the sentences of its own scripts.
"""

from __future__ import annotations

import json

from contest.language import SOURCE, noted, spoken, translated
from reports.words import TURNS

_EVERYWHERE = (
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

_OF_PAGES = {
    "group": (  # cross.js
        noted("{name} and {other}: no game counts"),
        noted("{name} against itself: {own}"),
        noted("won"),
        noted("equal"),
        noted("lost"),
    ),
    "evolution": (  # evolution.js
        noted("mark {name} in the picture"),
        noted("generation {number}: {best}"),
        noted("{number} of {all}"),
        noted("at the end"),
        noted("in generation {number}"),
        noted("{name}: {share} in generation {number} ({count} exemplar)"),
        noted("{name}: {share} in generation {number} ({count} exemplars)"),
    ),
    "replay": (  # replay.js
        *(word for word in TURNS if isinstance(word, str)),
        noted(
            "Which game? The underlined numbers of the cross tables lead to replays, and so do the "
            "teams' pages."
        ),
        noted("There is no replay of such a game."),
        noted("The file of this game could not be loaded."),
        noted("This game ended in its first {turn_word}."),
        noted("What the players did in each {turn_word} of this game was not kept."),
        noted("{first} to {second} points, {endings}."),
        noted("The game as text"),
        noted("The numbers thrown"),
        noted("A large mark won points; the bars below are the series."),
        noted("The points of each player, {turn_word} by {turn_word}"),
        noted("Points so far."),
        noted("The board"),
        noted("can be played next"),
        noted("The ring of players"),
        noted("What each player did, {turn_word} by {turn_word}"),
        noted("The {turns} before and after"),
        noted("purse of {name}"),
        noted("previous game of {name}"),
        noted("next game of {name}"),
        noted("{number} point"),
        noted("{number} points"),
        noted("{number} left"),
        noted("{number} of {all}"),
        noted("{turn_word} {number} of {all}"),
        noted("points {first} to {second}"),
        noted("before the beginning"),
        noted("Before the beginning"),
        noted("Play"),
        noted("Pause"),
        noted("Copy link"),
        noted("Copied"),
        noted("The link was copied."),
    ),
}


_OF_PAGES["featured"] = _OF_PAGES["replay"]


def words_of_scripts(template: str = "") -> str:
    """The sentences of the scripts of such a page with their translations, as JSON; "" on an English page."""
    if spoken() == SOURCE:
        return ""
    found = (*_EVERYWHERE, *_OF_PAGES.get(template, ()))
    return json.dumps({words: translated(words) for words in found}, ensure_ascii=False)
