"""What pydantic found wrong with a value, in our words; strangers read them. Pure."""

from __future__ import annotations

from pydantic_core import ErrorDetails

_WORDS = {
    "missing": "it is missing",
    "unexpected_keyword_argument": "it does not belong there",
    "extra_forbidden": "it does not belong there",
    "json_invalid": "this is not JSON",
    "int_type": "it is not a whole number",
    "int_parsing": "it is not a whole number",
    "int_from_float": "it is not a whole number",
    "int_parsing_size": "the number is too large",
    "float_type": "it is not a number",
    "float_parsing": "it is not a number",
    "finite_number": "it is not a finite number",
    "string_type": "it is not a text",
    "string_unicode": "it is not UTF-8",
    "bool_type": "it is neither true nor false",
    "bool_parsing": "it is neither true nor false",
    "tuple_type": "it is not a list",
    "list_type": "it is not a list",
    "set_type": "it is not a list",
    "frozen_set_type": "it is not a list",
    "dict_type": "it is not a table",
    "model_type": "it is not a section",
    "too_short": "the list is too short",
    "too_long": "the list is too long",
    "string_too_short": "the text is too short",
    "string_too_long": "the text is too long",
    "datetime_type": "it is not a time such as 2027-05-14T12:00:00Z",
    "datetime_parsing": "it is not a time such as 2027-05-14T12:00:00Z",
    "datetime_from_date_parsing": "it is not a time such as 2027-05-14T12:00:00Z",
    "timezone_aware": "the time has no zone; 2027-05-14T12:00:00Z is in UT",
}
_SHOULD = "Input should be"


def words_of(error: ErrorDetails) -> str:
    """Return the reason as a clause, without the words of Python."""
    message = error["msg"]
    if error["type"] == "value_error":  # in our own words already
        return message.removeprefix("Value error, ")
    if error["type"] in _WORDS:
        return _WORDS[error["type"]]
    return (
        message.replace(_SHOULD, "it must be", 1)
        if message.startswith(_SHOULD)
        else "it has another form"
    )
