"""A part of a letter -> its lines: transfer encodings, charsets, HTML, and labels that are
wrong."""

import base64
import quopri

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailserver.reading.html import seen_lines
from mailserver.reading.letter import parse
from mailserver.reading.mime_parts import decode_text
from mailserver.reading.part_text import MAX_CHARACTERS, MAX_LINES, Text, unarmored

CHARSETS = [
    ("grün".encode(), "utf-8", "grün", ""),
    ("grün".encode(), "UTF8", "grün", ""),
    ("grün".encode("latin-1"), "iso-8859-1", "grün", ""),
    (
        "grün".encode("latin-1"),
        "utf-8",
        "grün",
        "the text is not valid utf-8; it was read as Latin-1",
    ),
    (
        "grün".encode(),
        "iso-8859-1",
        "grün",
        "the text is not iso-8859-1, as its letter says; it was read as UTF-8",
    ),
    ("„grün“".encode("cp1252"), "iso-8859-1", "„grün“", ""),
    (
        "„grün“".encode("cp1252"),
        "",
        "„grün“",
        "the text names no charset; it was read as Windows-1252",
    ),
    ("grün".encode(), "us-ascii", "grün", "the text is not us-ascii; it was read as UTF-8"),
    ("зелёный".encode("koi8-r"), "koi8-r", "зелёный", ""),
    ("зелёный".encode("cp1251"), "windows-1251", "зелёный", ""),
    ("зелёный".encode("cp1251"), "cp-1251", "зелёный", ""),
    ("緑色".encode("iso-2022-jp"), "iso-2022-jp", "緑色", ""),
    ("绿色".encode("gb2312"), "gb2312", "绿色", ""),
    ("grün".encode("utf-16"), "utf-8", "grün", ""),
    ("grün".encode("utf-16-le"), "utf-8", "grün", ""),
    ("grün".encode("utf-16-be"), "", "grün", ""),
    ("grün".encode("utf-8-sig"), "latin-1", "grün", ""),
    (
        b"\x81\xfc",
        "windows-1252",
        "\x81ü",
        "the text is not valid windows-1252; it was read as Latin-1",
    ),
    (
        b"abc",
        "unicode_escape",
        "abc",
        "the charset 'unicode_escape' is unknown; it was read as UTF-8",
    ),
    (b"abc", "x" * 99, "abc", f"the charset '{'x' * 40}' is unknown; it was read as UTF-8"),
]


@pytest.mark.parametrize(("data", "label", "text", "remark"), CHARSETS)
def test_text_is_decoded_with_any_label(data: bytes, label: str, text: str, remark: str) -> None:
    assert decode_text(data, label) == (text, remark)


@given(
    st.binary(),
    st.sampled_from(["utf-8", "utf-16", "utf-32", "latin-1", "big5", "iso-2022-kr", "koi8-t", ""]),
)
def test_any_bytes_are_some_text(data: bytes, label: str) -> None:
    text, remark = decode_text(data, label)
    assert text.encode().decode() == text  # no half of a surrogate pair: it can be kept and sent
    assert len(text) <= len(data)
    assert remark == "" or "; it was read as " in remark


def body(raw: bytes) -> Text:
    return parse(b"MIME-Version: 1.0\n" + raw).body


PROGRAM = b"int x = 1;\nint y = 2;\n"
LINES = ("int x = 1;", "int y = 2;")
FOOTER = (
    b"\n_______________________________________________\nour list\nhttps://lists.example/x?y=1\n"
)
ENCODED = base64.encodebytes(PROGRAM * 9)
BASE64 = b"Content-Transfer-Encoding: base64\n\n"
QP = b"Content-Transfer-Encoding: quoted-printable\n\n"
ENCODINGS = [
    (BASE64 + ENCODED, LINES * 9, ""),
    (BASE64 + ENCODED.replace(b"\n", b"\n\n"), LINES * 9, ""),
    (BASE64 + ENCODED.rstrip(b"=\n"), LINES * 9, ""),
    (
        BASE64 + ENCODED + FOOTER,
        LINES * 9,
        "3 lines that somebody had added below its base64 text were left out",
    ),
    (BASE64 + PROGRAM, LINES, "the text was not base64, though its letter said so"),
    (QP + b"int x =3D 1;\nint =\ny =3D 2;\n", LINES, ""),
    (QP + b"int x =3D 1;\r\nint = \t \r\ny =3D 2;\r\n", LINES, ""),
    (QP + b"int x =3D 1;\nint =\ry =3D 2;= ", LINES, ""),
    (QP + b"int x =3D 1;\nint y =3D 2;\n", LINES, ""),
    (QP + PROGRAM, LINES, "the text was not quoted-printable, though its letter said so"),
    (
        b"\nint x =3D 1;\nint =\ny =3D 2;\n",
        LINES,
        "the text was quoted-printable, though its letter did not say so",
    ),
    (b"\nint x =3D 1;\nint y = 2;\n", ("int x =3D 1;", "int y = 2;"), ""),
]


@pytest.mark.parametrize(("raw", "lines", "remark"), ENCODINGS)
def test_transfer_encodings_are_undone_with_any_label(
    raw: bytes, lines: tuple[str, ...], remark: str
) -> None:
    assert body(raw) == Text(lines, (remark,) if remark else ())


ALONE = "a carriage return (CR) without a line feed was read as a line end in"
SEPARATED = "a line or paragraph separator (U+2028, U+2029) was read as a line end in"
LINE_ENDS = [
    (b"a\r\n// b\rc\r\n", ("a", "// b", "c"), f"{ALONE} line 2"),
    (b"a\rb\rc\r\n", ("a", "b", "c"), f"{ALONE} lines 1 and 2"),
    (
        b"x\r" * 12 + b"x\n",
        ("x",) * 13,
        f"{ALONE} lines {', '.join(map(str, range(1, 11)))} and 2 more",
    ),
    ("a\r\n// b\u2028c\u2029d".encode(), ("a", "// b\u2028c\u2029d"), ""),
    ("a\u2028b\u2029c\r\n".encode(), ("a", "b", "c"), f"{SEPARATED} lines 1 and 2"),
]


@pytest.mark.parametrize("encoding", ["8bit", "quoted-printable", "base64"])
@pytest.mark.parametrize(("text", "lines", "remark"), LINE_ENDS)
def test_a_line_end_that_not_everybody_sees_is_told(
    text: bytes, lines: tuple[str, ...], remark: str, encoding: str
) -> None:
    encoded = {
        "8bit": text,
        "quoted-printable": quopri.encodestring(text).replace(b"\r", b"=0D"),
        "base64": base64.encodebytes(text),
    }[encoding]
    head = (
        b"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: "
        + encoding.encode()
    )
    found = body(head + b"\r\n\r\n" + encoded)
    assert (found.lines, found.repairs) == (lines, (remark,) if remark else ())


def test_a_letter_with_the_line_ends_of_an_old_macintosh_has_its_lines() -> None:
    raw = b"Subject: a\nContent-Type: text/plain; charset=utf-8\n\n" + PROGRAM
    assert parse(raw.replace(b"\n", b"\r")).body == Text(LINES)


def test_a_carriage_return_ends_a_line_of_headers_but_not_of_an_attached_file() -> None:
    raw = (
        b"Subject: a\rContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type:"
        b' application/octet-stream\rContent-Disposition: attachment; filename="a.py"\r\n\r\nx = 1'
        b" # \ry = 2\r\n--b--\r\n"
    )
    (file,) = parse(raw).files
    assert (file.name, file.data) == ("a.py", b"x = 1 # \ry = 2")
    assert parse(raw).subject == "a"


DAMAGED = [
    ENCODED[:40] + b"*" + ENCODED[41:],
    ENCODED + b"*A==\n",
    ENCODED + FOOTER + ENCODED,
    b"QUJDR\n",
    b"Q*\n",
]


@pytest.mark.parametrize("encoded", DAMAGED)
def test_base64_with_something_missing_is_never_guessed(encoded: bytes) -> None:
    assert body(BASE64 + encoded).problem.startswith("its base64 encoding is damaged")


BOUNDS = [
    (b"x" * (MAX_CHARACTERS + 1), "longer than 1,000,000 characters"),
    (b"\n" * (MAX_LINES + 1), "more than 50,000 lines"),
    (b"a\0\0b", "NUL"),
]


@pytest.mark.parametrize(("text", "words"), BOUNDS)
def test_text_beyond_our_bounds_is_a_problem(text: bytes, words: str) -> None:
    assert words in body(b"\nx" + text + b"x").problem


def test_html_beyond_our_bounds_is_a_problem() -> None:
    assert (
        "more than 50,000 lines" in body(b"Content-Type: text/html\n\n" + b"<br>" * 50_001).problem
    )


PAGES = [
    ("<pre>// a\u2028b\nc</pre>", ["// a\u2028b", "c"]),
    ("<div>a</div><div>b</div>", ["a", "b"]),
    ("<div>a</div><div><br></div><div>b</div>", ["a", "", "b"]),
    ("<div>a<br></div><div>b</div>", ["a", "b"]),
    ("a<br>b<br/>c<BR clear=none>d", ["a", "b", "c", "d"]),
    ("<p>a</p>\n<p>b</p>", ["a", "b"]),
    ("<p class=MsoNormal>a<o:p></o:p></p><p><o:p>&nbsp;</o:p></p>b", ["a", "\u00a0", "b"]),
    ("<div>if (a\n   &lt; b &amp;&amp; c &gt; d)</div>", ["if (a < b && c > d)"]),
    ("<div>&nbsp; &nbsp; x = &quot;&uuml;&#228;&#xe4;&quot;;</div>", ['\u00a0 \u00a0 x = "üää";']),
    ("<pre>\n  a\n\n  b\n</pre>", ["  a", "", "  b"]),
    ("<div style='white-space: pre-wrap'>  a\n  b</div>", ["  a", "  b"]),
    ("<span style='white-space:pre'>\t</span>x", ["\tx"]),
    ("<pre>  a<span style='white-space: normal'>  b\n c</span></pre>", ["  a b c"]),
    (
        (
            "<head><title>t</title><style>p { x }</style></head><body>a<script>if (1<2)"
            " b</script></body>"
        ),
        ["a"],
    ),
    ("a<!-- b <div> --> c<!--[if mso]><b>d</b><![endif]-->", ["a c"]),
    ("a<!-- never closed <div>b</div>", ["a"]),
    ("<div style='display:none'>hidden<p>too</p></div>a", ["a"]),
    ("a < b << c <<d>> e <1", ["a < b << c <<d>> e <1"]),
    (
        "On Monday:<blockquote type=cite><div>a</div><div>b</div></blockquote>c",
        ["On Monday:", "> a", "> b", "c"],
    ),
    ("<blockquote style='margin: 0 0 0 40px'>a</blockquote>", ["a"]),
    ("<div>-- <br>Joe</div>", ["-- ", "Joe"]),
    ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", ["a\tb", "c"]),
    ("</div></b>a</span><i>b", ["ab"]),
    ("a&#13;b<pre>c&#13;d&#0;</pre>", ["a b", "c", "d\ufffd"]),
    ("", []),
]


@pytest.mark.parametrize(("page", "lines"), PAGES)
def test_a_page_is_read_as_a_browser_shows_it(page: str, lines: list[str]) -> None:
    assert list(seen_lines(page)) == lines


TAGS = st.sampled_from(
    [
        "<div>",
        "</div>",
        "<br>",
        "<pre>",
        "</pre>",
        "<p",
        ">",
        "<!--",
        "-->",
        "&lt;",
        "&#10;",
        "<",
        "<?",
    ]
)


@given(st.lists(TAGS | st.text(max_size=5), max_size=40).map("".join))
def test_any_page_has_lines(page: str) -> None:
    for line in seen_lines(page):
        assert not set(line) & set("\n\r")


def test_plain_text_under_the_name_of_html_is_read_as_it_is() -> None:
    read = body(b"Content-Type: text/html\n\n<<FROM>> a b\nif (a < b)\n")
    assert read == Text(
        ("<<FROM>> a b", "if (a < b)"), ("the text was not HTML, though its letter said so",)
    )


BEGIN, END = "-----BEGIN PGP SIGNED MESSAGE-----", "-----BEGIN PGP SIGNATURE-----"
ARMORED = [
    ([BEGIN, "Hash: SHA256", "", "- -- ", "a", END, "xyz"], ["-- ", "a"]),
    (["Hello", BEGIN, "", "a", END], ["Hello", "a"]),
    ([END, BEGIN, "", "a"], [END, BEGIN, "", "a"]),
    ([BEGIN, "", "a"], [BEGIN, "", "a"]),
]


@pytest.mark.parametrize(("lines", "meant"), ARMORED)
def test_a_signature_around_the_text_is_left_out(lines: list[str], meant: list[str]) -> None:
    assert list(unarmored(lines)[0]) == meant
