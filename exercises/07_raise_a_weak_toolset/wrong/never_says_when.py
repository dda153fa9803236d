"""Says what each tool does, and not when to call it.

fails: wording: no sentence says when to call it
"""

TOOLS = [
    {
        "name": "count_free_bikes",
        "description": "Tell how many bikes are free at a station at this moment. It does not "
        "know when a station is open.",
    },
    {
        "name": "get_opening_hours",
        "description": "Tell when a station opens and closes. It does not count bikes.",
    },
    {
        "name": "report_broken_bike",
        "description": "Report that something on a bike is broken or damaged, so that it is "
        "repaired. It does not end the hire. Brakes, tyres, chain, lights and "
        "gears are parts of a bike.",
    },
    {
        "name": "extend_hire",
        "description": "Make a hire longer by some days. It does not tell what that costs.",
    },
    {
        "name": "calculate_hire_price",
        "description": "Work out what it costs to hire a bike of some type for some days. It "
        "does not book a bike.",
    },
    {
        "name": "finish_hire",
        "description": "Finish a hire whose bike has been brought back. It does not report damage.",
    },
]
