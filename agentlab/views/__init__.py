"""Ways to look at a run."""

import sys
from typing import TYPE_CHECKING, Any

from agentlab.events import Run
from agentlab.views.approve import ask_human
from agentlab.views.compare import Comparison, compare
from agentlab.views.html import run_as_html
from agentlab.views.meter import TokenMeter, meter
from agentlab.views.predict import Prediction, predict
from agentlab.views.text import print_run, run_as_text

if TYPE_CHECKING:
    from agentlab.views.stepper import Stepper

__all__ = [
    "Comparison",
    "Prediction",
    "Stepper",
    "TokenMeter",
    "ask_human",
    "compare",
    "meter",
    "predict",
    "show",
]


def __getattr__(name: str) -> Any:
    if name == "Stepper":  # it loads the notebook's widgets, which the other views do without
        from agentlab.views.stepper import Stepper

        return Stepper
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class RunView:
    """A run as a notebook cell shows it: HTML, and plain text wherever HTML is not shown."""

    def __init__(self, run: Run, *, raw: bool = False) -> None:
        self._run = run
        self._raw = raw

    def __repr__(self) -> str:
        return run_as_text(self._run, raw=self._raw)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": run_as_html(self._run)}


def show(run: Run, *, raw: bool = False) -> None:
    """Show a run step by step: in colour in a terminal, as a foldable page in a notebook.

    Each call stands beside its result, joined by id; the raw JSON of a step is folded below it.
    Long runs and long results are cut in the view, and the view says how much it left out.

    Args:
        run: the run.
        raw: also print each request and reply as JSON; a notebook has them folded in any case.
    """
    ipython: Any = sys.modules.get("IPython")
    if (
        ipython is not None
        and (shell := ipython.get_ipython()) is not None
        and shell.has_trait("kernel")
    ):
        import IPython.display

        display: Any = IPython.display.display
        display(RunView(run, raw=raw))
    else:
        print_run(run, raw=raw)
