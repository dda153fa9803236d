"""Gives the tools good names and leaves their texts.

fails: better: 13 of 26 questions found their tool, and 60% have to
fails: bar: and 80% have to
fails: every_tool: was found for
fails: wording: too short or too general
fails: unseen: questions that you have not seen
fails: unseen_each: was found for
"""

TOOLS = [
    {
        "name": "count_free_bikes",
        "description": "looks something up",
    },
    {
        "name": "get_opening_hours",
        "description": "returns info",
    },
    {
        "name": "report_broken_bike",
        "description": "updates the record",
    },
    {
        "name": "extend_hire",
        "description": "processes a request",
    },
    {
        "name": "calculate_hire_price",
        "description": "does a calculation",
    },
    {
        "name": "finish_hire",
        "description": "handles values",
    },
]
