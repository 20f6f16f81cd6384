"""A contest in German, for tests that look for English in it."""

import re

from contest.config.settings import Settings

ENGLISH_WORDS = re.compile(r"\b(the|your|you|of|were|with|this|that|not|games?|round|points?)\b")


def german(settings: Settings) -> Settings:
    return settings.model_copy(
        update={"contest": settings.contest.model_copy(update={"language": "de", "title": "Wettbewerb"})}
    )
