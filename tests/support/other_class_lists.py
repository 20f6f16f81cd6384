"""More class lists, as strangers export and write them: of the same three people."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from tests.support.class_lists import ALL, HEADS, ROWS, Form, Somebody, grouped, text
from tests.support.workbooks import ods, xlsx

PEOPLE = [
    {"last": "Lovelace", "first": "Ada", "mail": "ada@uni.example", "nr": "1815", "u": "al"},
    {"last": "Nöther", "first": "Emmy", "mail": "emmy@uni.example", "nr": "1882", "u": "en"},
    {
        "last": "Gauß",
        "first": "Carl Friedrich",
        "mail": "gauss@uni.example",
        "nr": "1777",
        "u": "cg",
    },
]
NOBODY: tuple[Somebody, ...] = ()
LETTERS, GROUPS = grouped("A", "A", "B"), grouped("Gruppe 1", "Gruppe 1", "Gruppe 2")


def filled(row: str) -> list[str]:
    """The row for each person. `{full}` is the name, `{turned}` has the last one in front, `{g}`
    and `{G}` are groups."""
    return [
        row.format(
            **person,
            full=f"{person['first']} {person['last']}",
            turned=f"{person['last']}, {person['first']}",
            up=person["last"].replace("ß", "ss").upper(),
            i=number,
            g="AAB"[number - 1],
            G=GROUPS[number - 1][2],
        )
        for number, person in enumerate(PEOPLE, start=1)
    ]


def of_rows(
    name: str,
    heads: str,
    row: str,
    people: tuple[Somebody, ...] = ALL,
    refused: str = "",
    *,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
    code: str = "utf-8",
    end: str = "\r\n",
) -> Form:
    lines = (*before, heads, *filled(row), *after)
    return Form(name, text(*lines, end=end, code=code), people, refused)


def named(*names: str) -> tuple[Somebody, ...]:
    return tuple((address, name, "") for (address, _, _), name in zip(ALL, names, strict=True))


SIMPLE = text("Nachname;Vorname;E-Mail", *filled("{last};{first};{mail}")).decode()

OTHER_FORMS = (
    of_rows(
        "Moodle grader en",
        '"First name","Last name","ID number",Institution,Department,"Email address",'
        '"Assignment: Task 1 (Real)","Course total (Real)",'
        '"Last downloaded from this course"',
        "{first},{last},{nr},,,{mail},-,-,1764436000",
    ),
    of_rows(
        "Moodle grader de",
        'Vorname,Nachname,ID-Nummer,Institution,Abteilung,"E-Mail-Adresse",'
        '"Aufgabe: Blatt 1 (Punkte)","Kurs gesamt (Punkte)",'
        '"Zuletzt aus diesem Kurs geladen"',
        '{first},{last},{nr},,,{mail},"7,5","7,5",1764436000',
    ),
    of_rows(
        "Moodle participants de semi",
        'Vorname;Nachname;E-Mail;Rollen;Gruppen;"Letzter Zugriff auf Kurs"',
        "{first};{last};{mail};Teilnehmer/in;Keine Gruppen;1 Tag",
    ),
    of_rows(
        "Moodle fullname one column", '"Vollständiger Name","E-Mail-Adresse"', '"{full}",{mail}'
    ),
    of_rows(
        "Moodle 'Vorname / Nachname'",
        '"Vorname / Nachname","E-Mail-Adresse",Rollen,Gruppen',
        '"{full}",{mail},Teilnehmer/in,{G}',
        GROUPS,
    ),
    of_rows(
        "Moodle 'Nachname / Vorname'",
        '"Nachname / Vorname","E-Mail-Adresse"',
        '"{last} {first}",{mail}',
    ),
    of_rows(
        "Moodle user upload csv",
        "username,password,firstname,lastname,email,course1,group1",
        "{u},x,{first},{last},{mail},INF1,{g}",
        LETTERS,
    ),
    of_rows(
        "Moodle choice",
        "Nachname,Vorname,ID-Nummer,E-Mail-Adresse,Gruppe,Auswahl",
        "{last},{first},{nr},{mail},{g},Option 1",
        LETTERS,
    ),
    of_rows(
        "Moodle group choice multi",
        "Vorname,Nachname,E-Mail-Adresse,Gruppen",
        '{first},{last},{mail},"{G}, Tutorium Mo"',
        NOBODY,
        "one person can be in one group",
    ),
    of_rows(
        "Moodle fr grader",
        'Prénom,"Nom de famille","Numéro d\'identification",Institution,Département,'
        '"Adresse de courriel","Total du cours (Brut)"',
        "{first},{last},{nr},,,{mail},-",
    ),
    of_rows(
        "Moodle es grader",
        'Nombre,"Apellido(s)","Número de ID",Institución,Departamento,'
        '"Dirección de correo","Total del curso (Real)"',
        "{first},{last},{nr},,,{mail},-",
    ),
    of_rows(
        "Moodle feedback (anonymous id)",
        'Identifier,"Full name","Email address",Status,Grade,"Maximum Grade"',
        '"Participant {nr}","{full}",{mail},"No submission",,100.00',
    ),
    of_rows(
        "Moodle grading worksheet de",
        'ID,"Vollständiger Name","E-Mail-Adresse",Status,Bewertung,"Beste Bewertung"',
        'Teilnehmer/in{nr},"{full}",{mail},"Nicht abgegeben",,"100,00"',
    ),
    of_rows(
        "Canvas gradebook logins addresses semicolon",
        "Student;ID;SIS User ID;SIS Login ID;Section;Current Score",
        '"{turned}";10{i};{nr};{mail};INF;',
    ),
    of_rows(
        "Canvas Integration ID",
        'Student,ID,SIS User ID,SIS Login ID,Integration ID,Section,"Essay (55)",Current Grade',
        '"{turned}",10{i},{nr},{mail},,"A and B",9,B',
        before=(),
        after=('"    Points Possible",,,,,,10,(read only)',),
    ),
    of_rows(
        "Canvas section groups",
        "Student,ID,SIS Login ID,Section,Group",
        '"{turned}",10{i},{mail},INF,{G}',
        GROUPS,
    ),
    of_rows(
        "Canvas with Root account & two-row preamble",
        "Student,ID,SIS User ID,SIS Login ID,Root Account,Section",
        '"{turned}",10{i},{nr},{mail},uni.example,INF',
    ),
    of_rows(
        "Canvas groups export",
        "name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id,group_id",
        "{full},10{i},{nr},{mail},INF,{G},1,g1",
        GROUPS,
    ),
    of_rows(
        "Canvas sis users",
        "user_id,login_id,first_name,last_name,email,status",
        "{nr},{u},{first},{last},{mail},active",
    ),
    of_rows(
        "Canvas sis users short_name sortable_name",
        "canvas_user_id,user_id,login_id,full_name,sortable_name,short_name,email,status",
        '10{i},{nr},{u},{full},"{turned}",{first},{mail},active',
    ),
    of_rows(
        "Blackboard utf16 full",
        '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Last Access"\t'
        '"Availability"\t"Weighted Total [Total Pts: up to 0 Percentage] |12345"',
        '"{last}"\t"{first}"\t"{mail}"\t"{nr}"\t"2026-10-01 10:00:00"\t"Yes"\t""',
        code="utf-16",
    ),
    of_rows(
        "Blackboard utf16 csv",
        '"Last Name","First Name","Username","Student ID","Availability"',
        '"{last}","{first}","{mail}","{nr}","Yes"',
        code="utf-16",
    ),
    of_rows(
        "Blackboard groups export",
        '"Group Code","User Name","Student Id","First Name","Last Name"',
        '"{g}","{mail}","{nr}","{first}","{last}"',
    ),
    of_rows(
        "Blackboard de",
        '"Nachname"\t"Vorname"\t"Benutzername"\t"Matrikelnummer"\t"Letzter Zugriff"\t'
        '"Verfügbarkeit"',
        '"{last}"\t"{first}"\t"{mail}"\t"{nr}"\t""\t"Ja"',
        code="utf-16",
    ),
    of_rows(
        "ILIAS members csv quotes",
        '"Name";"Anmeldename";"Rolle/Status";"E-Mail"',
        '"{turned}";"{u}";"Kursmitglied";"{mail}"',
        code="utf-8-sig",
    ),
    of_rows(
        "ILIAS login, tutors",
        "Login;Nachname;Vorname;Titel;Geschlecht;E-Mail;Matrikelnummer;Rolle",
        "{u};{last};{first};;w;{mail};{nr};Mitglied",
    ),
    of_rows(
        "ILIAS zweite E-Mail",
        "Benutzername;Nachname;Vorname;E-Mail;Zweite E-Mail;Matrikelnummer",
        "{u};{last};{first};{mail};;{nr}",
    ),
    Form(
        "ILIAS xlsx with admin",
        xlsx(
            {
                "Kursmitglieder": [
                    ["Vorname", "Nachname", "Benutzername", "E-Mail", "Rolle in Kurs"],
                    *[[p["first"], p["last"], p["u"], p["mail"], "Kursmitglied"] for p in PEOPLE],
                ]
            }
        ),
        ALL,
    ),
    of_rows(
        "StudIP semicolon cp1252 quotes",
        ""
        '"Nachname";"Vorname";"Benutzername";"Telefonnummer";"Emailadresse";"Matrikelnummer";"Studiengänge";"Position"',
        '"{last}";"{first}";"{u}";"";"{mail}";"{nr}";"Informatik; Mathematik";"{i}"',
        code="cp1252",
    ),
    of_rows(
        "StudIP gruppen",
        ""
        "Gruppe;Titel;Vorname;Nachname;Titel2;Nutzername;Privatadr;Privatnr;E-Mail;Anmeldedatum;Matrikelnummer;Studiengänge",
        "{G};;{first};{last};;{u};;;{mail};01.10.2026;{nr};Informatik",
        GROUPS,
        code="cp1252",
    ),
    of_rows(
        "StudIP status lines between",
        "Vorname;Nachname;E-Mail",
        "{first};{last};{mail}",
        before=("Lehrende;;",),
        after=("Wartende;;",),
    ),
    of_rows(
        "HISinOne leading blank rows",
        "Matrikelnummer;Nachname;Vorname;Studiengang;Fachsemester;E-Mail-Adresse (Hochschule)",
        "{nr};{last};{first};Inf;3;{mail}",
        before=("Veranstaltung: 12345 Rechnernetze;;;;;", "Semester: WiSe 2026/27;;;;;", ";;;;;"),
    ),
    of_rows(
        "HISinOne Mtknr",
        "Mtknr;Nachname;Vorname;Abschl;Stg;E-Mail",
        "{nr};{last};{first};82;079;{mail}",
        after=("endHISsheet;;;;;",),
        code="cp1252",
    ),
    Form(
        "HIS QIS xls-like xlsx",
        xlsx(
            {
                "First Sheet": [
                    ["startHISsheet"],
                    ["mtknr", "nachname", "vorname", "bewertung", "email"],
                    *[[p["nr"], p["last"], p["first"], "", p["mail"]] for p in PEOPLE],
                    ["endHISsheet"],
                ]
            }
        ),
        ALL,
    ),
    of_rows(
        "HISinOne Name, Vorname / private mail",
        "Lfd. Nr.;Matr.-Nr.;Name;Vorname;Private E-Mail;Hochschul-E-Mail",
        "{i};{nr};{last};{first};;{mail}",
    ),
    of_rows(
        "Classroom grade export",
        "Last Name,First Name,Email Address,2026-10-01,2026-10-08",
        "{last},{first},{mail},,",
        after=("Class Average,,,,",),
        end="\n",
    ),
    of_rows(
        "Classroom de",
        "Nachname,Vorname,E-Mail-Adresse,Aufgabe 1",
        "{last},{first},{mail},",
        after=("Kursdurchschnitt,,,",),
    ),
    of_rows(
        "Workspace users",
        "First Name [Required],Last Name [Required],Email Address [Required],"
        "Status [READ ONLY],Org Unit Path [Required]",
        "{first},{last},{mail},Active,/Students",
    ),
    of_rows(
        "Google Forms de",
        "Zeitstempel,E-Mail-Adresse,Vor- und Nachname,Matrikelnummer",
        '"01.10.2026 10:00:00",{mail},{full},{nr}',
    ),
    of_rows(
        "Google contacts new",
        "First Name,Middle Name,Last Name,Phonetic First Name,Nickname,"
        "E-mail 1 - Label,E-mail 1 - Value",
        "{first},,{last},,,* Work,{mail}",
    ),
    of_rows("Teams roster", "Name\tEmail\tRole", "{full}\t{mail}\tMember", code="utf-16"),
    of_rows("Teams insights", "Student name,Student email,Class", "{full},{mail},INF"),
    of_rows(
        "Entra bulk members",
        "id,userPrincipalName,displayName,objectType,userType",
        "x{i},{mail},{full},User,Member",
    ),
    of_rows(
        "Teams assignments de",
        'Vorname,Nachname,E-Mail-Adresse,"Blatt 1","Punkte","Feedback"',
        "{first},{last},{mail},,,",
    ),
    of_rows(
        "School Data Sync", "SIS ID,Username,First Name,Last Name", "{nr},{mail},{first},{last}"
    ),
    Form(
        "Excel merged title",
        xlsx(
            {
                "Tabelle1": [
                    ["Teilnehmerliste Rechnernetze WS 26/27", "", "", ""],
                    ["", "", "", ""],
                    ["Name", "", "Kontakt", ""],
                    ["Nachname", "Vorname", "E-Mail", "Matrikelnr."],
                    *[[p["last"], p["first"], p["mail"], p["nr"]] for p in PEOPLE],
                ]
            }
        ),
        ALL,
    ),
    Form(
        "Excel first col index, sum",
        xlsx(
            {
                "Tabelle1": [
                    ["", "Nachname", "Vorname", "Mailadresse"],
                    *[[str(n + 1), p["last"], p["first"], p["mail"]] for n, p in enumerate(PEOPLE)],
                    ["", "Gesamt", "3", ""],
                ]
            }
        ),
        ALL,
    ),
    Form(
        "ods two sheets",
        ods({"Info": [["Stand"]], "Liste": ROWS}),
        ALL,
    ),
    of_rows(
        "Word table pasted as tabs", "Nr.\tName\tVorname\tE-Mail", "{i}.\t{last}\t{first}\t{mail}"
    ),
    of_rows(
        "Word table, no heading names",
        "Lovelace\tAda\tada@uni.example",
        "{last}\t{first}\t{mail}",
        NOBODY,
        "no row of the list names its columns",
    ),
    Form(
        "addresses of a mail, Outlook",
        text("; ".join(filled("{turned} <{mail}>"))),
        ALL,
    ),
    Form(
        "addresses of a mail, quoted names",
        text(", ".join(filled('"{full}" <{mail}>'))),
        ALL,
    ),
    Form(
        "addresses of a mail, names with a comma that nobody quoted",
        text(", ".join(filled("{turned} <{mail}>"))),
        ALL,
    ),
    Form(
        "addresses of a mail, folded, without names",
        text("ada@uni.example,emmy@uni.example,", " gauss@uni.example"),
        named("", "", ""),
    ),
    of_rows("Outlook's apostrophes", "Name;E-Mail", "{full};'{mail}'"),
    Form(
        "Word pipes markdown, with its rule",
        text("| Name | E-Mail |", "|:-----|-------:|", *filled("| {full} | {mail} |")),
        ALL,
    ),
    of_rows("Word pipes markdown", "| Name | E-Mail |", "| {full} | {mail} |", before=()),
    of_rows(
        "fr Apogée", "Code étudiant;Nom;Prénom;Adresse électronique", "{nr};{last};{first};{mail}"
    ),
    of_rows(
        "fr Nom d'usage",
        "Civilité;Nom d'usage;Prénom;Courriel institutionnel",
        "Mme;{last};{first};{mail}",
    ),
    of_rows(
        "es Apellidos, Nombre",
        '"Apellidos, Nombre";"Correo electrónico";Grupo',
        '"{turned}";{mail};{g}',
        LETTERS,
    ),
    of_rows(
        "es Primer apellido Segundo apellido",
        "DNI;Primer apellido;Segundo apellido;Nombre;Correo",
        "1;{last};;{first};{mail}",
    ),
    of_rows(
        "es Correo UPM", "Alumno;Correo institucional;Equipo", '"{turned}";{mail};{g}', LETTERS
    ),
    of_rows("sep=; BOM", HEADS, "{nr};{last};{first};{mail}", before=("sep=;",), code="utf-8-sig"),
    of_rows(
        "sep=, quoted sep line",
        '"Nachname","Vorname","E-Mail"',
        '"{last}","{first}","{mail}"',
        before=('"sep=,"',),
        code="utf-8-sig",
    ),
    of_rows(
        "totals several",
        HEADS,
        "{nr};{last};{first};{mail}",
        after=(
            ";;;",
            "Anzahl Teilnehmer: 3;;;",
            "Durchschnitt;;1,7;",
            "gedruckt am 1.10.2026;;;",
            "Seite 1 von 1;;;",
        ),
    ),
    of_rows(
        "Ergebnis row en",
        "Name;E-Mail",
        "{full};{mail}",
        after=("Total students;3", "Printed on 1/1/2026;"),
    ),
    of_rows(
        "line ends in heading", 'Nachname;Vorname;"E-Mail\n(Hochschule)"', "{last};{first};{mail}"
    ),
    of_rows("line ends in name cell with title", "Name;E-Mail", '"{last},\n{first}";{mail}'),
    of_rows("Name with title Dr.", "Name;Vorname;Titel;Mail", "{last};{first};Dr.;{mail}"),
    of_rows("mailto links", "Name,E-Mail", "{full},mailto:{mail}"),
    of_rows("Namen mit Doppelpunkt heading", "Name:;E-Mail:", "{full};{mail}"),
    of_rows(
        "heading 'E-Mail Studierende'",
        "Nachname;Vorname;E-Mail Studierende",
        "{last};{first};{mail}",
    ),
    of_rows("heading 'Email (Uni)'", "Surname,Forenames,Email (Uni)", "{last},{first},{mail}"),
    of_rows("heading 'Adresse'", "Name;Adresse", "{full};{mail}"),
    of_rows("heading Team-Nr.", "Team-Nr.;Name;Mail", "{i};{full};{mail}", grouped("1", "2", "3")),
    of_rows(
        "heading Gruppe/Team Nr",
        "Gruppennummer;Nachname;Vorname;Mail",
        "{g};{last};{first};{mail}",
        LETTERS,
    ),
    of_rows("heading Tutorium", "Nachname;Vorname;E-Mail;Tutorium", "{last};{first};{mail};Mo 10"),
    of_rows("heading Partner", "Nachname;Vorname;E-Mail;Partner", "{last};{first};{mail};"),
    of_rows(
        "heading Abgabeteam",
        "Nachname;Vorname;E-Mail;Abgabeteam",
        "{last};{first};{mail};{g}",
        LETTERS,
    ),
    of_rows("utf16be no BOM", HEADS, "{nr};{last};{first};{mail}", code="utf-16-be"),
    of_rows("vcard-ish people list; one col turned with mail", "Teilnehmer", '"{turned} <{mail}>"'),
    of_rows(
        "first and last swapped headings 'Familienname, Vorname'",
        '"Familienname, Vorname",E-Mail',
        '"{turned}",{mail}',
    ),
    of_rows("Last, First in Full name col en", "Full Name,Email", '"{turned}",{mail}'),
    of_rows(
        "Nachname only",
        "Nachname;E-Mail",
        "{last};{mail}",
        (
            ("ada@uni.example", "Lovelace", ""),
            ("emmy@uni.example", "Nöther", ""),
            ("gauss@uni.example", "Gauß", ""),
        ),
    ),
    of_rows(
        "column E-Mail and E-Mail privat",
        "Nachname;Vorname;E-Mail;E-Mail privat",
        "{last};{first};{mail};x{i}@home.example",
    ),
    of_rows(
        "Semicolons trailing in every row", "Nachname;Vorname;E-Mail;", "{last};{first};{mail};"
    ),
    of_rows(
        "apostrophe text prefix Excel",
        "Matrikelnummer;Nachname;Vorname;E-Mail",
        "'{nr};{last};{first};{mail}",
    ),
    of_rows(
        "Anwesend x columns", "Nachname;Vorname;E-Mail;1.10.;8.10.", "{last};{first};{mail};x;"
    ),
    of_rows("Teams (Gast) suffix", "Name\tEmail", "{full} (Gast)\t{mail}", code="utf-16"),
    of_rows("turned (INF)", "Name,Email", '"{turned} (INF)",{mail}'),
    of_rows(
        "Moodle not in group de",
        "Vorname,Nachname,E-Mail-Adresse,Gruppen",
        "{first},{last},{mail},Nicht in einer Gruppe",
    ),
    of_rows(
        "Moodle overview Gruppe 'Keine'",
        "Vorname,Nachname,E-Mail-Adresse,Gruppe",
        "{first},{last},{mail},Keine",
    ),
    of_rows("dash group", "Vorname,Nachname,E-Mail-Adresse,Gruppe", "{first},{last},{mail},-"),
    of_rows("nbsp", "Nachname;Vorname;E-Mail", "{last}\xa0;\xa0{first};{mail}\xa0"),
    of_rows("zero width", "Nachname;Vorname;E-Mail", "\u200b{last};{first}\u200b;\ufeff{mail}"),
    of_rows(
        "two addresses in cell",
        "Name;E-Mail",
        "{full};{mail}, x@home.example",
        NOBODY,
        "no mail address",
    ),
    of_rows(
        "semicolons saved as commas by english Excel",
        "Nachname;Vorname;E-Mail,,",
        "{last};{first};{mail},,",
    ),
    of_rows("tab file with commas in names", "Name\tE-Mail", "{turned}\t{mail}"),
    of_rows(
        "csv unquoted Last, First",
        "Name,E-Mail",
        "{turned},{mail}",
        NOBODY,
        "a text with the separator",
    ),
    of_rows("pipe", "Nachname|Vorname|E-Mail", "{last}|{first}|{mail}"),
    of_rows("leading index unnamed", ";Nachname;Vorname;E-Mail", "{i};{last};{first};{mail}"),
    of_rows(
        "two title rows",
        "Nachname;Vorname;E-Mail",
        "{last};{first};{mail}",
        before=(
            "Universität Beispiel;;",
            "Kurs: Rechnernetze, Prof. Dr. X;;",
            "Ansprechpartner: sekretariat@uni.example;;",
            "",
        ),
    ),
    of_rows(
        "signature lines at end",
        "Nachname;Vorname;E-Mail",
        "{last};{first};{mail}",
        after=("", "Bei Fragen: sekretariat@uni.example;;"),
    ),
    of_rows(
        "footer with mail in mail column",
        "Name;E-Mail",
        "{full};{mail}",
        after=(";Kontakt: sekretariat@uni.example",),
        people=(),
        refused="no mail address",
    ),
    of_rows(
        "repeated headings per page",
        "Nachname;Vorname;E-Mail",
        "{last};{first};{mail}",
        after=("Nachname;Vorname;E-Mail",),
    ),
    of_rows(
        "group headings as rows",
        "Nachname;Vorname;E-Mail",
        "{last};{first};{mail}",
        before=(),
        after=("Gruppe B;;",),
    ),
    of_rows("teacher row", "Name,Email,Role", "{full},{mail},Student"),
    of_rows("numbers .0", "Matrikelnummer;Name;E-Mail", "{nr}.0;{full};{mail}"),
    of_rows(
        "Name with newline Nachname\\nVorname",
        "Name;E-Mail",
        '"{last}\n{first}";{mail}',
        named("Lovelace Ada", "Nöther Emmy", "Gauß Carl Friedrich"),
    ),
    of_rows(
        "E-Mail heading: Mailadresse (bitte leserlich)",
        "Name;Mailadresse (bitte leserlich)",
        "{full};{mail}",
    ),
    of_rows(
        "Handy col etc",
        "Nachname;Vorname;Telefon;E-Mail;Geburtsdatum",
        "{last};{first};0151 1;{mail};1.1.2000",
    ),
    of_rows("heading Vorname Name 1 col", "Vorname Name;E-Mail", "{full};{mail}"),
    of_rows("heading Name Vorname no comma", "Name Vorname;E-Mail", "{last} {first};{mail}"),
    of_rows("heading 'Student/in'", "Student/in;E-Mail", "{full};{mail}"),
    of_rows("heading 'Schüler/in'", "Schüler/in;E-Mail;Klasse", "{full};{mail};10a"),
    of_rows(
        "WebUntis", "Familienname;Vorname;Kurzname;Klasse;E-Mail", "{last};{first};{u};10a;{mail}"
    ),
    of_rows(
        "IServ",
        "Import-ID;Account;Vorname;Nachname;Gruppen",
        "{nr};{mail};{first};{last};{G}",
        GROUPS,
    ),
    of_rows("itslearning", "First name,Last name,Email,Username", "{first},{last},{mail},{u}"),
    of_rows(
        "Ilias en",
        "Login;Last Name;First Name;Email;Matriculation number",
        "{u};{last};{first};{mail};{nr}",
    ),
    of_rows(
        "OpenOLAT",
        '"Nr.";"Benutzername";"Vorname";"Nachname";"E-Mail";"Institutionsnummer"',
        "{i};{u};{first};{last};{mail};{nr}",
    ),
    of_rows(
        "OPAL",
        "Benutzername;Name;Vorname;Institutionelle E-Mail;Matrikelnummer",
        "{u};{last};{first};{mail};{nr}",
    ),
    of_rows(
        "TUMonline",
        "Matrikelnummer;Familien- oder Nachname;Vorname;Studium;E-Mail",
        "{nr};{last};{first};Inf;{mail}",
        code="cp1252",
    ),
    of_rows(
        "CAMPUSonline en",
        ""
        "REGISTRATION_NUMBER;CODE_OF_STUDY_PROGRAMME;FAMILY_NAME_OF_STUDENT;FIRST_NAME_OF_STUDENT;EMAIL_ADDRESS",
        "{nr};1;{last};{first};{mail}",
    ),
    of_rows(
        "CAMPUSonline de",
        "MATRIKELNUMMER;STUDIENPLAN;NACHNAME;VORNAME;EMAIL_ADRESSE;ANMERKUNG",
        "{nr};1;{last};{first};{mail};",
    ),
    of_rows(
        "Sakai", '"Name","User ID","Email Address","Role"', '"{turned}","{u}","{mail}","Student"'
    ),
    of_rows(
        "Brightspace",
        "OrgDefinedId,Username,Last Name,First Name,Email,End-of-Line Indicator",
        "#{nr},#{u},{last},{first},{mail},#",
    ),
    of_rows("PowerSchool", "Student Name,Student Number,Email", '"{turned}",{nr},{mail}'),
    of_rows(
        "Gradescope", "First Name,Last Name,SID,Email,Sections", "{first},{last},{nr},{mail},1"
    ),
    of_rows("GitHub classroom", "identifier,github_username,github_id,name", "{mail},{u},1,{full}"),
    of_rows("Zoom", "Name (Original Name),User Email,Join Time", "{full},{mail},1"),
    of_rows(
        "Zoom renamed",
        "Name (Original Name),User Email,Join Time",
        "{first} ({full}),{mail},1",
        named("Ada", "Emmy", "Carl Friedrich"),
    ),
    of_rows(
        "Doodle/Nuudel",
        "Name;1.10.",
        "{full};x",
        NOBODY,
        "no column of the list is the mail address",
    ),
    of_rows(
        "fr Pronote",
        "Élève;Classe;Adresse E-mail",
        "{up} {first};2A;{mail}",
        named("Ada LOVELACE", "Emmy NÖTHER", "Carl Friedrich GAUSS"),
    ),
    of_rows(
        "es SIGMA",
        "DNI;Apellido1;Apellido2;Nombre;Correo-e;Grupo",
        "1;{last};;{first};{mail};{g}",
        LETTERS,
    ),
    of_rows("es Nombre y apellidos", "Nombre y apellidos;Correo electrónico", "{full};{mail}"),
    of_rows(
        "fr Nom de l'étudiant",
        "Nom de l'étudiant;Prénom de l'étudiant;Email",
        "{last};{first};{mail}",
    ),
    Form(
        "UTF-8 taken for Windows-1252 and saved",
        SIMPLE.encode().decode("cp1252", "replace").encode(),
        ALL,
    ),
    Form("accents apart from their letters", unicodedata.normalize("NFD", SIMPLE).encode(), ALL),
)

TOLD: Sequence[tuple[str, bytes, str]] = (
    (
        "a group that is written once",
        text("Gruppe;Name;E-Mail", "A;Ada Lovelace;ada@uni.example", ";Emmy;emmy@uni.example"),
        "2 people, 1 group, 1 in no group",
    ),
    (
        "two sheets",
        xlsx({"Gruppe A": ROWS, "Gruppe B": ROWS[:2]}),
        "not read, though they look like lists, too: `Gruppe B`",
    ),
    (
        "a question as a heading",
        text("Email,What is your name?", *filled("{mail},{full}")),
        "no column is a name, so each form asks for it",
    ),
    (
        "a column that may be the group",
        text("Name;E-Mail;Übungsgruppe", *filled("{full};{mail};{g}")),
        "not used, but given back with the marks: `Übungsgruppe`",
    ),
    (
        "a last name under a heading that we do not know",
        text("Vorname;Zweitname;E-Mail", *filled("{first};{last};{mail}")),
        "no column is the last name",
    ),
)
"""Lists that nobody can be sure of, and what is told before anything is sent."""
