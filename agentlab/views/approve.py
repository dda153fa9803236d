"""Asking a person before something is done that cannot be undone."""

from agentlab.calls import ToolCall

YES = ("y", "yes")


def ask_human(call: ToolCall) -> bool:
    """Ask whether a destructive call may run; an approver for `ask(..., approve=ask_human)`.

    Only "y" or "yes" is a yes. Where nobody can be asked, as in a script without a terminal or a
    notebook that runs by itself, asking fails, and the loop counts that as a no.

    Args:
        call: the call, with its arguments as the tool would get them.
    """
    return input(f"Run {call!r}? [y/N] ").strip().lower() in YES
