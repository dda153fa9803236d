from typing import Annotated, Literal

from agentlab import tool

ROOMS = {"A1": {"seats": 12, "floor": 1}, "B2": {"seats": 40, "floor": 2}}


@tool(
    name="find_room",
    description="Tells on which floor a room is and how many seats it has. Use it when somebody "
    "gives a room's number. Never says whether the room is free.",
)
def room(number: Annotated[str, "The room's number: a letter and a digit, e.g. A1."]) -> dict:
    return ROOMS[number]


@tool
def split_bill(
    total: Annotated[float, "What the meal costs altogether, in euros, e.g. 84.50."],
    people: Annotated[int, "How many people share it, e.g. 4."],
    tip: Annotated[int, "Tip in percent of the total."] = 0,
) -> float:
    """Work out what each guest pays. Call it when people share a bill. Does not pay anything."""
    return round(total * (1 + tip / 100) / people, 2)


@tool(destructive=True)
def book_lunch(
    room: Annotated[str, "The room's number, e.g. B2."],
    menu: Annotated[Literal["meat", "vegan"], "Which menu is wanted."] = "vegan",
) -> str:
    """Order lunch to a room. Use it when a group wants to eat. It cannot be taken back."""
    return f"{menu} lunch is ordered to {room}"


TOOLS = [room, split_bill, book_lunch]
EXAMPLES = dict(
    find_room=dict(number="B2"),
    split_bill=dict(total=90, people=4, tip=10),
    book_lunch=dict(room="A1", menu="meat"),
)
