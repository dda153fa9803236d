"""Writes the questions themselves into the texts.

fails: better: repeats a question
fails: bar: repeats a question
fails: every_tool: repeats a question
fails: wording: repeats a question
fails: unseen: repeats a question
fails: unseen_each: repeats a question
"""

TOOLS = [
    {
        "name": "count_free_bikes",
        "description": "Tell how many bikes are free at a station at this moment. Use it when "
        "somebody asks whether a bike is available, left or can be picked up at a"
        " station. It does not know when a station is open. For example: Is there"
        " still a bike left at Seaside? Are any bikes available at Garden Street?",
    },
    {
        "name": "get_opening_hours",
        "description": "Tell when a station opens and closes. Use it for questions about opening"
        " times, closing times, Sundays and holidays. It does not count bikes.",
    },
    {
        "name": "report_broken_bike",
        "description": "Report that something on a bike is broken or damaged, so that it is "
        "repaired. Use it when a customer tells of brakes, tyres, chain, lights "
        "or gears that do not work. It does not end the hire.",
    },
    {
        "name": "extend_hire",
        "description": "Make a hire longer by some days. Use it when a customer wants to keep a "
        "bike for more days than agreed. It does not tell what that costs.",
    },
    {
        "name": "calculate_hire_price",
        "description": "Work out what it costs to hire a bike of some type for some days. Use it"
        " when somebody asks for the price, the cost, the fee or how much to pay."
        " It does not book a bike.",
    },
    {
        "name": "finish_hire",
        "description": "Finish a hire whose bike has been brought back. Use it when a customer "
        "has returned the bike and wants the hire closed. It does not report "
        "damage.",
    },
]
