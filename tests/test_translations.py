"""Translated lessons follow the English ones, and say where they are behind."""

import re
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

import translations
from notebooks import FOLDER, as_text, read

TEXTS = {"title": "# A title", "run-it": "6 * 7", "what-it-says": "It says 42."}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one English lesson, whose translation has been begun."""
    write(tmp_path / "lesson.ipynb", english())
    translations.start(tmp_path, "de", "lesson")
    return tmp_path


def english() -> NotebookNode:
    notebook = nbformat.v4.new_notebook()
    new = nbformat.v4
    code = new.new_code_cell(TEXTS["run-it"], id="run-it", execution_count=1)
    code.outputs = [new.new_output("execute_result", {"text/plain": "42"}, execution_count=1)]
    notebook.cells = [
        new.new_markdown_cell(TEXTS["title"], id="title"),
        code,
        new.new_markdown_cell(TEXTS["what-it-says"], id="what-it-says"),
    ]
    return notebook


def write(path: Path, notebook: NotebookNode) -> None:
    path.write_text(as_text(notebook), encoding="utf-8")


def change(path: Path, cell_id: str, text: str, **metadata: object) -> None:
    notebook = read(path)
    cell = next(each for each in notebook.cells if each.id == cell_id)
    cell.source = text
    cell.metadata.update(metadata)
    write(path, notebook)


def renew(folder: Path) -> dict[str, tuple[str, list[str]]]:
    """Renew the translation; each cell's text and tags then."""
    for path, text in translations.renewed(folder):
        path.write_text(text, encoding="utf-8")
    notebook = read(folder / "de" / "lesson.ipynb")
    return {cell.id: (cell.source, cell.metadata.get("tags", [])) for cell in notebook.cells}


def translate(folder: Path) -> None:
    change(folder / "de" / "lesson.ipynb", "title", "# Ein Titel")
    change(folder / "de" / "lesson.ipynb", "what-it-says", "Es sagt 42.")
    renew(folder)


def test_a_new_translation_is_english_and_waits(folder: Path) -> None:
    assert renew(folder) == {
        "title": ("# A title", ["untranslated"]),
        "run-it": ("6 * 7", []),
        "what-it-says": ("It says 42.", ["untranslated"]),
    }


def test_a_cell_that_was_translated_waits_no_longer(folder: Path) -> None:
    change(folder / "de" / "lesson.ipynb", "title", "# Ein Titel")
    assert renew(folder)["title"] == ("# Ein Titel", [])
    assert renew(folder)["what-it-says"] == ("It says 42.", ["untranslated"])


def test_a_translation_goes_stale_when_its_source_changes(folder: Path) -> None:
    translate(folder)
    change(folder / "lesson.ipynb", "title", "# Another title")
    assert renew(folder)["title"] == ("# Ein Titel", ["stale"])
    assert renew(folder)["title"] == ("# Ein Titel", ["stale"]), "and stays so"
    assert renew(folder)["what-it-says"] == ("Es sagt 42.", [])


def test_a_stale_cell_that_was_worked_on_is_fresh(folder: Path) -> None:
    translate(folder)
    change(folder / "lesson.ipynb", "title", "# Another title")
    renew(folder)
    change(folder / "de" / "lesson.ipynb", "title", "# Ein anderer Titel")
    assert renew(folder)["title"] == ("# Ein anderer Titel", [])


def test_work_on_an_english_text_that_has_changed_again_is_stale_at_once(folder: Path) -> None:
    translate(folder)
    change(folder / "lesson.ipynb", "title", "# Another title")
    renew(folder)
    change(folder / "de" / "lesson.ipynb", "title", "# Ein anderer Titel")
    change(folder / "lesson.ipynb", "title", "# A third title")
    assert renew(folder)["title"] == ("# Ein anderer Titel", ["stale"])


def test_a_text_that_is_right_as_it_is_is_released_by_taking_off_the_tag(folder: Path) -> None:
    translate(folder)
    change(folder / "lesson.ipynb", "title", "# A title!")
    renew(folder)
    change(folder / "de" / "lesson.ipynb", "title", "# Ein Titel", tags=[])
    assert renew(folder)["title"] == ("# Ein Titel", [])


def test_a_source_that_is_as_it_was_makes_the_translation_fresh_again(folder: Path) -> None:
    translate(folder)
    change(folder / "lesson.ipynb", "title", "# Another title")
    renew(folder)
    change(folder / "lesson.ipynb", "title", "# A title")
    assert renew(folder)["title"] == ("# Ein Titel", [])


def test_code_and_its_outputs_are_those_of_the_english_lesson(folder: Path) -> None:
    translate(folder)
    change(folder / "de" / "lesson.ipynb", "run-it", "6 * 8")
    change(folder / "lesson.ipynb", "run-it", "7 * 6")
    assert renew(folder)["run-it"] == ("7 * 6", [])


def test_cells_come_and_go_with_the_english_lesson(folder: Path) -> None:
    translate(folder)
    notebook = read(folder / "lesson.ipynb")
    notebook.cells = [nbformat.v4.new_markdown_cell("New.", id="new"), *notebook.cells[1:]]
    write(folder / "lesson.ipynb", notebook)
    cells = renew(folder)
    assert cells["new"] == ("New.", ["untranslated"])
    assert list(cells) == ["new", "run-it", "what-it-says"]


def test_a_lesson_that_is_not_there_cannot_be_translated(folder: Path) -> None:
    with pytest.raises(SystemExit, match=r"There is no lesson 'leson'\. There are: lesson\."):
        translations.start(folder, "de", "leson")
    with pytest.raises(SystemExit, match=r"exists\. Renew it"):
        translations.start(folder, "de", "lesson")


def test_the_translations_of_this_project_are_renewed() -> None:
    for path, text in translations.renewed(FOLDER):
        assert path.read_text(encoding="utf-8") == text, f"renew {path}"


LINK = re.compile(r"\]\(([^)\s#]+)")


def test_the_links_of_a_translation_lead_somewhere() -> None:
    """It stands one folder further down than the lesson that it translates."""
    for path in translations.translations(FOLDER):
        prose = [cell.source for cell in read(path).cells if cell.cell_type == "markdown"]
        links = [link for text in prose for link in LINK.findall(text)]
        for link in (link for link in links if "://" not in link):
            assert (path.parent / link).resolve().exists(), (path, link)
