"""The tools in a file: those a Python file defines, or the definitions in a JSON file."""

import json
import sys
from collections.abc import Callable, Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from agentlab.descriptions.definitions import AnyTool
from agentlab.errors import ConfigurationError
from agentlab.tools import Tool

MODULE = "agentlab_linted_file"
"""The name under which a file is loaded; `__main__` it is not, so it does not start to work."""


def tools_in(path: Path) -> list[AnyTool]:
    """The tools of a file.

    Of a Python file these are its `@tool` functions and other tools, and all that a list named
    `tools` at its top level holds. The file is imported, so what it does at the top level is done.

    Args:
        path: a `.py` file, or a `.json` file with a list of definitions or {"tools": [...]}.

    Raises:
        ConfigurationError: for a file that is not there, cannot be loaded, or holds no tools.
    """
    if not path.is_file():
        raise ConfigurationError(
            "There is no file {path!r}. Give the path of a .py or .json.", path=str(path)
        )
    if path.suffix not in (".py", ".json"):
        raise ConfigurationError(
            "{name!r} ends in {suffix!r}. Tools are read from .py and .json files.",
            name=path.name,
            suffix=path.suffix,
        )
    tools = _defined_in(path) if path.suffix == ".json" else _made_in(path)
    if not tools:
        raise ConfigurationError(
            "{name!r} holds no tools. Mark functions with @tool, or put them into a list "
            "named `tools` at the top level.",
            name=path.name,
        )
    return tools


def _defined_in(path: Path) -> list[AnyTool]:
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise ConfigurationError(
            "{name!r} is not JSON: {error}.", name=path.name, error=error
        ) from error
    listed = stored.get("tools") if isinstance(stored, Mapping) else stored
    if not isinstance(listed, list) or not all(map(_is_named, listed)):
        raise ConfigurationError(
            '{name!r} holds no list of definitions. It must be [...] or {{"tools": '
            "[...]}}, each with name, description and input_schema.",
            name=path.name,
        )
    return list(listed)


def _is_named(definition: Any) -> bool:
    return isinstance(definition, Mapping) and isinstance(definition.get("name"), str)


def _made_in(path: Path) -> list[AnyTool]:
    values = _top_level_of(path)
    listed = values.get("tools", ())
    found: list[Any] = [value for value in values.values() if isinstance(value, Tool)]
    if isinstance(listed, (list, tuple)):
        found += [each for each in listed if isinstance(each, Mapping) or callable(each)]
    distinct: dict[int, AnyTool] = {_identity(each): each for each in found}
    return list(distinct.values())


def _identity(each: Tool | Callable[..., Any] | Mapping[str, Any]) -> int:
    return id(each.function if isinstance(each, Tool) else each)


def _top_level_of(path: Path) -> dict[str, Any]:
    """What the file defines, once it is imported with its own folder to import from."""
    spec = spec_from_file_location(MODULE, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    sys.modules[MODULE] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise ConfigurationError(
            "{name!r} cannot be imported: {kind}: {error}. Correct it, and lint it again.",
            name=path.name,
            kind=type(error).__name__,
            error=error,
        ) from error
    finally:
        sys.path.remove(folder)
        del sys.modules[MODULE]
    return vars(module)
