"""Learns the known questions by their words.

fails: bar: and 80% have to
fails: every_tool: was found for 0 of its 4
fails: unseen: that you have not seen
fails: unseen_each: was found for
"""

TOOLS = [
    {
        "name": "check_left",
        "description": "Seaside, Old Town, Garden Street, Central: left, four of us, taken, this"
        " minute. Use it when that is asked. It returns a number.",
    },
    {
        "name": "check_tonight",
        "description": "Until when tonight, on Sundays, close, in the morning open. Use it when "
        "that is asked. It returns a time.",
    },
    {
        "name": "note_brakes",
        "description": "Brakes, flat tyre, chain, saddle. Use it when they are named. It returns"
        " nothing.",
    },
    {
        "name": "keep_longer",
        "description": "Two days longer, add three days, prolong by one day, not back before "
        "Friday. Use it when that is said. It returns a date.",
    },
    {
        "name": "total_cost",
        "description": "Mountain bike three days, city bike one week, tandem, five days "
        "electric. Use it when they are named. It returns a sum.",
    },
    {
        "name": "locked_done",
        "description": "Done and locked, stands again, close. Use it when that is said. It "
        "returns nothing.",
    },
]
