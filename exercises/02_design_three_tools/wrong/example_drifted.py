"""Renames a parameter and forgets the example.

fails: examples: does not run with its example: Invalid arguments
fails: required: requires too little
"""

STOCK = {"rose": 14, "lavender": 0, "maple": 3}


def check_stock(plant: str) -> str:
    """Tell how many pots of a plant stand in the nursery.

    Use it when a customer asks whether a plant can be had. It does not tell prices.

    Args:
        plant: The plant's common name in small letters, e.g. rose.
    """
    if plant not in STOCK:
        raise ValueError(f"There is no plant {plant!r}. Plants: {', '.join(STOCK)}.")
    return f"{STOCK[plant]} pots of {plant}"


def calculate_soil(length: float, width: float, depth: float = 0.2) -> str:
    """Work out how many litres of soil fill a raised bed.

    Use it when a customer gives the size of a bed. It does not know what soil costs.

    Args:
        length: Inner length in metres, e.g. 2.5.
        width: Inner width in metres, e.g. 1.2.
        depth: How deep the soil is to be, in metres.
    """
    return f"{length * width * depth * 1000:.0f} litres"


def find_planting_month(name: str) -> str:
    """Tell in which month a plant goes into the ground.

    Use it when somebody asks for the right time to plant. It does not look at the weather.

    Args:
        name: The plant's common name in small letters, e.g. maple.
    """
    return {"rose": "October", "lavender": "April", "maple": "November"}[name]


TOOLS = [check_stock, calculate_soil, find_planting_month]

EXAMPLES = {
    "check_stock": {"plant": "rose"},
    "calculate_soil": {"length": 2, "width": 1.2, "depth": 0.3},
    "find_planting_month": {"plant": "maple"},
}
