"""Marking on many computers: Dask hands the same unit of work to its workers."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from agentlab.errors import ConfigurationError
from agentlab.grading.marking import Result, mark
from agentlab.grading.sandbox import Limits, Sandbox, probe

PATIENCE = 20
"""Seconds to wait for a scheduler."""


def mark_on_cluster(
    work: Sequence[tuple[str, bytes, str]], seed: str, limits: Limits, scheduler: str
) -> Iterator[tuple[str, Result]]:
    """The results as the workers send them; the work of one that dies is done by another.

    Args:
        work: key, bytes and exercise of each hand-in.
        seed: of the report.
        limits: what each case may use.
        scheduler: the address of a Dask scheduler, such as tcp://10.0.0.1:8786.

    Raises:
        ConfigurationError: where `distributed` is not installed or no scheduler answers.
    """
    try:
        from distributed import as_completed
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            "Marking on a cluster needs another package: pip install 'agentlab[cluster]'."
        ) from error
    with _connected(scheduler) as client:
        futures = {
            client.submit(mark_there, content, number, seed, limits, key=f"mark-{key}"): key
            for key, content, number in work
        }
        for future in as_completed(futures):  # type: ignore[no-untyped-call]
            key = futures[future]
            if (lost := future.exception()) is None:
                yield key, Result.from_json(future.result())
            else:  # the worker was lost again and again: no zero, and tried again next time
                number = next(number for k, _, number in work if k == key)
                yield key, Result(number, "infra_error", (), (type(lost).__name__,))


def mark_there(content: bytes, number: str, seed: str, limits: Limits) -> str:
    """Mark one hand-in on a worker, behind the wall that this worker has."""
    return mark(content, number, seed, _own_sandbox(), limits).as_json()


@cache
def _own_sandbox() -> Sandbox:
    """This worker's sandbox: one task at a time uses it, as workers have one thread each.

    Raises:
        ConfigurationError: where the worker has no wall.
    """
    tier = probe()
    if tier == "limits only":
        raise ConfigurationError("This worker has no wall around hand-ins: install bubblewrap.")
    return Sandbox(tier)


def _connected(scheduler: str) -> Any:
    from distributed import Client

    try:
        return Client(scheduler, timeout=PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            "No scheduler answers at {scheduler!r}: {error}. Start one with `dask scheduler`.",
            scheduler=scheduler,
            error=error,
        ) from error
