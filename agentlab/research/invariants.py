"""Five rules that an orchestrator keeps whatever the model does, and what finds each one broken."""

from agentlab.language import gettext
from agentlab.rules import RecordedRun, Violation, check_run

INVARIANTS = {
    gettext("the step limit holds, report or not"): ("step_limit",),
    gettext("every tool dispatch is logged"): ("unlogged_call",),
    gettext("a tool error becomes a result and never crashes the loop"): (
        "unanswered_call",
        "unflagged_error",
    ),
    gettext("the state only grows"): ("append_only",),
    gettext("a report that was written ends the run at once, and only such a one"): (
        "final_tool",
        "one_ending",
    ),
}
"""Each invariant with the rules of `check_run` that find it broken.

A loop that a tool's error crashed leaves a call in its transcript that nothing answers, so
`unanswered_call` tells of it; the results of other calls that a loop dropped show in the same way.
"""


def broken_invariants(run: RecordedRun) -> dict[str, list[Violation]]:
    """The invariants that a run breaks, each with what shows it; an empty dict means all hold.

    Args:
        run: a run with all that its loop logged. What `agentlab.record` has recorded lacks the
            results of the last reply when a tool ended the run, as nobody sent them.
    """
    violations = check_run(run)
    found = {
        name: [each for each in violations if each.rule in rules]
        for name, rules in INVARIANTS.items()
    }
    return {name: each for name, each in found.items() if each}
