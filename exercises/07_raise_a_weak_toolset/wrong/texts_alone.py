"""Writes good texts under names that fit any tool.

fails: wording: the name 'lookup'
"""

TOOLS = [
    {
        "name": "lookup",
        "description": "Tell how many bikes are free at a station at this moment. Use it when "
        "somebody asks whether a bike is available, left or can be picked up at a"
        " station. It does not know when a station is open.",
    },
    {
        "name": "info",
        "description": "Tell when a station opens and closes. Use it for questions about opening"
        " times, closing times, Sundays and holidays. It does not count bikes.",
    },
    {
        "name": "update",
        "description": "Report that something on a bike is broken or damaged, so that it is "
        "repaired. Use it when a customer tells of brakes, tyres, chain, lights "
        "or gears that do not work. It does not end the hire.",
    },
    {
        "name": "process",
        "description": "Make a hire longer by some days. Use it when a customer wants to keep a "
        "bike for more days than agreed. It does not tell what that costs.",
    },
    {
        "name": "calc",
        "description": "Work out what it costs to hire a bike of some type for some days. Use it"
        " when somebody asks for the price, the cost, the fee or how much to pay."
        " It does not book a bike.",
    },
    {
        "name": "handler",
        "description": "Finish a hire whose bike has been brought back. Use it when a customer "
        "has returned the bike and wants the hire closed. It does not report "
        "damage.",
    },
]
