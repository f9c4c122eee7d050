"""What the documentation refers to exists."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, text_of
from threadwise.engines.registry import ENGINES

LINK = re.compile(r"(?<!`)\[[^\]]+\]\(([^)#\s]+)(#[^)\s]*)?\)")
PATH = re.compile(r"`((?:threadwise|tests|docs|examples|benchmarks)/[\w./-]*)`")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    here = (ROOT / page).parent
    for target, _ in LINK.findall(text_of(page)):
        if not target.startswith(("http:", "https:")):
            assert (here / target).exists(), target


@pytest.mark.parametrize("page", PAGES)
def test_named_files_exist(page: str) -> None:
    for path in PATH.findall(text_of(page)):
        assert (ROOT / path).exists(), path


def test_every_page_is_in_the_index() -> None:
    index = text_of("docs/README.md")
    folders = {"docs/adr": "adr/README.md"}
    for page in PAGES:
        if page.startswith("docs/") and page != "docs/README.md":
            shown = folders.get(str(Path(page).parent), page.removeprefix("docs/"))
            assert f"({shown})" in index, page


def test_every_decision_is_in_its_index() -> None:
    index = text_of("docs/adr/README.md")
    for page in PAGES:
        name = Path(page).name
        if page.startswith("docs/adr/") and name != "README.md":
            assert f"({name})" in index, page


def test_the_tree_of_the_architecture_page_is_complete() -> None:
    text = text_of("ARCHITECTURE.md")
    for folder in (ROOT / "threadwise").rglob("__init__.py"):
        name = folder.parent.name
        assert f"{name}/" in text, name


def test_every_engine_is_in_the_readme_and_the_glossary() -> None:
    for name in ENGINES:
        assert f"`{name}`" in text_of("README.md")
        assert f"`{name}`" in text_of("docs/theory/glossary.md")


def test_the_code_cites_nothing_outside_the_project() -> None:
    outside = re.compile(r"\b(DESIGN|ALGORITHMS|STYLE)(\.md| §)")
    for path in (ROOT / "threadwise").rglob("*.py"):
        assert not outside.search(path.read_text(encoding="utf-8")), path


def test_pages_named_in_the_code_exist() -> None:
    for path in (ROOT / "threadwise").rglob("*.py"):
        for page in re.findall(r"docs/[\w/-]+\.md", path.read_text(encoding="utf-8")):
            assert (ROOT / page).exists(), f"{page} in {path}"
