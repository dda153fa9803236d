"""The documentation is built once, as `make docs` does it, and its pages are read."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from packaging.specifiers import SpecifierSet

import setup
from agentlab import cli
from agentlab.exercises.suites import NOTEBOOK, folders
from agentlab.grading.releasing import SHORTEST_TELLTALE

PROJECT = Path(__file__).resolve().parent.parent
LESSONS = sorted((PROJECT / "notebooks").glob("*.ipynb"))
PAGES = sorted((PROJECT / "docs").rglob("*.md"))
PUBLIC = [
    "agentlab",
    "agentlab.descriptions",
    "agentlab.exercises",
    "agentlab.grading",
    "agentlab.history",
    "agentlab.practice",
    "agentlab.research",
    "agentlab.safety",
]
"""Packages that say in `__all__` what is public of them."""
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
"""Elements for which a browser fetches something, and the attribute that says from where."""


class Page(HTMLParser):
    """What a test reads of a page: its words, its links, its ids, and what it loads."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.links, self.loads, self.ids = "", list[str](), list[str](), set[str]()
        self.scripts = 0
        self._hidden = False
        self.feed(html)

    def handle_starttag(self, tag: str, found: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in found}
        self._hidden = tag in ("script", "style")
        self.scripts += tag == "script"
        self.ids.add(attributes.get("id", ""))
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        if attributes.get(LOADED.get(tag, "")) and attributes.get("rel") not in ("next", "prev"):
            self.loads.append(attributes[LOADED[tag]])

    def handle_endtag(self, tag: str) -> None:
        self._hidden = False

    def handle_data(self, data: str) -> None:
        self.text += "" if self._hidden else data

    @property
    def words(self) -> str:
        """The text without its white space: the same text is laid out in many ways."""
        return "".join(self.text.split())


@cache
def read(path: Path) -> Page:
    return Page(path.read_text("utf-8"))


def words_of(text: str) -> str:
    return "".join(text.split())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; the command of `make docs`, but for where it writes."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, *setup.COMMANDS["docs"][:-1], str(folder)]
    built = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")  # -W makes an error of the first warning
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    """Each page by its path in the site."""
    return {path.relative_to(site).as_posix(): read(path) for path in sorted(site.rglob("*.html"))}


def files_of(site: Path) -> Iterator[Path]:
    """What is published: all but Sphinx's own memory of the last build."""
    hidden = site / ".doctrees"
    return (path for path in site.rglob("*") if path.is_file() and hidden not in path.parents)


# --- what is on it


def test_every_lesson_shows_its_stored_outputs(pages: dict[str, Page]) -> None:
    shown = 0
    for lesson in LESSONS:
        page = pages[f"notebooks/{lesson.stem}.html"]
        for cell in json.loads(lesson.read_text("utf-8"))["cells"]:
            for output in cell.get("outputs", ()):
                stored = Page("".join(output.get("data", {}).get("text/html", ""))).words
                assert stored in page.words, f"{lesson.name} lacks {stored[:80]!r}"
                shown += "step1" in stored
    assert shown >= 10  # Steppers and runs


def test_every_exercise_is_there_as_learners_get_it(pages: dict[str, Page]) -> None:
    for folder in folders().values():
        page = pages[f"exercises/{folder.name}/exercise.html"]
        notebook = json.loads((folder / NOTEBOOK).read_text("utf-8"))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                assert words_of("".join(cell["source"])) in page.words


@pytest.mark.parametrize("package", PUBLIC)
def test_every_public_name_is_in_the_reference(pages: dict[str, Page], package: str) -> None:
    ids = {each for name, page in pages.items() if "docs/api/" in name for each in page.ids}
    names = import_module(package).__all__
    assert [name for name in names if f"{package}.{name}" not in ids] == []


@pytest.mark.parametrize("module", ["consumers", "branching"])
def test_a_module_without_all_is_in_the_reference_too(pages: dict[str, Page], module: str) -> None:
    defined = vars(import_module(f"agentlab.{module}"))
    names = [
        name
        for name, thing in defined.items()
        if not name.startswith("_") and getattr(thing, "__module__", "") == f"agentlab.{module}"
    ]
    assert names
    assert {f"agentlab.{module}.{name}" for name in names} <= pages["docs/api/running.html"].ids


def test_the_reference_is_readable(pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        if "docs/api/" in name:
            assert "`" not in page.text, f"{name} shows markup"
            assert "~" not in page.text, f"{name} shows the whole name of a type"
            assert not re.search(r"<(factory|function|lambda)", page.text), name


def test_every_command_tells_its_own_help(pages: dict[str, Page]) -> None:
    page = pages["docs/commands.html"]
    for command in cli.app.registered_commands:
        assert command.callback is not None
        assert f"agentlab {command.name or command.callback.__name__} " in page.text
    assert "--allow-remote" in page.text
    assert "Let other computers use it, too." in page.text


def test_the_first_page_leads_to_the_start(site: Path, pages: dict[str, Page]) -> None:
    assert pages["index.html"].links == ["docs/index.html"]
    assert 'content="0; url=docs/index.html"' in (site / "index.html").read_text("utf-8")
    assert "Two commands" in pages["docs/index.html"].text


def test_links_lead_to_pages_and_to_places_in_them(site: Path, pages: dict[str, Page]) -> None:
    broken = []
    for name, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (site / name).parent / unquote(parts.path) if parts.path else site / name
            if not target.is_file():
                broken.append(f"{name}: {link}")
            elif target.suffix == ".html":
                places = {"", *read(target.resolve()).ids}
                broken += [f"{name}: {link}"] if unquote(parts.fragment) not in places else []
    assert broken == []


# --- what is not on it


def test_no_page_holds_a_telling_line_of_a_solution(pages: dict[str, Page]) -> None:
    given = words_of("\n".join([*given_code()]))
    for folder in folders().values():
        telling = {
            line.strip()
            for path in folder.glob("sol*.py")
            for line in path.read_text("utf-8").splitlines()
            if len(line.strip()) >= SHORTEST_TELLTALE and words_of(line) not in given
        }
        assert telling, folder.name
        for name, page in pages.items():
            given_away = [line for line in telling if words_of(line) in page.words]
            assert given_away == [], f"{name} gives {folder.name} away"


def given_code() -> Iterator[str]:
    """Code that every learner has: the package, the lessons, and what exercises begin with."""
    for path in (PROJECT / "agentlab").rglob("*.py"):
        yield path.read_text("utf-8")
    for path in [*LESSONS, *(folder / NOTEBOOK for folder in folders().values())]:
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            yield "".join(cell["source"])
    yield (PROJECT / "README.md").read_text("utf-8")


def test_pages_load_nothing_from_another_computer(site: Path, pages: dict[str, Page]) -> None:
    assert any(page.loads for page in pages.values())
    for name, page in pages.items():
        outside = [each for each in page.loads if urlsplit(each).scheme not in ("", "data")]
        assert outside == [], name
        assert not [each for each in page.loads if each.startswith("//")], name
    for sheet in site.rglob("*.css"):
        text = sheet.read_text("utf-8")
        assert not re.search(r"""(@import\s+|url\(\s*)(url\()?["']?(https?:)?//""", text), sheet


def test_a_lessons_outputs_bring_no_script(pages: dict[str, Page]) -> None:
    usual = pages["docs/lessons.html"].scripts
    for lesson in LESSONS:
        assert pages[f"notebooks/{lesson.stem}.html"].scripts == usual, lesson.name


def test_no_file_names_this_computer_or_a_package_index(site: Path) -> None:
    # Built from parts, so that this file names none either.
    hosts = [".".join(parts) for parts in [("pypi", "org"), ("pythonhosted", "org")]]
    hosts += [".".join(parts) for parts in [("npmjs", "org"), ("anaconda", "org")]]
    for path in files_of(site):
        content = path.read_bytes()
        for forbidden in (*hosts, str(PROJECT), sys.prefix, str(site)):
            assert forbidden.encode() not in content, f"{path.name} names {forbidden}"


# --- commands in the pages


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_commands_in_the_pages_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    fences = re.findall(r"^```\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    code = "\n".join([*fences, *re.findall(r"`([^`\n]+)`", text)])
    makefile = (PROJECT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)", code)) <= targets
    assert set(re.findall(r"setup\.py ([a-z]+)", code)) <= set(setup.COMMANDS)
    assert set(re.findall(r"^agentlab ([a-z]+)\b", code, re.MULTILINE)) <= commands()


def commands() -> set[str]:
    found = cli.app.registered_commands
    return {each.name or each.callback.__name__ for each in found if each.callback}


# --- ways in


def test_the_devcontainer_makes_ready_what_a_clone_does() -> None:
    settings = json.loads((PROJECT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    python, script, command = settings["postCreateCommand"].split()
    assert (python, script) == ("python", "scripts/setup.py")
    assert command in setup.COMMANDS
    version = re.fullmatch(r"python:(3\.\d+)-\w+", settings["image"])
    assert version is not None
    assert version.group(1) in SpecifierSet(">=3.11,<3.15")
    assert settings["forwardPorts"] == [8888]


def test_the_image_for_binder_is_examined_while_it_is_made() -> None:
    script = PROJECT / "postBuild"
    assert os.access(script, os.X_OK)
    assert "set -euo pipefail" in script.read_text("utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", str(script)],
        cwd=PROJECT,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "practice model's files" in done.stdout


def test_no_way_in_asks_for_a_key() -> None:
    for name in (".devcontainer/devcontainer.json", "postBuild", "environment.yml"):
        text = (PROJECT / name).read_text("utf-8")
        assert not re.search(r"key|secret|token|password|AGENTLAB_LIVE", text, re.IGNORECASE), name
