"""Sending many requests that do not depend on each other: one by one, or as a batch."""

import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from agentlab.errors import BatchFailed, SpendingCapReached
from agentlab.language import gettext, ngettext
from agentlab.models import estimate_cost
from agentlab.spending import SESSION, dollars, most_it_could_cost

if TYPE_CHECKING:
    from anthropic import Anthropic
    from anthropic.types import Message

Body = dict[str, Any]
Item = TypeVar("Item")

BATCH_PRICE = 0.5
"""A batch costs half of what its requests would cost one by one (pricing page, August 2026)."""
LARGEST_BATCH = 100_000
"""Requests."""
PATIENCE = 2.0
"""Seconds of work before a progress bar appears."""
POLLING = 20.0
"""Seconds between two looks at a batch that is being worked off."""


def ask_each(
    client: "Anthropic", bodies: Sequence[Body], progress: bool | None
) -> Iterator["Message"]:
    """The reply to each request, sent one after the other.

    Raises:
        SpendingCapReached: before the first is sent, if all together could pass the cap.
    """
    if is_live(client):
        require_room_for(sum(map(most_it_could_cost, bodies)), len(bodies))
    for body in with_progress(bodies, gettext("Asking"), progress):
        yield client.messages.create(**body)


def ask_in_batch(
    client: "Anthropic", bodies: Sequence[Body], progress: bool | None
) -> list["Message"]:
    """The reply to each request, sent as one message batch, which may take a while.

    Raises:
        SpendingCapReached: before it is sent, if the batch could pass the cap.
        BatchFailed: if a request was refused, cancelled or not reached in time.
    """
    if len(bodies) > LARGEST_BATCH:
        raise BatchFailed(
            "A batch holds {most:,} requests, and these are {count:,}. Measure "
            "fewer questions, or fewer samples.",
            most=LARGEST_BATCH,
            count=len(bodies),
        )
    live = is_live(client)
    most = BATCH_PRICE * sum(map(most_it_could_cost, bodies))
    if live:
        require_room_for(most, len(bodies))
        print(
            ngettext(
                "A batch of {count} request, which can cost {most} at most.",
                "A batch of {count} requests, which can cost {most} at most.",
                len(bodies),
                most=dollars(most),
            )
        )
    ids = [f"request_{number}" for number in range(len(bodies))]
    requests: Any = [
        {"custom_id": each, "params": body} for each, body in zip(ids, bodies, strict=True)
    ]
    batch = client.messages.batches.create(requests=requests)
    if live:
        print(gettext("It is {id}, and is worked off even if you do not wait for it.", id=batch.id))
        SESSION.spent += most  # counted at once, for the same reason
    waiting = with_progress(_until_ended(client, batch), gettext("Waiting for the batch"), progress)
    for _ in waiting:
        time.sleep(POLLING)
    replies, faults = _results(client, batch.id)
    if live:
        SESSION.spent += sum(map(batch_cost, replies.values())) - most
    if unanswered := [each for each in ids if each not in replies]:
        fault = faults.get(unanswered[0]) or gettext("no result")
        raise BatchFailed(
            "{count} of {total} requests of batch {id!r} have no answer; the first: "
            "{fault!r}. Correct what it names and measure again.",
            count=len(unanswered),
            total=len(bodies),
            id=batch.id,
            fault=fault,
        )
    return [replies[each] for each in ids]


def batch_cost(reply: "Message") -> float:
    """What a reply out of a batch cost in dollars at list prices."""
    return BATCH_PRICE * (estimate_cost(reply.model, reply.usage.to_dict()) or 0.0)


def is_live(client: "Anthropic") -> bool:
    """Whether requests leave this process; practice and replay have hosts that cannot exist."""
    return not client.base_url.host.endswith(".invalid")


def require_room_for(most: float, requests: int) -> None:
    """Refuse what could pass the session's spending cap.

    Args:
        most: highest possible cost in dollars.
        requests: how many requests it is for.

    Raises:
        SpendingCapReached: before anything is sent.
    """
    if SESSION.spent + most > SESSION.cap:
        raise SpendingCapReached(
            "These {requests} requests could cost {most}; {spent} of the {cap} allowed in this "
            "session is spent. Nothing was sent. Measure fewer questions, or raise the cap with "
            "client(cap=...).",
            requests=requests,
            most=dollars(most),
            spent=dollars(SESSION.spent),
            cap=dollars(SESSION.cap),
        )


def with_progress(items: Iterable[Item], what: str, wanted: bool | None) -> Iterator[Item]:
    """The items, with a bar on the error stream while they are worked on.

    Args:
        items: what is worked on.
        what: the words beside the bar.
        wanted: whether to show it. `None` shows it in a terminal when it takes longer than two
            seconds, and never in a notebook, whose stored outputs stay the same every time.
    """
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield from items
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    bar = Progress(console=console, transient=console.is_terminal)
    task = bar.add_task(what, total=len(items) if isinstance(items, Sequence) else None)
    appears = time.monotonic() + (0 if wanted else PATIENCE)
    try:
        for item in items:
            if time.monotonic() >= appears:
                bar.start()
            yield item
            bar.advance(task)
    finally:
        bar.stop()


def _until_ended(client: "Anthropic", batch: Any) -> Iterator[Any]:
    """The batch as it is at each look, as long as it has not ended."""
    while batch.processing_status != "ended":
        yield batch
        batch = client.messages.batches.retrieve(batch.id)


def _results(
    client: "Anthropic", batch_id: str
) -> tuple[Mapping[str, "Message"], Mapping[str, str]]:
    """The replies by the ids of their requests, and what went wrong with the others."""
    replies, faults = {}, {}
    for each in client.messages.batches.results(batch_id):
        if each.result.type == "succeeded":
            replies[each.custom_id] = each.result.message
        elif each.result.type == "errored":
            faults[each.custom_id] = each.result.error.error.message
        else:
            faults[each.custom_id] = each.result.type
    return replies, faults
