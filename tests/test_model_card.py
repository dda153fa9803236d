"""The practice model's card says what is measured today."""

from agentlab.descriptions.figures import CARD, as_markdown, figures_in, measure_sets
from agentlab.descriptions.sets import shipped


def test_the_cards_figures_are_those_that_are_measured() -> None:
    measured = list(measure_sets(shipped(), held_out=True))
    assert figures_in(CARD.read_text("utf-8")) == as_markdown(measured)
