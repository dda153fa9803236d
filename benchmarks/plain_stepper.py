"""The peer: a stepper as one would put it together from the widgets that ipywidgets comes with.

The kernel draws every event anew and sends it to the page. What it shows of an event is what the
Stepper's main parts show: what happened in words, the transcript around the step, the request and
the reply as JSON, the tokens. Long JSON is cut where the Stepper cuts it, so that both have as much
to draw.
"""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

import ipywidgets as widgets

from agentlab import Run
from agentlab.events import Event, Failed, Message, Replied, ToolReturned
from agentlab.views.words import said

LONGEST_JSON = 20_000
LONGEST_TEXT = 4_000


class PlainStepper(widgets.VBox):
    """A run, one event at a time, drawn by the kernel.

    Args:
        run: a run with at least one event.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        last = len(run.events) - 1
        self.slider = widgets.IntSlider(0, 0, last, description="event", readout=False)
        listed = [f"{number} {event.kind}" for number, event in enumerate(run.events, 1)]
        self.list = widgets.Select(options=listed, index=0, rows=20)
        self.status = widgets.Label()
        self.status.add_class("plain-status")
        self.tokens = widgets.Label()
        self.transcript, self.request, self.reply = (widgets.HTML() for _ in range(3))
        tabs = widgets.Tab(
            [self.transcript, self.request, self.reply], titles=["transcript", "request", "reply"]
        )
        moves = [("First", 0, 0), ("Back", 1, -1), ("Next", 1, 1), ("Last", 0, last)]
        buttons = [self._button(*move) for move in moves]
        self.slider.observe(self._moved, "value")
        widgets.link((self.slider, "value"), (self.list, "index"))
        self._draw()
        super().__init__(
            [
                widgets.HBox([*buttons, self.slider]),
                self.status,
                widgets.HBox([self.list, tabs]),
                self.tokens,
            ]
        )
        self.add_class("plain-stepper")

    @property
    def position(self) -> int:
        """Index of the event in view."""
        return int(self.slider.value)

    @position.setter
    def position(self, position: int) -> None:
        self.slider.value = position

    def _button(self, name: str, weight: int, offset: int) -> widgets.Button:
        """A button that moves to `offset`, or by it where the present position has a weight."""
        button = widgets.Button(description=name)

        def move(_: widgets.Button) -> None:
            self.position = weight * self.position + offset

        button.on_click(move)
        return button

    def _moved(self, _: Mapping[str, Any]) -> None:
        self._draw()

    def _draw(self) -> None:
        event = self.run.events[self.position]
        asking = self._asking()
        self.transcript.value = transcript_as_html(self.run, self.position)
        self.request.value = json_as_html(asking.request if asking else None)
        self.reply.value = json_as_html(answer_in(asking))
        self.tokens.value = tokens_in_words(self.run, self.position)
        # Last, because the page does what it is sent in turn: what it says, it also shows.
        count = len(self.run.events)
        self.status.value = f"Event {self.position + 1} of {count}: {said(event)}"

    def _asking(self) -> Replied | Failed | None:
        return last_request(self.run, self.position)


def last_request(run: Run, position: int) -> Replied | Failed | None:
    """The request to which the event at `position` belongs."""
    seen = reversed(run.events[: position + 1])
    return next((event for event in seen if isinstance(event, (Replied, Failed))), None)


def answer_in(event: Replied | Failed | None) -> Mapping[str, Any] | None:
    """What the API answered."""
    match event:
        case Replied():
            return event.reply
        case Failed():
            return event.error
        case None:
            return None


def transcript_as_html(run: Run, position: int) -> str:
    """The transcript around a step: earlier messages are counted, those of the step are shown."""
    asking = last_request(run, position)
    sent = asking.request["messages"] if asking else run.messages[:1]
    earlier = len(sent) - 1
    shown = [*sent[-1:], *messages_of_the_step(run.events[: position + 1])]
    numbered = enumerate(shown, earlier)
    return f"<p>{earlier} earlier messages</p>" + "".join(
        message_as_html(number, message) for number, message in numbered
    )


def messages_of_the_step(events: list[Event]) -> Iterator[Message]:
    """What the last step of `events` has added to the transcript."""
    replied = next(
        (at for at in reversed(range(len(events))) if isinstance(events[at], Replied)), None
    )
    if replied is None:
        return
    reply = events[replied]
    if isinstance(reply, Replied):
        yield {"role": "assistant", "content": reply.reply["content"]}
    returned = [event for event in events[replied:] if isinstance(event, ToolReturned)]
    if returned:
        yield {"role": "user", "content": [event.outcome.to_param() for event in returned]}


def message_as_html(number: int, message: Message) -> str:
    """A message: who says it, and its blocks."""
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    inside = "".join(block_as_html(block) for block in blocks)
    return f"<h4>message {number} {escape(str(message['role']))}</h4>{inside}"


def block_as_html(block: Mapping[str, Any]) -> str:
    """A block: a call with its input, a result with its text, or text."""
    match block["type"]:
        case "text":
            text = escape(str(block["text"])[:LONGEST_TEXT])
            return f"<p>{text}</p>"
        case "tool_use":
            given = escape(json.dumps(block["input"]))
            return f"<p>tool_use <b>{escape(block['name'])}</b></p><pre>{given}</pre>"
        case "tool_result":
            text = escape(str(block["content"])[:LONGEST_TEXT])
            return f"<p>tool_result for {escape(block['tool_use_id'])}</p><p>{text}</p>"
        case _:
            return json_as_html(block)


def json_as_html(value: object) -> str:
    """A value as indented JSON, cut where it is long."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=repr)
    cut = len(text) - LONGEST_JSON
    note = f"<p>{cut:,} more characters</p>" if cut > 0 else ""
    return f"<pre>{escape(text[:LONGEST_JSON])}</pre>{note}"


def tokens_in_words(run: Run, position: int) -> str:
    """The tokens of the step, and of the run up to it."""
    usages = [
        event.reply["usage"] for event in run.events[: position + 1] if isinstance(event, Replied)
    ]
    step = usages[-1] if usages else {"input_tokens": 0, "output_tokens": 0}
    given, made = (sum(each[name] for each in usages) for name in ("input_tokens", "output_tokens"))
    return (
        f"this step: {step['input_tokens']:,} tokens in, {step['output_tokens']:,} out; "
        f"so far: {given:,} in, {made:,} out"
    )
