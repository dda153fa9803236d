"""What people read, in their language: each text is looked up in a catalogue before it is shown.

The code says everything in English. Where the environment names another language, as in
`AGENTLAB_LANGUAGE=de`, a text is replaced by its translation, if the catalogue has one. What goes
to a model or comes from the API is no text for people and stays as it is: a transcript does not
depend on who reads it.

The catalogues are GNU gettext's, in `locale/`; `scripts/catalogue.py` collects the texts.
"""

import os
import warnings
from functools import cache
from gettext import NullTranslations, translation
from pathlib import Path

ENGLISH = "en"

PAGE = "page.js"
"""The texts of the pages' scripts, in the folder of a language."""

ENGLISH_PAGE = "const CATALOGUE = {};\nconst pluralForm = (count) => Number(count !== 1);\n"


def language() -> str:
    """The language that `AGENTLAB_LANGUAGE` names, such as `de`; English, `en`, by default."""
    return _closest(os.environ.get("AGENTLAB_LANGUAGE", "").strip() or ENGLISH)


def locale_folder() -> Path:
    """The folder with the catalogues: the one that `AGENTLAB_LOCALE` names, or the package's."""
    named = os.environ.get("AGENTLAB_LOCALE")
    return Path(named) if named else Path(__file__).parent / "locale"


def languages() -> list[str]:
    """The languages there are, English first."""
    found = {path.parents[1].name for path in locale_folder().glob("*/LC_MESSAGES/*.mo")}
    return [ENGLISH, *sorted(found)]


def gettext(text: str, /, **values: object) -> str:
    """A text in the reader's language, with its values filled in.

    Args:
        text: the English text, with places such as `{name}` or `{found!r}`.
        values: what belongs into these places.
    """
    translated = _catalogue(language()).gettext(text)
    return translated.format(**values) if values else translated


def ngettext(one: str, many: str, count: int, /, **values: object) -> str:
    """A text that depends on a number, as in `ngettext("{count} step", "{count} steps", 3)`.

    Args:
        one: the English text for one.
        many: the English text for any other number.
        count: the number, which is also what belongs into `{count}`.
        values: what belongs into the other places.
    """
    translated = _catalogue(language()).ngettext(one, many, count)
    return translated.format(count=count, **values)


def page_catalogue() -> str:
    """JavaScript that the pages' scripts begin with: their texts in the reader's language."""
    path = locale_folder() / language() / PAGE
    return path.read_text("utf-8") if path.is_file() else ENGLISH_PAGE


@cache
def _closest(name: str) -> str:
    """The language that there is for a name as systems write it, such as `de_AT.UTF-8`."""
    whole = name.partition(".")[0].replace("-", "_")
    for known in (whole, whole.partition("_")[0]):
        if known in languages():
            return known
    return name


@cache
def _catalogue(name: str) -> NullTranslations:
    """The catalogue of a language; English where there is none, which is told once."""
    if name == ENGLISH:
        return NullTranslations()
    try:
        catalogue = translation("agentlab", locale_folder(), [name])
    except OSError:
        listed = ", ".join(languages())
        warnings.warn(
            f"AGENTLAB_LANGUAGE is {name!r}, and there is no such translation; English is used. "
            f"There are: {listed}.",
            stacklevel=3,
        )
        return NullTranslations()
    # What the cases kept for grading say would tell of them, so learners are not given it.
    catalogue.add_fallback(translation("hidden", locale_folder(), [name], fallback=True))
    return catalogue
