"""The Stepper: a run, one event at a time, in a notebook cell or on a page of its own."""

import json
import os
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentlab.events import Run
from agentlab.recorder import Recorder
from agentlab.views.html import run_as_html
from agentlab.views.payload import payload_of
from agentlab.views.words import sentence

HERE = Path(__file__).parent
SCRIPT = (HERE / "stepper.js").read_text(encoding="utf-8")
STYLE = (HERE / "stepper.css").read_text(encoding="utf-8")
EXPORT = "export default { render };"
"""How the script ends, so that a notebook's front end finds `render`."""
WIDGET = "application/vnd.jupyter.widget-view+json"
NO_BUTTONS = (
    "This is the whole run; to step through it with buttons, install the notebook's widgets: "
    "pip install 'agentlab[lab]'"
)

PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body class="agentlab-page">
<main id="stepper"></main>
<noscript>{static}</noscript>
<script type="application/json" id="run">{payload}</script>
<script type="module">
{script}
// In place of the notebook: the run stands in this page, and the position lives in it.
const values = {{ payload: JSON.parse(document.getElementById("run").textContent), position: 0 }};
const listeners = [];
const page = {{
  get: (name) => values[name],
  set: (name, value) => {{ values[name] = value; listeners.forEach((listener) => listener()); }},
  on: (name, listener) => {{ if (name === "change:position") listeners.push(listener); }},
  off: () => {{}},
  save_changes: () => {{}},
}};
render({{ model: page, el: document.getElementById("stepper") }});
</script>
</body>
</html>
"""


class StaticStepper:
    """A run as text and as HTML without script: what a Stepper is where there are no widgets."""

    def __init__(self, run: "Run | Recorder | str | Path", *, position: int = 0) -> None:
        self.run = as_run(run)
        self.position = _inside(self.run, position)

    def __repr__(self) -> str:
        return sentence(self.run, self.position)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        page = f"{run_as_html(self.run)}<p>{escape(NO_BUTTONS)}</p>"
        return {"text/plain": f"{self!r}\n{NO_BUTTONS}", "text/html": page}


def as_run(source: "Run | Recorder | str | Path") -> Run:
    """The run of a run, of a recorder or of a saved file.

    Raises:
        RecordingError: for a file that is no saved run.
        TypeError: for anything else.
    """
    match source:
        case Run():
            return source
        case Recorder():
            return source.run
        case str() | Path():
            return Run.load(source)
    raise TypeError(
        f"Stepper takes a Run, a recorder or the path of a saved run, not {type(source).__name__}."
    )


def save_page(run: "Run | Recorder | str | Path", path: str | Path) -> None:
    """Write a run as one page that steps offline, in any browser, without a notebook.

    Args:
        run: a run, a recorder or the path of a saved run.
        path: where the page is written.
    """
    run = as_run(run)
    # Inside a script element only `<` could end it; as an escape it is the same JSON.
    payload = json.dumps(payload_of(run), ensure_ascii=False).replace("<", "\\u003c")
    page = PAGE.format(
        title=escape(f"{run!r}"),
        style=STYLE,
        static=run_as_html(run),
        payload=payload,
        script=SCRIPT.replace(EXPORT, ""),
    )
    Path(path).write_text(page, encoding="utf-8")


def _inside(run: Run, position: int) -> int:
    return max(0, min(position, len(run.events) - 1))


if TYPE_CHECKING:
    from anywidget import AnyWidget
    from traitlets import Dict, Int, validate
else:
    try:
        from anywidget import AnyWidget
        from traitlets import Dict, Int, validate
    except ModuleNotFoundError:  # a plain Python: the run as text and HTML is what there is
        AnyWidget = None

if TYPE_CHECKING or AnyWidget is not None:

    class Stepper(AnyWidget):
        """A run, one event at a time: forward, back, jump, play, in the browser alone.

        It goes on stepping while a cell runs, and when the kernel is gone.

        Args:
            run: a `Run`, a recorder, or the path of a run that `run.save` wrote.
            position: index of the event to begin with.

        Raises:
            RecordingError: for a file that is no saved run.
        """

        _esm = SCRIPT
        _css = STYLE
        payload = Dict().tag(sync=True)
        """The run, as `payload_of` writes it."""
        position = Int(0).tag(sync=True)
        """Index of the event in view; set it to move every view of this Stepper."""

        def __init__(self, run: "Run | Recorder | str | Path", *, position: int = 0) -> None:
            self.run = as_run(run)
            super().__init__(payload=payload_of(self.run), position=position)
            self.on_msg(self._answer)

        def __repr__(self) -> str:
            return sentence(self.run, self.position)

        def _repr_mimebundle_(self, **kwargs: Any) -> Any:
            fallback = {"text/plain": repr(self), "text/html": run_as_html(self.run)}
            if os.environ.get("AGENTLAB_WIDGETS") == "0":
                return fallback
            bundle: Any = super()._repr_mimebundle_(**kwargs)
            data, metadata = bundle
            return {WIDGET: data[WIDGET], **fallback}, metadata

        @validate("position")
        def _keep_inside(self, proposal: Any) -> int:
            return _inside(self.run, proposal["value"])

        def _answer(self, widget: Any, content: Any, buffers: Any) -> None:
            """Tell a page that asks that there is a kernel."""
            if isinstance(content, dict) and "ping" in content:
                self.send({"pong": content["ping"]})

else:
    Stepper = StaticStepper
