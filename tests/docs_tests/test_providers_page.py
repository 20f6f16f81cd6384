"""docs/providers.md has the table of the program."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from mailserver.providers import table
from mailserver.providers.table import Login, Provider

ROOT = Path(__file__).parents[2]
TABLE = "mailserver/providers/providers.toml"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    specification = importlib.util.spec_from_file_location("tool", ROOT / "tools/providers.py")
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_the_page_has_the_table_of_the_program(tool: ModuleType) -> None:
    page = tool.PAGE.read_text(encoding="utf-8")
    assert tool.with_table(page) == page, "run `python tools/providers.py`"
    assert tool.with_table(page.replace("| Gmail |", "| Kmail |")) == page


@pytest.mark.parametrize("provider", table.providers(), ids=lambda row: row.name)
def test_each_provider_is_found_and_says_what_it_wants(provider: Provider) -> None:
    assert provider.wants
    for domain in provider.domains:
        assert table.of_domain(domain) is provider
    for host in provider.mx:
        assert table.of_host(f"mx1.{host}") is provider
    imap, smtp = provider.servers("spring@club.example")
    assert imap.port in (993, 143)
    assert smtp.port in (465, 587)
    if provider.login is Login.DEVICE_CODE:
        assert "{domain}" in provider.issuer
        assert "SMTP.Send" in provider.scope


def test_no_two_providers_have_one_domain() -> None:
    domains = [{*row.domains} for row in table.providers()]
    hosts = [{*row.mx} for row in table.providers()]
    for found in (domains, hosts):
        assert sum(map(len, found)) == len(set().union(*found))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("gmial.com", "gmail.com"),
        ("gmail.con", "gmail.com"),
        ("outlok.com", "outlook.com"),
        ("web.d", "web.de"),
        ("iclod.com", "icloud.com"),
        ("club.example", ""),
        ("", ""),
    ],
)
def test_a_typo_in_a_providers_domain_is_recognised(written: str, meant: str) -> None:
    assert table.close_to(written) == meant
