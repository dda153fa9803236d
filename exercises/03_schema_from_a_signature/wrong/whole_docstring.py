"""Makes the whole docstring the tool's description.

fails: descriptions: belongs to them
fails: together: belongs to them
"""

import inspect
import types
import typing

JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def definition(function):
    signature = inspect.signature(function)
    purpose, texts = read_docstring(inspect.getdoc(function))
    properties, required = {}, []
    for name, parameter in signature.parameters.items():
        properties[name] = {**schema_of(parameter.annotation), "description": texts.get(name, "")}
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
    return {
        "name": function.__name__,
        "description": purpose,
        "input_schema": {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        },
    }


def schema_of(annotation):
    origin, inside = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return {"enum": list(inside)}
    if origin is list:
        return {"type": "array", "items": schema_of(inside[0])}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [schema_of(each) for each in inside]}
    return {"type": JSON_TYPES[annotation]}


def read_docstring(docstring):
    purpose, _, arguments = docstring.partition("Args:")
    texts = {}
    for line in arguments.splitlines():
        name, colon, text = line.partition(":")
        if colon:
            texts[name.strip()] = text.strip()
    return docstring, texts
