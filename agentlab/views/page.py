"""A run as one page that steps offline, in any browser, without a notebook."""

import json
from html import escape
from pathlib import Path

from agentlab.events import Run
from agentlab.language import language, page_catalogue
from agentlab.views.html import run_as_html
from agentlab.views.payload import payload_of

HERE = Path(__file__).parent
ELEMENTS = page_catalogue() + (HERE / "elements.js").read_text(encoding="utf-8")
SCRIPT = f"{ELEMENTS}\n{(HERE / 'stepper.js').read_text(encoding='utf-8')}"
STYLE = (HERE / "stepper.css").read_text(encoding="utf-8")
EXPORT = "export default { render };"
"""How the script ends, so that a notebook's front end finds `render`."""

PAGE = """\
<!doctype html>
<html lang="{language}">
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


def write_page(run: Run, path: str | Path) -> None:
    """Write a run as one page that steps offline, in any browser, without a notebook.

    Args:
        run: the run.
        path: where the page is written.
    """
    # Inside a script element only `<` could end it; as an escape it is the same JSON.
    payload = json.dumps(payload_of(run), ensure_ascii=False).replace("<", "\\u003c")
    page = PAGE.format(
        language=language(),
        title=escape(f"{run!r}"),
        style=STYLE,
        static=run_as_html(run),
        payload=payload,
        script=SCRIPT.replace(EXPORT, ""),
    )
    Path(path).write_text(page, encoding="utf-8")


def save_run(run: Run, path: str | Path) -> None:
    """Write a run: a page that steps where the name ends in `.html`, else JSON Lines."""
    if Path(path).suffix.lower() in (".html", ".htm"):
        write_page(run, path)
    else:
        run.save(path)
