import inspect
from typing import get_type_hints

from docstring_parser import parse
from pydantic import ConfigDict, Field, create_model


def definition(function):
    documentation = parse(function.__doc__)
    texts = {each.arg_name: each.description for each in documentation.params}
    hints = get_type_hints(function)
    fields = {}
    for name, parameter in inspect.signature(function).parameters.items():
        needed = parameter.default is parameter.empty
        default = ... if needed else parameter.default
        fields[name] = (hints[name], Field(default, description=texts.get(name)))
    model = create_model("Input", __config__=ConfigDict(extra="forbid"), **fields)
    parts = [documentation.short_description, documentation.long_description]
    return {
        "name": function.__name__,
        "description": "\n".join(filter(None, parts)),
        "input_schema": model.model_json_schema(),
    }
