"""Asking a person before something is done that cannot be undone."""

from agentlab.calls import ToolCall
from agentlab.language import gettext
from agentlab.views.parts import clean
from agentlab.views.table import on_one_line

YES = ("y", "yes")
LONGEST_CALL = 70
LONGEST_NAME = 40


def ask_human(call: ToolCall) -> bool:
    """Ask whether a destructive call may run; an approver for `ask(..., approve=ask_human)`.

    Only "y" or "yes" is a yes. The question stands in the terminal, or below the cell in a
    notebook. Where nobody can be asked, as in a script without a terminal or a notebook that runs
    by itself, asking fails, and the loop counts that as a no.

    Args:
        call: the call, with its arguments as the tool would get them.

    Raises:
        EOFError: where the input has ended, so that there is nobody to answer.
        RuntimeError: where a notebook takes no input; its kernel says so.
    """
    warning = gettext("The model asks for something that cannot be undone:")
    question = gettext("Run it? y runs it, everything else does not. [y/N]")
    return input(f"{warning}\n{_described(call)}\n{question} ").strip().lower() in YES


def _described(call: ToolCall) -> str:
    """The call on a line, or with a line for each argument where it is long.

    Values stand there as Python writes them: nothing in them can move the cursor, end a line or
    pass for a part of the question.
    """
    whole = repr(call)
    if on_one_line(whole, LONGEST_CALL) == whole:
        return f"  {whole}"
    lines = [
        f"    {on_one_line(name, LONGEST_NAME)} = {clean(repr(value))}"
        for name, value in call.input.items()
    ]
    return "\n".join([f"  {on_one_line(call.name, LONGEST_NAME)}", *lines])
