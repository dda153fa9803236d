"""Has one tool ask for every question.

fails: better: claims too much for one tool: 'every question'
fails: bar: claims too much for one tool: 'every question'
fails: every_tool: claims too much for one tool: 'every question'
fails: wording: claims too much for one tool: 'every question'
fails: unseen: claims too much for one tool: 'every question'
fails: unseen_each: claims too much for one tool: 'every question'
"""

TOOLS = [
    {
        "name": "count_free_bikes",
        "description": "Use it for every question of a customer: bikes, stations, prices, "
        "opening times, broken bikes, longer hires. It answers everything and "
        "does not fail.",
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
