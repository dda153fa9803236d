"""What is said of each broken rule: to people, and by the API.

The API's words are those with which it answers 400, collected from its documentation and from
errors quoted in public bug reports. They may drift.
"""

from dataclasses import dataclass

from agentlab.language import gettext


@dataclass(frozen=True)
class Wording:
    """How a broken rule is told; `{places}` are filled in with what was found."""

    problem: str
    """What is wrong, in a sentence."""
    api_text: str | None = None
    """The API's own words when it refuses this; `None` for what it accepts."""


FOUND_WITHOUT = (
    "messages.{asked}: `tool_use` ids were found without `tool_result` blocks immediately after: "
    "{names}. Each `tool_use` block must have a corresponding `tool_result` block in the next "
    "message."
)

WORDINGS = {
    "no_messages": Wording(
        gettext("the transcript is empty"), "messages: at least one message is required"
    ),
    "shape.message": Wording(
        gettext("a message must be a dict, found {found}"),
        "messages.{index}: a message must be a dict, found {found}",
    ),
    "shape.role": Wording(
        gettext("role must be 'user' or 'assistant', found {found!r}"),
        "messages.{index}: role must be 'user' or 'assistant', found {found!r}",
    ),
    "shape.content": Wording(
        gettext("content must be text or a list of blocks, found {found}"),
        "messages.{index}: content must be text or a list of blocks, found {found}",
    ),
    "shape.block": Wording(
        gettext("a block must be a dict with a type, found {found!r:.80}"),
        "messages.{index}: a block must be a dict with a type, found {found!r:.80}",
    ),
    "json": Wording(
        gettext("the message cannot be sent as JSON: {error}"),
        "The request body is not valid JSON: {error}",
    ),
    "first_role": Wording(
        gettext("the first message is not the user's"),
        'messages: first message must use the "user" role',
    ),
    "empty_content": Wording(
        gettext("the message has no content"),
        "messages.{index}: all messages must have non-empty content except for the optional final "
        "assistant message",
    ),
    "blank_text.empty": Wording(
        gettext("a text block is empty"), "messages: text content blocks must be non-empty"
    ),
    "blank_text.spaces": Wording(
        gettext("a text block holds only white space"),
        "messages: text content blocks must contain non-whitespace text",
    ),
    "call_id": Wording(
        gettext("a tool_use has the id {found!r}; letters, digits, _ and - are allowed"),
        "{path}.tool_use.id: String should match pattern '{pattern}'",
    ),
    "call_input": Wording(
        gettext("the input of tool_use `{call_id}` is {found!r:.60}, not a dict"),
        "{path}.tool_use.input: Input should be a valid dictionary",
    ),
    "unique_ids": Wording(
        gettext("the tool_use id `{call_id}` is used a second time"),
        "{path}: `tool_use` ids must be unique",
    ),
    "unanswered_call": Wording(
        gettext("no tool_result answers the tool_use {names} in the next message"), FOUND_WITHOUT
    ),
    "results_first": Wording(
        gettext("{kind} stands before the tool_result for {names}; results go first"),
        FOUND_WITHOUT,
    ),
    "unexpected_result": Wording(
        gettext("a tool_result answers `{call_id}`, for which nobody asked before"),
        "{path}: unexpected `tool_use_id` found in `tool_result` blocks: {call_id}. Each "
        "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ),
    "duplicate_result": Wording(
        gettext("the tool_use `{call_id}` is answered twice"),
        "{path}: each tool_use must have a single result. Found multiple `tool_result` blocks "
        "with id: {call_id}",
    ),
    "one_result_message": Wording(
        gettext(
            "the results of one reply are spread over messages {first} to {last}; put them in one, "
            "or the model learns to make one call at a time"
        )
    ),
    "empty_result": Wording(
        gettext("the tool_result for `{call_id}` is empty; say at least '(no output)'")
    ),
    "step_limit": Wording(gettext("{replies} replies were asked for, and the limit is {limit}")),
    "unlogged_call.call": Wording(gettext("the call of {name} `{call_id}` left no event")),
    "unlogged_call.result": Wording(gettext("the result of {name} `{call_id}` left no event")),
    "unflagged_error": Wording(gettext("the error of `{call_id}` is sent without is_error")),
    "append_only": Wording(gettext("a message that was sent before was changed or removed")),
    "final_tool.went_on": Wording(
        gettext("the run went on after the final tool `{name}` had succeeded")
    ),
    "final_tool.failed": Wording(gettext("the run ended with a final tool that had failed")),
    "one_ending": Wording(gettext("something happened after the run had stopped")),
}
"""By the rule's name; where one rule can be broken in several ways, each way has its own."""
