"""Class lists in the forms in which systems and people have them, and who is in each.

Nearly all are of the same three people, so that a form is right if these three come out of it.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.support.workbooks import ods, xlsx

ADA = ("ada@uni.example", "Ada Lovelace", "")
EMMY = ("emmy@uni.example", "Emmy Nöther", "")
CARL = ("gauss@uni.example", "Carl Friedrich Gauß", "")
ALL = (ADA, EMMY, CARL)

Somebody = tuple[str, str, str]
"""Address, name and group."""


class Form(NamedTuple):
    """A list: the people in it, or the words with which it is refused."""

    name: str
    data: bytes
    people: tuple[Somebody, ...] = ()
    refused: str = ""


def grouped(*teams: str) -> tuple[Somebody, ...]:
    return tuple((address, name, team) for (address, name, _), team in zip(ALL, teams, strict=True))


def text(*lines: str, end: str = "\r\n", code: str = "utf-8") -> bytes:
    return "".join(line + end for line in lines).encode(code)


THREE = (
    "1815;Lovelace;Ada;ada@uni.example",
    "1882;Nöther;Emmy;emmy@uni.example",
    "1777;Gauß;Carl Friedrich;gauss@uni.example",
)
HEADS = "Matrikelnummer;Nachname;Vorname;E-Mail"
ROWS = [line.split(";") for line in (HEADS, *THREE)]


def in_columns(heads: str, *orders: int, delimiter: str = ",") -> tuple[str, ...]:
    """The three people with these headings; `orders`: which of number, last and first name and
    address each column is, -1 for nothing."""
    cells = [[*line.split(";"), ""] for line in THREE]
    return (heads, *(delimiter.join(row[at] for at in orders) for row in cells))


FORMS = (
    # --- Moodle
    Form(
        "Moodle, English",
        text(
            *in_columns("First name,Last name,ID number,Email address,Groups", 2, 1, 0, 3, -1),
            code="utf-8-sig",
        ),
        ALL,
    ),
    Form(
        "Moodle, Surname",
        text(*in_columns("First name,Surname,Username,Email address", 2, 1, 0, 3)),
        ALL,
    ),
    Form(
        "Moodle, German",
        text(
            *in_columns(
                '"Vorname";"Nachname";"Matrikelnummer";"E-Mail-Adresse";"Gruppen"',
                2,
                1,
                0,
                3,
                -1,
                delimiter=";",
            ),
            code="utf-8-sig",
        ),
        ALL,
    ),
    Form(
        "Moodle, French",
        text(
            *in_columns(
                "Prénom,Nom de famille,Numéro d'identification,Adresse de courriel", 2, 1, 0, 3
            )
        ),
        ALL,
    ),
    Form(
        "Moodle, Spanish",
        text(*in_columns("Nombre,Apellido(s),Número de ID,Dirección de correo", 2, 1, 0, 3)),
        ALL,
    ),
    Form(
        "Moodle, groups",
        text(
            "Vorname,Nachname,E-Mail-Adresse,Gruppen",
            "Ada,Lovelace,ada@uni.example,Gruppe 1",
            "Emmy,Nöther,emmy@uni.example,Gruppe 1",
            "Carl Friedrich,Gauß,gauss@uni.example,Gruppe 2",
        ),
        grouped("Gruppe 1", "Gruppe 1", "Gruppe 2"),
    ),
    # --- Canvas
    Form(
        "Canvas gradebook",
        text(
            "Student,ID,SIS User ID,SIS Login ID,Section,Homework 1 (371),mail",
            ",,,,,Manual Posting,",
            "    Points Possible,,,,,10.0,",
            '"Lovelace, Ada",101,1815,ada,CS 101,9.00,ada@uni.example',
            '"Nöther, Emmy",102,1882,emmy,CS 101,,emmy@uni.example',
            '"Gauß, Carl Friedrich",103,1777,gauss,CS 101,10.00,gauss@uni.example',
            '"Student, Test",999,,abc,CS 101,,',
        ),
        ALL,
    ),
    Form(
        "Canvas, logins are addresses",
        text(
            "Student,ID,SIS User ID,SIS Login ID,Section",
            "    Points Possible,,,,",
            '"Lovelace, Ada",101,1815,ada@uni.example,CS 101',
            '"Nöther, Emmy",102,1882,emmy@uni.example,CS 101',
            '"Gauß, Carl Friedrich",103,1777,gauss@uni.example,CS 101',
        ),
        ALL,
    ),
    Form(
        "Canvas people",
        text(
            "Name,Email,Login ID,SIS ID,Section,Role",
            "Ada Lovelace,ada@uni.example,ada,1815,CS 101,Student",
            "Emmy Nöther,emmy@uni.example,emmy,1882,CS 101,Student",
            "Carl Friedrich Gauß,gauss@uni.example,gauss,1777,CS 101,Student",
        ),
        ALL,
    ),
    Form(
        "Canvas groups",
        text(
            "name,canvas_user_id,login_id,sections,group_name,canvas_group_id",
            "Ada Lovelace,101,ada@uni.example,CS 101,The Analysts!,7",
            "Emmy Nöther,102,emmy@uni.example,CS 101,The Analysts!,7",
            "Carl Friedrich Gauß,103,gauss@uni.example,CS 101,,",
        ),
        grouped("The Analysts!", "The Analysts!", ""),
    ),
    # --- Blackboard
    Form(
        "Blackboard, UTF-16 with tabs",
        text(
            *in_columns(
                '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Email"',
                1,
                2,
                0,
                0,
                3,
                delimiter="\t",
            ),
            code="utf-16",
        ),
        ALL,
    ),
    Form(
        "Blackboard, CSV",
        text(
            *in_columns(
                "Last Name,First Name,Username,Student ID,Availability,Email", 1, 2, 0, 0, -1, 3
            ),
            code="utf-8-sig",
        ),
        ALL,
    ),
    # --- ILIAS, Stud.IP, HISinOne
    Form(
        "ILIAS",
        text(
            *in_columns(
                "Benutzername;Nachname;Vorname;Matrikelnummer;E-Mail;Rolle",
                0,
                1,
                2,
                0,
                3,
                -1,
                delimiter=";",
            ),
            code="utf-8-sig",
        ),
        ALL,
    ),
    Form(
        "ILIAS, Excel",
        xlsx(
            {
                "Mitglieder": [
                    ["Nachname", "Vorname", "Benutzername", "E-Mail", "Status"],
                    ["Lovelace", "Ada", "al", "ada@uni.example", "Mitglied"],
                    ["Nöther", "Emmy", "en", "emmy@uni.example", "Mitglied"],
                    ["Gauß", "Carl Friedrich", "cg", "gauss@uni.example", "Mitglied"],
                ]
            }
        ),
        ALL,
    ),
    Form(
        "Stud.IP",
        text(
            "Status;Anrede;Titel;Vorname;Nachname;Titel nachgestellt;Nutzername;Adresse;Telefon;"
            "E-Mail;Anmeldedatum;Matrikelnummer",
            "autor;Frau;;Ada;Lovelace;;al;London;;ada@uni.example;01.10.;1815",
            "autor;Frau;Dr.;Emmy;Nöther;;en;Erlangen;;emmy@uni.example;01.10.;1882",
            "autor;Herr;;Carl Friedrich;Gauß;;cg;;;gauss@uni.example;01.10.;1777",
            code="cp1252",
        ),
        ALL,
    ),
    Form(
        "HISinOne, title above",
        text(
            "Teilnehmerliste;;;",
            "Veranstaltung:;Informatik I;;",
            ";;;",
            HEADS,
            *THREE,
            ";;;",
            "Anzahl: 3;;;",
            code="utf-8-sig",
        ),
        ALL,
    ),
    Form(
        "HISinOne, Excel", xlsx({"Teilnehmer": [["Teilnehmerliste Informatik I"], [], *ROWS]}), ALL
    ),
    # --- Google, Microsoft
    Form(
        "Google Classroom",
        text(*in_columns("Last Name,First Name,Email Address,Homework 1", 1, 2, 3, -1), end="\n"),
        ALL,
    ),
    Form(
        "Google Groups",
        text(
            "Name,Given Name,Family Name,E-mail 1 - Value",
            "Ada Lovelace,Ada,Lovelace,ada@uni.example",
            "Emmy Nöther,Emmy,Nöther,emmy@uni.example",
            "Carl Friedrich Gauß,Carl Friedrich,Gauß,gauss@uni.example",
            end="\n",
        ),
        ALL,
    ),
    Form(
        "Teams attendance",
        text(
            "1. Summary",
            "Meeting title\tInformatik",
            "Attended participants\t3",
            "",
            "2. Participants",
            "Name\tFirst Join\tLast Leave\tIn-Meeting Duration\tEmail\tParticipant ID (UPN)\tRole",
            "Ada Lovelace\t1/1/26\t1/1/26\t1h\tada@uni.example\tada@uni.example\tPresenter",
            "Emmy Nöther\t1/1/26\t1/1/26\t1h\temmy@uni.example\temmy@uni.example\tAttendee",
            "Carl Friedrich Gauß\t1/1/26\t1/1/26\t1h\tgauss@uni.example\tgauss@uni.example\tGuest",
            "",
            "3. In-Meeting Activities",
            "Name\tJoin Time\tLeave Time\tDuration\tEmail\tRole",
            "Ada Lovelace\t1/1/26\t1/1/26\t1h\tada@uni.example\tPresenter",
            code="utf-16",
        ),
        ALL,
    ),
    Form(
        "Entra ID",
        text(
            "displayName,surname,mail,givenName,userPrincipalName",
            "Ada Lovelace,Lovelace,ada@uni.example,Ada,ada@uni.example",
            "Emmy Nöther,Nöther,emmy@uni.example,Emmy,emmy@uni.example",
            "Carl Friedrich Gauß,Gauß,gauss@uni.example,Carl Friedrich,gauss@uni.example",
        ),
        ALL,
    ),
    Form(
        "Outlook contacts",
        text(
            "Title,First Name,Last Name,E-mail Address,E-mail 2 Address",
            ",Ada,Lovelace,ada@uni.example,",
            ",Emmy,Nöther,emmy@uni.example,",
            ",Carl Friedrich,Gauß,gauss@uni.example,",
        ),
        ALL,
    ),
    # --- by hand, and how programs save it
    Form(
        "Name;Vorname;E-Mail",
        text(*in_columns("Matrikel;Name;Vorname;E-Mail", 0, 1, 2, 3, delimiter=";")),
        ALL,
    ),
    Form(
        "Nom;Prénom;Courriel",
        text(*in_columns("Nom;Prénom;Courriel", 1, 2, 3, delimiter=";"), code="cp1252"),
        ALL,
    ),
    Form(
        "Apellidos y nombre",
        text(
            "Apellidos y nombre;Correo electrónico;Grupo",
            "Lovelace, Ada;ada@uni.example;A",
            "Nöther, Emmy;emmy@uni.example;A",
            "Gauß, Carl Friedrich;gauss@uni.example;B",
        ),
        grouped("A", "A", "B"),
    ),
    Form(
        "NOM Prénom without a comma",
        text(
            "Nom et prénom;Mél",
            "LOVELACE Ada;ada@uni.example",
            "NÖTHER Emmy;emmy@uni.example",
            "GAUSS Carl Friedrich;gauss@uni.example",
        ),
        (
            ("ada@uni.example", "Ada LOVELACE", ""),
            ("emmy@uni.example", "Emmy NÖTHER", ""),
            ("gauss@uni.example", "Carl Friedrich GAUSS", ""),
        ),
    ),
    Form(
        "Name, Vorname in one column",
        text(
            "Nr.;Name, Vorname;E-Mail",
            "1;Lovelace, Ada;ada@uni.example",
            "2;Nöther, Emmy;emmy@uni.example",
            "3;Gauß, Carl Friedrich;gauss@uni.example",
        ),
        ALL,
    ),
    Form("semicolons, Windows-1252", text(HEADS, *THREE, code="cp1252"), ALL),
    Form(
        "commas, Unix, no end of line",
        text(*in_columns("mail,first name,last name", 3, 2, 1), end="\n")[:-1],
        ALL,
    ),
    Form("old Macintosh ends of lines", text(HEADS, *THREE, end="\r"), ALL),
    Form("sep= line", text("sep=;", HEADS, *THREE, code="utf-8-sig"), ALL),
    Form(
        "sep= line, tabs, UTF-16",
        text(
            "sep=\t",
            *in_columns("Nachname\tVorname\tE-Mail", 1, 2, 3, delimiter="\t"),
            code="utf-16",
        ),
        ALL,
    ),
    Form(
        "Excel's Unicode text",
        text(*in_columns("Nachname\tVorname\tE-Mail", 1, 2, 3, delimiter="\t"), code="utf-16"),
        ALL,
    ),
    Form("UTF-16 without a mark", text(HEADS, *THREE, code="utf-16-le"), ALL),
    Form("Excel", xlsx({"Tabelle1": ROWS}), ALL),
    Form(
        "Excel, the list on the second sheet",
        xlsx({"Hinweise": [["Bitte lesen"], ["Stand: Oktober"]], "Liste": ROWS, "Tabelle3": []}),
        ALL,
    ),
    Form("LibreOffice", ods({"Tabelle1": ROWS}), ALL),
    Form(
        "ends of lines within cells",
        text(
            "Name;E-Mail",
            '"Ada\nLovelace";ada@uni.example',
            '"Emmy\r\nNöther";"emmy@uni.example\n"',
            '"Carl Friedrich\n Gauß";gauss@uni.example',
        ),
        ALL,
    ),
    Form(
        "empty rows and columns",
        text(
            ";;;;",
            *in_columns("Nachname;Vorname;E-Mail;;", 1, 2, 3, -1, -1, delimiter=";"),
            ";;;;",
            ";;;;",
        ),
        ALL,
    ),
    Form("totals at the end", text(HEADS, *THREE, "Summe;3;;", ";;;", "Stand: 1.10.;;;"), ALL),
    Form("a title above", text("Übungsgruppe A, Wintersemester", "", HEADS, *THREE), ALL),
    Form("doubled rows", text(HEADS, *THREE, THREE[0], THREE[1]), ALL),
    Form(
        "two spellings of an address",
        text(
            HEADS,
            *THREE,
            "1815;Lovelace;Ada;Ada@Uni.example",
            "1882;Nöther;Emmy;emmy.noether@uni.example",
        ),
        ALL,
    ),
    Form(
        "some without an address",
        text(HEADS, *THREE, "1791;Babbage;Charles;", "1906;Hopper;Grace;"),
        (*ALL, ("", "Charles Babbage", ""), ("", "Grace Hopper", "")),
    ),
    Form(
        "addresses as mail programs write them",
        text(
            "Teilnehmer",
            "Ada Lovelace <ada@uni.example>",
            "Emmy Nöther <emmy@uni.example>",
            '"""Gauß, Carl Friedrich"" <gauss@uni.example>"',
            end="\n",
        ),
        ALL,
    ),
    Form(
        "no row of headings",
        text(
            *in_columns("Ada Lovelace;ada@uni.example", 3, delimiter=";")[:1],
            "Emmy Nöther;emmy@uni.example",
            "Carl Friedrich Gauß;gauss@uni.example",
        ),
        ALL,
    ),
    Form(
        "addresses alone",
        text("mail", "ada@uni.example", "emmy@uni.example", "gauss@uni.example"),
        (("ada@uni.example", "", ""), ("emmy@uni.example", "", ""), ("gauss@uni.example", "", "")),
    ),
    Form(
        "numbers as groups",
        text(
            "Gruppe;Nachname;Vorname;E-Mail",
            "1;Lovelace;Ada;ada@uni.example",
            "1;Nöther;Emmy;emmy@uni.example",
            "2;Gauß;Carl Friedrich;gauss@uni.example",
        ),
        grouped("1", "1", "2"),
    ),
    # --- what nobody can know
    Form(
        "two columns of addresses",
        text("Name,Email,E-Mail", "Ada Lovelace,ada@uni.example,ada@home.example"),
        refused="two columns of the list are the mail address: 'Email' and 'E-Mail'",
    ),
    Form(
        "a wrong address and a missing quotation mark",
        text("Name,E-Mail", "Ada Lovelace,ada at uni", "Nöther, Emmy,emmy@uni.example"),
        refused="row 3 has 3 cells, but 2 columns have names",
    ),
    Form(
        "a web page with the name of a table",
        b"<html><table><tr><td>Name</td></tr></table></html>",
        refused="the list is a web page",
    ),
)
