"""A small set of questions in the shape of the shipped ones."""

import json
from pathlib import Path
from typing import Any

from agentlab.descriptions import QuestionSet

ORDER = {"type": "string", "description": "The order's number, e.g. SP-1024."}
TOWN = {"type": "string", "description": "The town, e.g. Baku."}


def schema(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def toolset(order: str, order_text: str, town: str, town_text: str) -> list[dict[str, Any]]:
    return [
        {"name": order, "description": order_text, "input_schema": schema(order_id=ORDER)},
        {"name": town, "description": town_text, "input_schema": schema(town=TOWN)},
    ]


STATUS = "Tell how far an order has come. Use it when someone gives an order number."
WEATHER = "Forecast the weather of a town: rain, wind, temperature. Use it for weather questions."


def question(text: str, *calls: tuple[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "text": text,
        "calls": [{"tool": name, "input": given} for name, given in calls],
        "language": "en",
        "held_out": False,
        **more,
    }


SMALL: dict[str, Any] = {
    "name": "small",
    "about": "Orders and the weather.",
    "toolsets": {
        "weak": [
            {"name": "data", "description": "gets data", "input_schema": schema(id=ORDER)},
            {"name": "info", "description": "gets info", "input_schema": schema(town=TOWN)},
        ],
        "named": toolset("get_order_status", "gets data", "get_weather", "gets info"),
        "described": toolset("data", STATUS, "info", WEATHER),
        "strong": toolset("get_order_status", STATUS, "get_weather", WEATHER),
    },
    "questions": [
        question("Where is order SP-1024?", ("get_order_status", {"order_id": "SP-1024"})),
        question(
            "Will it rain in Baku?",
            ("get_weather", {"town": {"any": ["Baku", "Baku, Azerbaijan"]}}),
        ),
        question("How are you?"),
        question(
            "Is order SP-1025 packed?",
            ("get_order_status", {"order_id": {"about": "1025"}}),
            held_out=True,
        ),
        question("Где заказ SP-1024?", ("get_order_status", None), language="ru"),
    ],
}


def store(folder: Path, **changes: Any) -> Path:
    """The set as a file, with parts of it exchanged."""
    path = folder / "small.json"
    path.write_text(json.dumps({**SMALL, **changes}), encoding="utf-8")
    return path


def small(folder: Path) -> QuestionSet:
    return QuestionSet.load(store(folder))
