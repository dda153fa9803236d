"""Definitions of random functions: the SDK's own generator and a JSON Schema validator judge."""

import keyword
from typing import Any

from anthropic import beta_tool
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agentlab import tool
from agentlab.tools import InvalidArguments

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,10}", fullmatch=True).filter(
    lambda name: not keyword.iskeyword(name) and name not in ("self", "cls", "print", "str", "int")
)
TYPES = st.sampled_from(
    ["str", "int", "float", "bool", "list[str]", "list[int]", "dict[str, int]", "str | None"]
)
DEFAULTS = {
    "str": "'x'",
    "int": "3",
    "float": "1.5",
    "bool": "True",
    "list[str]": "None",
    "list[int]": "None",
    "dict[str, int]": "None",
    "str | None": "None",
}
WORDS = st.from_regex(r"[A-Za-z][A-Za-z ,]{0,30}", fullmatch=True)


@st.composite
def functions(draw: st.DrawFn) -> Any:
    """A function with a docstring in Google's style, some parameters with defaults."""
    names = draw(st.lists(NAMES, unique=True, max_size=5))
    parameters, described = [], []
    optional = False
    for name in names:
        kind = draw(TYPES)
        optional = optional or draw(st.booleans())
        default = DEFAULTS[kind]
        annotation = f"{kind} | None" if default == "None" and "None" not in kind else kind
        parameters.append(f"{name}: {annotation} = {default}" if optional else f"{name}: {kind}")
        described.append(f"        {name}: {draw(WORDS).strip()}.")
    arguments = "\n\n    Args:\n" + "\n".join(described) if names else ""
    source = (
        f"def made({', '.join(parameters)}) -> str:\n"
        f'    """{draw(WORDS).strip()}.{arguments}\n    """\n'
        "    return ''\n"
    )
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    return namespace["made"]


@given(functions())
def test_a_definition_is_the_sdks_own_and_a_valid_schema(function: Any) -> None:
    ours, theirs = tool(function).to_param(), beta_tool(function).to_dict()
    assert ours["name"] == theirs["name"]
    assert ours["input_schema"]["properties"] == theirs["input_schema"]["properties"]
    assert ours["input_schema"].get("required") == theirs["input_schema"].get("required")
    Draft202012Validator.check_schema(ours["input_schema"])


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.floats(-5, 5).filter(lambda number: not number.is_integer()),
    st.text(max_size=3),
    st.lists(st.text(max_size=2), max_size=2),
    st.lists(st.integers(0, 3), max_size=2),
    st.dictionaries(st.text(max_size=2), st.integers(0, 3), max_size=2),
)


@given(functions(), st.data())
def test_arguments_fit_exactly_where_the_schema_says_so(function: Any, data: st.DataObject) -> None:
    made = tool(function)
    names = [*made.input_schema["properties"], "stranger"]
    given_names = data.draw(st.lists(st.sampled_from(names), unique=True))
    arguments = {name: data.draw(VALUES) for name in given_names}
    valid = Draft202012Validator(made.input_schema).is_valid(arguments)
    try:
        made.parse(arguments)
        fits = True
    except InvalidArguments as error:
        fits = False
        assert made.name in str(error)
    assert fits == valid
