"""Which column of a class list is which, by the names that systems and people give them. Pure.

The names are those of Moodle, Canvas, Blackboard, ILIAS, Stud.IP, HISinOne, Google Classroom, Teams
and of spreadsheets by hand, in English, German, French and Spanish. Capitals, accents, blanks,
punctuation, and what stands in brackets do not matter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.language import listed
from contest.util.sanitize import quote, visible
from knobeln.classes.class_sheet import Row, Score

MAIL, NAME, FIRST, LAST, TURNED, TEAM, ORGANIZATION, NUMBER = (
    "mail address",
    "name",
    "first name",
    "last name",
    "last name and first name",
    "group",
    "organization",
    "number",
)

_SPELLINGS: Mapping[str, str] = {
    MAIL: """
        mail email emailaddress mailaddress emailadress emailid studentemail schoolemail
        primaryemail useremail email1value universityemail workemail sisemail
        mailadresse emailadresse unimail uniemail studentischeemail hochschulemail
        dienstlicheemail emailhochschule emailuni
        courriel adressecourriel adressedecourriel adresseemail adressemail adresseelectronique
        mel adressemel
        correo correoelectronico direcciondecorreo direcciondecorreoelectronico direccionemail
        direcciondeemail correoinstitucional
    """,
    NAME: """
        name fullname firstandlastname student studentname studentfullname displayname
        nameofstudent participant participantname member
        vollername vollstandigername vorundnachname vorundzuname vornameundnachname vornamenachname
        vornamename namedesschulers namederschulerin schulerin anzeigename
        studierender studierende studentin teilnehmer teilnehmerin teilnehmerinnen teilnehmende
        schuler schulername namedesstudierenden
        nom nomcomplet etudiant etudiante eleve participante
        nombre nombrecompleto nombreyapellido nombreyapellidos estudiante alumno alumna alumnoa
    """,
    FIRST: """
        firstname givenname givennames forename forenames first firstnames firstnameofstudent
        vorname vornamen rufname
        prenom prenoms prenomdeletudiant prenomdeleleve
        nombres nombredepila primernombre
    """,
    LAST: """
        lastname surname familyname last surnames lastnameofstudent familynameofstudent
        nachname familienname zuname familienodernachname nachoderfamilienname
        nomdefamille nomusuel nomdusage nomdeletudiant nomdeleleve
        apellido apellidos primerapellido apellido1
    """,
    TURNED: """
        lastnamefirstname surnamefirstname lastfirst
        namevorname nachnamevorname familiennamevorname nachundvorname nachnameundvorname
        nomprenom nometprenom nomprenoms
        apellidosnombre apellidosynombre apellidosnombres apellidosynombres
    """,
    TEAM: """
        team teamname group groupname groups teams projectgroup group1 groupnumber teamnumber
        gruppe gruppen gruppenname projektgruppe kleingruppe abgabegruppe abgabeteam
        gruppennummer gruppennr teamnummer teamnr
        groupe groupes equipe
        grupo grupos equipo
    """,
    ORGANIZATION: """
        organization organisation institution school university
        schule hochschule universitat einrichtung
        etablissement ecole universite
        institucion escuela universidad
    """,
    NUMBER: """
        studentnumber studentid idnumber registrationnumber matriculationnumber number
        matrikelnummer mtknr matrikelnr matrnr matnr matrikel matriculationno
        nummer immatrikulationsnummer
        numeroetudiant netudiant codeetudiant numerodidentification numeroetud
        numerodeestudiante numerodematricula numerodeid
    """,
}
_BRACKETS = re.compile(r"[(\[][^()\[\]]*[)\]]")
_MAX_HEAD_CHARACTERS = 200
_MAX_UNUSED = 8  # columns that are named
_MAX_TITLE_ROWS = 30  # above the row that names the columns
_ROWS_LOOKED_AT = 200  # to see whether a column without a name that we know holds addresses


@dataclass(frozen=True)
class Columns:
    """Where everything is. `of`: the index of each column that we know, by what it is.

    `row`: the number of the row that names the columns, 0 if there is none.
    """

    heads: tuple[str, ...]
    of: Mapping[str, int]
    row: int

    @property
    def sentences(self) -> tuple[str, ...]:
        """What each column was taken for: `column Vorname is the first name`."""
        said = [f"column `{self.heads[index]}` is the {name}" for name, index in self.of.items()]
        if not {NAME, FIRST, LAST, TURNED} & self.of.keys():
            said.append("no column is a name, so each form asks for it")
        for one, other in ((FIRST, LAST), (LAST, FIRST)):
            if one in self.of and other not in self.of:
                said.append(f"no column is the {other}")
        used = self.of.values()
        unused = [
            f"`{head}`" for index, head in enumerate(self.heads) if head and index not in used
        ]
        if unused:
            said.append(f"not used, but given back with the marks: {listed(unused[:_MAX_UNUSED])}")
        return tuple(said)


def score_with(settings: Settings) -> Score:
    """Make the function that counts headings which we know in a row."""
    known = _known(settings)
    return lambda cells: sum(_kind(cell, known) is not None for cell in cells)


def find(rows: Sequence[Row], settings: Settings, *, needs_mail: bool = True) -> Columns:
    """The columns, as the row with most headings that we know names them, or as their cells tell.

    Raises GiveUp if nobody can know where the addresses are, or the names where nothing else is
    needed.
    """
    known = _known(settings)
    score = score_with(settings)
    if not rows:
        raise GiveUp("the list is empty; its first row must name the columns, like: mail,name,team")
    titles = rows[:_MAX_TITLE_ROWS]
    best = max(titles, key=lambda row: score(row.cells))
    if score(best.cells) == 0:
        if _has_address(titles):
            return _without_heads(rows)
        best = titles[0]
    heads = tuple(visible(cell) for cell in best.cells)
    columns = _by_heads(heads, known)
    if needs_mail and MAIL not in columns:
        below = [row for row in rows if row.number > best.number]
        mail_column = _with_addresses(heads, below)
        columns = {
            MAIL: mail_column,
            **{kind: index for kind, index in columns.items() if index != mail_column},
        }
    if not needs_mail and not {NAME, FIRST, LAST, TURNED} & columns.keys():
        raise GiveUp(f"no column of the list is the name; it has {_named(heads)}")
    return Columns(heads, _names_in_their_sense(columns), best.number)


def _has_address(rows: Sequence[Row]) -> bool:
    return any("@" in cell for row in rows for cell in row.cells)


def _known(settings: Settings) -> Mapping[str, str]:
    usual = {
        spelling: kind for kind, spellings in _SPELLINGS.items() for spelling in spellings.split()
    }
    return usual | {plain(field.name): field.name for field in settings.teams.fields}


def plain(head: str) -> str:
    """The heading in small letters and digits, without accents."""
    letters = unicodedata.normalize("NFKD", head[:_MAX_HEAD_CHARACTERS].casefold())
    return "".join(filter(str.isalnum, letters))


def _kind(head: str, known: Mapping[str, str]) -> str | None:
    """What the column is: its whole heading tells, or else what is left without brackets."""
    head = head[:_MAX_HEAD_CHARACTERS]
    return known.get(plain(head)) or known.get(plain(_BRACKETS.sub("", head)))


def _by_heads(heads: Sequence[str], known: Mapping[str, str]) -> dict[str, int]:
    columns: dict[str, int] = {}
    for index, head in enumerate(heads):
        kind = _kind(head, known)
        if kind is not None and kind in columns and kind != NUMBER:
            raise GiveUp(
                f"two columns of the list are the {kind}: {quote(heads[columns[kind]])!r} and"
                f" {quote(head)!r}",
                hint="delete one of them, or give it another name",
            )
        if kind is not None:
            columns.setdefault(kind, index)
    return columns


def _names_in_their_sense(columns: dict[str, int]) -> dict[str, int]:
    """`Name` beside `Vorname` is the last name, and `Nombre` beside `Apellidos` the first."""
    if NAME in columns and FIRST in columns and LAST not in columns:
        columns[LAST] = columns.pop(NAME)
    elif NAME in columns and LAST in columns and FIRST not in columns:
        columns[FIRST] = columns.pop(NAME)
    return columns


def _with_addresses(heads: Sequence[str], rows: Sequence[Row]) -> int:
    """The only column in which all that stands has an @."""
    columns = _address_columns(rows)
    if len(columns) == 1:
        return columns[0]
    if columns:
        raise GiveUp(
            f"{listed([f'`{heads[index]}`' for index in columns])} hold addresses",
            hint="name the column to be used `mail`",
        )
    raise GiveUp(
        f"no column of the list is the mail address: it has {_named(heads)}",
        hint="name the column `mail`; for names alone there is `knobeln class open`",
    )


def _address_columns(rows: Sequence[Row]) -> list[int]:
    filled: set[int] = set()
    others: set[int] = set()
    for row in islice(rows, _ROWS_LOOKED_AT):
        for index, cell in enumerate(row.cells):
            if cell.strip():
                (filled if "@" in cell else others).add(index)
    return sorted(filled - others)


def _without_heads(rows: Sequence[Row]) -> Columns:
    """The columns of a list that begins with its first person."""
    addresses = _address_columns(rows)
    width = max(len(row.cells) for row in rows[:_ROWS_LOOKED_AT])
    texts = [index for index in range(width) if index not in addresses]
    if len(addresses) != 1 or len(texts) > 1:
        raise GiveUp(
            "no row of the list names its columns",
            hint="write a first row such as: mail,first name,last name,group",
        )
    columns = {MAIL: addresses[0], **({NAME: texts[0]} if texts else {})}
    return Columns(tuple(f"column {index + 1}" for index in range(width)), columns, 0)


def _named(heads: Sequence[str]) -> str:
    return listed([repr(quote(head)) for head in heads if head] or ["no headings"])
