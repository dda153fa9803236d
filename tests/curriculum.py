"""What the course teaches, and the cells in which a learner does it."""

from dataclasses import dataclass

Cells = dict[str, list[str]]
"""Ids of cells, by the number of a lesson or the name of a notebook."""


@dataclass(frozen=True)
class Idea:
    """One thing that has to be taught."""

    key: str
    says: str
    cells: Cells


IDEAS = (
    Idea(
        "A1",
        "An agent is a model, tools and a loop, with one edge back from environment to model.",
        {"00": ["four-blocks", "blocks", "light-run", "edge-back"]},
    ),
    Idea(
        "A2",
        "One call is no agent: an agent chooses each next action from the last result.",
        {"01": ["one-call", "paths", "definition", "ten-tasks"]},
    ),
    Idea(
        "A3",
        "The model asks, the application runs.",
        {"00": ["raw-request", "first-reply", "ask-only", "nothing-ran", "run-ourselves"]},
    ),
    Idea(
        "A4",
        "When not to build an agent: four calls and nine seconds against one and a half.",
        {"01": ["when-not", "both-ways", "cost", "why-dearer", "first-ask"]},
    ),
    Idea(
        "A5",
        "A definition says what, when and what not, and requires what is truly required.",
        {"02": ["by-hand", "hand-written", "required", "require-all", "difference"]},
    ),
    Idea(
        "A6",
        "Definitions made from code cannot drift, and are no better than their docstring.",
        {"02": ["generate", "drift", "renamed", "one-source", "not-generated"]},
    ),
    Idea(
        "A7",
        "Definitions are input of every request: fewer, shorter, folded, on demand.",
        {
            "02": ["tokens", "shorter", "fold-far"],
            "05": ["cost", "tokens"],
            "11": ["definitions", "definitions-run", "demand"],
        },
    ),
    Idea(
        "A8",
        "The five moves from tool_use to tool_result, by hand and then as a loop.",
        {
            "03": [
                "five-moves",
                "by-hand",
                "run-by-hand",
                "result",
                "hand-back",
                "second",
                "my-loop",
            ]
        },
    ),
    Idea(
        "A9",
        "All results of one reply go back in one user message, one for each id.",
        {"03": ["ask-two", "count", "one-message", "break-it", "refused", "pairing"]},
    ),
    Idea(
        "A10",
        "An error goes back described and flagged; a swallowed one becomes a false answer.",
        {"04": ["swallow", "swallowed-run", "case", "described", "side-by-side"]},
    ),
    Idea(
        "A11",
        "Weak against strong descriptions, measured, with intervals and held-out questions.",
        {"05": ["problem", "loop", "ladder", "lab", "held-out-run", "eighteen-run"]},
    ),
    Idea(
        "A12",
        "Look-alike tools confuse.",
        {"05": ["break", "twin-turned", "twin-read"]},
    ),
    Idea(
        "A13",
        "What is destructive never runs because the model asked.",
        {"09": ["blind", "gate", "gated", "denied", "helper", "closed", "neighbours", "stepper"]},
    ),
    Idea(
        "A14",
        "An agent in five fields, its instructions text or a function of the context.",
        {
            "01": ["five-fields", "all-five", "instructions-function", "systems"],
            "10": ["value", "two-values", "told", "told-run", "once-run", "reason-run"],
        },
    ),
    Idea(
        "A15",
        "A step: get the reply, append it, look for calls, handle them, update the context.",
        {"03": ["the-helper", "step", "events", "whole-steps"], "01": ["sign-in", "per-step"]},
    ),
    Idea(
        "A16",
        "The history's length counts no turns: round trip, turn and interaction differ.",
        {"06": ["growth-loop", "growth-three", "growth-why", "three-counts", "three-words"]},
    ),
    Idea(
        "A17",
        "A handoff is a tool that returns another agent.",
        {"10": ["hand", "to-refunds", "hand-run", "sees", "real", "two-run", "ever-run"]},
    ),
    Idea(
        "A18",
        "Events from the first day: printing is for people, events for people and programs.",
        {"07": ["break-count", "yield-loop", "three", "attach", "drain"]},
    ),
    Idea(
        "A19",
        "Who thinks, who knows how, who remembers, who keeps order.",
        {"08": ["by-hand", "tools", "registry", "think", "order", "orchestrate", "places"]},
    ),
    Idea(
        "A20",
        "A strict system prompt is programming.",
        {"08": ["prompt", "rules", "rags", "weaker", "weaker-runs", "weaker-why"]},
    ),
    Idea(
        "A21",
        "Five invariants of an orchestrator, each broken and named.",
        {
            "08": [
                "invariants",
                "invariants-list",
                "broken-limit",
                "broken-log",
                "broken-crash",
                "broken-state",
                "broken-end",
            ]
        },
    ),
    Idea(
        "A22",
        "Ending well: a fallback, one reminder, an unexpected stop reason, no report.",
        {"06": ["ending-well", "report", "reminded"], "08": ["endings", "endings-why"]},
    ),
    Idea(
        "A23",
        "The research run: search, fetch, report, with its sources.",
        {"08": ["rag-run", "stepper", "rag-why", "state", "report"]},
    ),
    Idea(
        "A24",
        "What small tutorials leave out, one place for each.",
        {
            "03": ["break-cut", "repeating"],
            "04": ["any-exception", "bug-run", "mistakes", "once"],
            "06": ["cut-call", "pause-run", "refusal-run", "repeating-run"],
            "11": ["cut-run", "hand-compact", "compact", "loses-run", "table", "client-run"],
            "12": ["arguments-run", "stream-cut", "async-loop", "async-run", "limit-run"],
        },
    ),
    Idea(
        "B1",
        "Siblings of write_report left unanswered; done before looking whether it failed.",
        {"08": ["trap-siblings", "siblings", "trap-done", "done-early"]},
    ),
    Idea(
        "B2",
        "A dispatcher that catches only its own error, and one that hides the flag.",
        {"04": ["no-flag", "plain-run", "leaves-to-guess", "any-exception", "bug-run"]},
    ),
    Idea(
        "D",
        "The task handed in: three tools, a run traced by hand, a tool that fails.",
        {
            "02": ["exercise"],
            "03": ["exercise"],
            "04": ["exercise"],
            "02_design_three_tools": ["title", "task"],
            "04_trace_a_run": ["title", "task"],
            "06_a_failing_tool": ["title", "task"],
        },
    ),
    Idea("E", "The checklist at the end.", {"cheatsheet": ["checklist"]}),
)
