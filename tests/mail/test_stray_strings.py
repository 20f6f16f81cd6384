"""An authentification string in a program, besides that of the `<<FROM>>` line: nothing is
compiled."""

import pytest

from mailserver.team_secret import STRING_LENGTH, digest, new_string, possible_strings
from tests.support.mail_world import World, flat, from_line, registered

PLACES = [
    "int i; /* STRING */\n",
    'char mine[] = "STRING";\n',
    "#if 0\nnever tell STRING\n#endif\n",
    'char mine[] = "xxSTRINGxx";\n',
    "int i; /* <<FROM>> lords STRING */\n",
    "/* the line <<FROM>> lords STRING */\n",
    'char mine[] = "<<FROM>> lords STRING";\n',
]


@pytest.mark.parametrize("place", PLACES)
def test_a_string_in_a_program_is_refused_with_its_line(world: World, place: str) -> None:
    name, string = registered(world)
    text = (
        f"/* {from_line(name, string).strip()} */\n\n{place.replace('STRING', string)}main() {{"
        " }\n"
    )
    (mail,) = world.send("please compile", text)
    line = next(number for number, found in enumerate(place.split("\n"), 3) if "STRING" in found)
    assert f"- line {line} An authentification string is in this line." in flat(mail)
    assert string not in mail.as_string()
    assert world.notes[-1].startswith("program refused: problem")
    assert world.send("please compile", text.replace(place.replace("STRING", string), "")) == []


@pytest.mark.parametrize(
    "text",
    [
        "/* <<FROM>> lords STRING */ main() { }",
        "  * <<FROM>>\tlords  STRING*/",
        "x\n<<from>> lords STRING\ny\n<<FROM>> lords STRING",
        "the string k7qd-2mxw-9rtz-h4pc-v8sn of nobody",
        "",
    ],
)
def test_the_string_of_the_from_line_may_be_there(text: str) -> None:
    string = new_string()
    assert digest(string) not in dict(possible_strings(text.replace("STRING", string))).values()


def test_strings_are_found_wherever_they_begin() -> None:
    one, other = new_string(), new_string()
    text = f"{one[:10]}{one}-{other} {one[1:]}"
    found = [at for at, each in possible_strings(text) if each in {digest(one), digest(other)}]
    assert found == [10, 10 + STRING_LENGTH + 1]
