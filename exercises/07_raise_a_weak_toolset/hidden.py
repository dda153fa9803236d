"""Raise a weak toolset: questions and cases that are kept for grading."""

from agentlab_exercise_07_raise_a_weak_toolset_checks import (
    BAR,
    Questions,
    finding_each,
    reaching,
    the_tools,
)

from agentlab.exercises import Case
from agentlab.language import gettext

UNSEEN: Questions = (
    (
        0,
        (
            "Have you got any bikes left at Harbour?",
            "How many bikes stand ready at University?",
            "We need two bikes at Garden Street now; are there any?",
            "Is the Seaside station empty, or can I still get a bike?",
        ),
    ),
    (
        1,
        (
            "What are the opening times at Harbour?",
            "How late can I come to the University station?",
            "Is Central open on public holidays?",
            "From what time in the morning can I come to Seaside?",
        ),
    ),
    (
        2,
        (
            "The lights on B-451 are broken.",
            "Something is wrong with the gears of B-129.",
            "B-333 makes a terrible noise; the pedal is loose.",
            "I want to report that the bell of bike B-207 is missing.",
        ),
    ),
    (
        3,
        (
            "Make my hire H-9001 one day longer, please.",
            "Could I have the bike for two more days? It is hire H-1207.",
            "Extend H-3345 by a week, 7 days.",
            "I need H-2218 for three additional days.",
        ),
    ),
    (
        4,
        (
            "What does it cost to hire a city bike for 4 days?",
            "How expensive is an electric bike for one day?",
            "What is the fee for a cargo bike, 3 days?",
            "How much money do I need for a tandem for six days?",
        ),
    ),
    (
        5,
        (
            "Please stop hire H-7002, I do not need the bike any more.",
            "The bike is back in its rack, so finish H-6613.",
            "Hire H-4127 is over; I have returned it.",
            "I have brought the bike back, end H-9920.",
        ),
    ),
    (
        None,
        (
            "Who won the football match yesterday?",
            "Tell me a joke.",
        ),
    ),
)

HIDDEN = (
    Case(
        "unseen",
        gettext("80% of questions that nobody tuned for"),
        the_tools,
        reaching(BAR, UNSEEN, are_seen=False),
        points=2,
    ),
    Case("unseen_each", gettext("no tool is left behind there"), the_tools, finding_each(UNSEEN)),
)
