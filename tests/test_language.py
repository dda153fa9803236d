"""Every text that people read is in the catalogue, and comes out of it in their language."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import catalogue
from agentlab.language import PAGE
from tests.untranslated import UNTRANSLATED, WHOLE_FILES

ROOT = catalogue.ROOT
CALLS = set(catalogue.KEYWORDS)
WORDS = re.compile(r"[A-Za-z]{2,}[,;:.]? [A-Za-z{]")
"""What makes a text of a string: two words, one after the other."""
PLACE = re.compile(r"\{(\w+)[^{}]*\}")
PACKAGE = sorted(ROOT.glob("agentlab/**/*.py"))
CASES = sorted([*ROOT.glob("exercises/*/checks.py"), *ROOT.glob("exercises/*/hidden.py")])


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def name_of(call: ast.Call) -> str:
    function = call.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def loose_texts(tree: ast.AST) -> Iterator[str]:
    """The texts of some code that no catalogue has, docstrings left out."""
    settled: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            settled.add(node.value)  # a docstring
        elif isinstance(node, ast.JoinedStr):
            settled |= {part for part in ast.walk(node) if part is not node}
        elif isinstance(node, ast.Call) and name_of(node) in CALLS:
            settled |= {each for each in node.args if isinstance(each, ast.Constant)}
    for node in ast.walk(tree):
        if node in settled:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        elif isinstance(node, ast.JoinedStr):
            parts = (p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
            text = "".join(map(str, parts))
        else:
            continue
        if WORDS.search(text):
            yield text


def test_no_text_is_uncollected() -> None:
    for path in PACKAGE:
        place = path.relative_to(ROOT).as_posix()
        if place.startswith(WHOLE_FILES):
            continue
        known = tuple(UNTRANSLATED.get(place, ()))
        loose = [text for text in loose_texts(parsed(path)) if not text.startswith(known)]
        assert not loose, f"{place}: put these into gettext, or into tests/untranslated.py: {loose}"


def test_what_is_listed_as_untranslated_is_there() -> None:
    for place, beginnings in UNTRANSLATED.items():
        texts = loose_texts_of_page(ROOT / place) if place.endswith(".js") else None
        texts = list(texts or loose_texts(parsed(ROOT / place)))
        for beginning in beginnings:
            assert any(text.startswith(beginning) for text in texts), (place, beginning)


def test_no_sentence_of_an_exercise_is_uncollected() -> None:
    """What a case says and what a check returns; the worlds they play in are data."""
    for path in CASES:
        for node in ast.walk(parsed(path)):
            says = isinstance(node, ast.Call) and name_of(node) in ("Case", "Exercise")
            if isinstance(node, ast.FunctionDef) and "Evidence" in ast.unparse(node.args):
                told = [each for each in ast.walk(node) if isinstance(each, ast.Return)]
            else:
                told = [node] if says else []
            loose = [text for each in told for text in loose_texts(each)]
            assert not loose, f"{path}: {loose}"


def test_a_text_is_written_out_where_it_is_looked_up() -> None:
    """An f-string would be filled in before anybody looks it up."""
    for path in [*PACKAGE, *CASES]:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and name_of(node) in CALLS and node.args:
                texts = node.args[: 2 if name_of(node) == "ngettext" else 1]
                bad = [t for t in texts if isinstance(t, (ast.JoinedStr, ast.BinOp))]
                assert not bad, f"{path}:{node.lineno}"


def test_every_text_that_is_looked_up_is_collected() -> None:
    """Babel passes over some that stand inside of other calls or of f-strings."""
    collected = {
        catalogue.first_of(each) for name in catalogue.SOURCES for each in catalogue.collected(name)
    }
    for path in [*PACKAGE, *CASES]:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and name_of(node) in CALLS and node.args:
                text = node.args[0]
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    assert text.value in collected, f"{path}:{node.lineno}: {text.value}"


STRING = re.compile(r"""(["'])((?:\\.|(?!\1)[^\\\n])*)\1|`((?:\\.|[^`\\])*)`""")
COMMENT = re.compile(r"^[ \t]*//.*$|/\*[\s\S]*?\*/| // .*$", re.MULTILINE)
LOOKED_UP = re.compile(r"\bn?gettext\(\s*$")
PLACE_OF_PAGE = re.compile(r"\$\{[^}]*\}")
SECOND = re.compile(r"\bngettext\(\s*\"(?:\\.|[^\"\\])*\",\s*$")


SCRIPTS = [path for path in sorted(ROOT.glob("agentlab/**/*.js")) if path.name != PAGE]


def loose_texts_of_page(path: Path) -> Iterator[str]:
    """The texts of a script that no catalogue has."""
    script = COMMENT.sub("", path.read_text("utf-8"))
    for found in STRING.finditer(script):
        text = found[2] if found[2] is not None else found[3]
        before = script[max(0, found.start() - 400) : found.start()]
        words = PLACE_OF_PAGE.sub("", text)
        is_class = all(word.startswith("agentlab-") for word in words.split())
        if (
            WORDS.search(words)
            and not is_class
            and not LOOKED_UP.search(before)
            and not SECOND.search(before)
        ):
            yield text


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_text_of_a_page_is_uncollected(path: Path) -> None:
    place = path.relative_to(ROOT).as_posix()
    known = tuple(UNTRANSLATED.get(place, ()))
    loose = [text for text in loose_texts_of_page(path) if not text.startswith(known)]
    assert not loose, f"{place}: {loose}"


def test_the_catalogues_are_up_to_date() -> None:
    for path, content in catalogue.files():
        assert path.is_file(), f"run scripts/catalogue.py: {path}"
        assert path.read_bytes() == content, f"run scripts/catalogue.py: {path}"


def translated() -> Iterator[tuple[str, str, str]]:
    """Each text of each translation, with what it is translated into."""
    for path in sorted(catalogue.LOCALE.glob("*/LC_MESSAGES/*.po")):
        for message in catalogue.translated(catalogue.translation(path)):
            one = catalogue.first_of(message)
            strings = [message.string] if isinstance(message.string, str) else message.string
            yield from ((path.parts[-3], one, each) for each in strings)


def test_a_translation_has_the_places_of_its_text() -> None:
    for language, english, text in translated():
        allowed = set(PLACE.findall(english))
        assert set(PLACE.findall(text)) <= allowed, (language, english, text)
        assert allowed - {"count"} <= set(PLACE.findall(text)), (language, english, text)


# --- in another language


def mark(text: str) -> str:
    return f"⟦{text}⟧"


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A translation of everything, in which each text stands between ⟦ and ⟧, whole."""
    folder = tmp_path_factory.mktemp("locale")
    for domain in catalogue.SOURCES:
        catalog = catalogue.collected(domain)
        catalog.locale = "sr"  # three plural forms
        for message in catalog:
            if isinstance(message.id, str):
                message.string = mark(message.id) if message.id else message.string
            else:
                message.string = tuple(f"⟦{n} {message.id[1]}⟧" for n in range(3))
        path = folder / "sr" / "LC_MESSAGES" / f"{domain}.mo"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(catalogue.compiled(catalog))
        if domain == "agentlab":
            (folder / "sr" / "page.js").write_bytes(catalogue.page(catalog))
    return folder


def said(code: str, folder: Path, language: str = "sr") -> str:
    """What a program prints for a reader of that language."""
    settings = {"AGENTLAB_LOCALE": str(folder), "AGENTLAB_LANGUAGE": language}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **settings, "PYTHONIOENCODING": "utf-8"},
    )
    return done.stdout


def test_an_exception_speaks_the_readers_language(marked: Path) -> None:
    code = """
from agentlab import Agent
from agentlab.errors import DefinitionError
try:
    Agent("a", tools=[lambda: None])
except DefinitionError as error:
    print(error)
"""
    assert said(code, marked).startswith("⟦")


def test_values_stand_in_the_places_of_the_translation(marked: Path) -> None:
    code = """
from agentlab import check_transcript
print(check_transcript([{"role": "user", "content": ""}])[0])
"""
    assert said(code, marked).strip() == (
        "⟦message 0: ⟦the message has no content⟧ [empty_content]⟧"
    )


@pytest.mark.parametrize("name", ["sr", "sr_RS", "sr-RS", "sr_RS.UTF-8"])
def test_a_language_may_be_named_as_systems_name_it(marked: Path, name: str) -> None:
    code = "from agentlab.language import gettext, page_catalogue as page; "
    code += "print(gettext('not finished'), 'not finished' in page(), len(page()) > 1000)"
    assert said(code, marked, name).split() == ["⟦not", "finished⟧", "False", "True"]


def test_english_needs_no_catalogue(tmp_path: Path) -> None:
    code = "from agentlab.language import gettext, languages; print(gettext('a'), languages())"
    assert said(code, tmp_path, "en_GB.UTF-8").strip() == "a ['en']"


def test_a_number_gets_its_plural_form(marked: Path) -> None:
    code = """
from agentlab.language import ngettext
print(*(ngettext("{count} step", "{count} steps", n) for n in (1, 2, 5, 21)), sep=",")
"""
    assert said(code, marked).strip() == "⟦0 1 steps⟧,⟦1 2 steps⟧,⟦2 5 steps⟧,⟦0 21 steps⟧"


def test_what_goes_to_a_model_stays_english(marked: Path) -> None:
    code = """
import json
from agentlab import Agent, ask, client
from agentlab.practice import say, use
def look(place: int) -> str:
    "Look at a place."
    raise ValueError("nothing there")
api = client(script=[use("look", place="x"), use("look", place=1), use("loook"), say("done")])
print("---", json.dumps(ask(Agent("a", tools=[look]), "Look.", client=api).messages))
"""
    sent = said(code, marked).partition("---")[2]
    assert "nothing there" in sent
    assert "Invalid arguments" in sent
    assert "⟦" not in sent


def test_the_checks_of_an_exercise_speak_the_readers_language(marked: Path) -> None:
    code = """
from agentlab.exercises import check
def run_agent(client, tools, question, max_steps=5):
    return "no"
print(check("05"))
"""
    lines = said(code, marked).splitlines()
    assert sum("⟦" in line for line in lines) >= 5


def test_an_unknown_language_is_told_and_english_is_used() -> None:
    code = """
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    from agentlab.language import gettext
    print(gettext("not finished"), len(told), told[0].message)
    gettext("the transcript is empty")
    print(len(told))
"""
    printed = said(code, catalogue.LOCALE, "xx")
    assert printed.startswith("not finished 1 AGENTLAB_LANGUAGE is 'xx'")
    assert "There are: en" in printed
    assert printed.endswith("1\n")
