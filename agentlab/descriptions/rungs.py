"""Measurements side by side, from the poorest descriptions to the best."""

from collections.abc import Mapping

from agentlab.descriptions.charts import Chart, Rung, ladder_chart
from agentlab.descriptions.measurement import Measurement, in_percent
from agentlab.language import gettext


def ladder(measurements: Mapping[str, Measurement]) -> Chart:
    """The share of right choices rung by rung, each with its 95% interval.

    Args:
        measurements: by the name of their rung, such as `weak` and `strong`, from first to last.

    Raises:
        ValueError: for no measurements.
        ConfigurationError: if matplotlib is not installed.
    """
    if not measurements:
        raise ValueError(
            gettext("A ladder needs a rung, and found was none. Give {name: measurement}.")
        )
    rungs = [
        Rung(
            name,
            measured.accuracy,
            measured.interval,
            gettext(
                "{right} of {total}", right=len(measured.right), total=len(measured.selections)
            ),
        )
        for name, measured in measurements.items()
    ]
    told = "; ".join(
        gettext(
            "{name}: {told} right, {share:.0%} ({interval})",
            name=rung.name,
            told=rung.told,
            share=rung.share,
            interval=in_percent(rung.interval),
        )
        for rung in rungs
    )
    caption = gettext("Right choices by rung, with 95% intervals. {told}.", told=told)
    return ladder_chart(rungs, caption)
