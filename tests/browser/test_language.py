"""The Stepper and the description lab in a language of these tests, in which no text is English.

Its letters are those of English, as wide as Chinese characters. So whatever still stands on a page
in plain letters is a word of the API, data of the run, or a text that nobody could translate. All
words of the runs here begin with an x.
"""

import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from stepper_runs import broken_runs, refused_run

import catalogue
from agentlab import Agent, Context, Run, ask, client, compare, meter, tool
from agentlab.branching import NewInput, NewQuestion
from agentlab.descriptions import Question, ladder, lint_all
from agentlab.descriptions.lab import SCRIPT as LAB_SCRIPT
from agentlab.descriptions.lab import DescriptionLab
from agentlab.descriptions.lint import SEVERITIES
from agentlab.language import language
from agentlab.practice import both, say, use
from agentlab.views import predict
from agentlab.views.page import SCRIPT
from agentlab.views.stepper import Stepper
from agentlab.views.text import run_as_text

from .conftest import IMPORTABLE, TESTS

NEEDED = [*IMPORTABLE, TESTS.parent / "scripts"]
LANGUAGE = "xx"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
WIDE = {ord(letter): ord(letter) + 0xFEE0 for letter in LETTERS}
PLACES = re.compile(r"(\{[^{}]*\})")
WORDS = re.compile(r"[A-Za-z_]{2,}(?!\w*…)")
"""Plain words that are not cut off."""

NAMES = {"assistant", "end_turn", "id", "is_error", "max_steps", "stop_reason", "tool_result"}
NAMES |= {"tool_use", "user", "None", "NoneType", "undefined"}
"""What the API, Python and JavaScript call by the same name in every language."""
LEFT_OUT = ("large", "not JSON")
"""Broken runs that are not looked at: one takes long, and of the other Python's words are told."""
VALUES = ("position", "payload", "session", "branches", "branch", "others")
"""What a page gets of a Stepper."""


def widened(text: str) -> str:
    """The text in wide letters, with its places as they were."""
    parts = PLACES.split(text)
    return "".join(part if part.startswith("{") else part.translate(WIDE) for part in parts)


def write_translation(folder: Path) -> None:
    """Every text of today, translated into wide letters, as `scripts/catalogue.py` writes it."""
    texts = catalogue.collected("agentlab")
    for message in texts:
        is_plural = not isinstance(message.id, str)
        message.string = tuple(map(widened, message.id)) if is_plural else widened(message.id)
    home = folder / LANGUAGE
    (home / "LC_MESSAGES").mkdir(parents=True)
    (home / "LC_MESSAGES" / "agentlab.mo").write_bytes(catalogue.compiled(texts))
    (home / "page.js").write_bytes(catalogue.page(texts))


# --- what is shown, made by a process of its own, which reads its texts in that language


def xfind(xplace: str, context: Context) -> str:
    """Xlook xup."""
    context["xlast"] = xplace
    print("xprinted")
    return f"xfound xin {xplace}"


@tool(destructive=True)
def xremove(xplace: str) -> str:
    """Xremove."""
    return "xgone"


def xloop(question: str, client: Any) -> str:
    """A loop of one's own that sends two requests."""
    messages: list[Any] = [{"role": "user", "content": question}]
    reply = client.messages.create(model="claude-haiku-4-5", max_tokens=99, messages=messages)
    messages += [{"role": "assistant", "content": reply.to_dict()["content"]}]
    messages += [{"role": "user", "content": "xmore"}]
    print("xprinted")
    client.messages.create(model="claude-haiku-4-5", max_tokens=98, messages=messages[-1:])
    return "xreturned"


def xfailing(question: str, client: Any) -> str:
    """A loop with a mistake."""
    raise KeyError("xmistake")


def desk() -> Agent:
    """An agent that hands over to another one."""
    second = Agent("xsecond", "Xanswer.", [xfind])

    def xhand_over() -> Agent:
        """Xhand xover."""
        return second

    return Agent("xdesk", "Xhelp.", [xfind, xremove, xhand_over])


def api() -> Any:
    """A client whose model calls tools well and badly, says nothing once, and answers."""
    calls = [use("xfind", xplace="xhere"), use("xremove", xplace="xhere")]
    wrong = [use("xfind", xwrong=5), use("xnone")]
    return client([both(*calls), both(*wrong), say(""), use("xhand_over"), say("xanswer")])


def whole_run() -> Run:
    """What comes of it where nobody says yes."""
    return ask(desk(), "xwhere", client=api(), context=Context())


def long_run() -> Run:
    """A run with more events than a list shows, and results that are cut."""

    def xread(xpage: int) -> str:
        """Xread a xpage."""
        return "x" * 4_200

    script = [use("xread", xpage=number) for number in range(110)]
    return ask(Agent("xdesk", "", [xread]), "xwhere", client=client(script), max_steps=110)


def steppers() -> Iterator[Stepper]:
    """Steppers of every kind, as they stand after each thing that may happen to them."""
    yield Stepper(Run())
    yield Stepper(whole_run())
    yield Stepper(refused_run())
    yield from (Stepper(run) for name, run in broken_runs().items() if name not in LEFT_OUT)
    asked = Stepper(desk(), "xwhere", api())
    yield asked
    for _ in range(4):
        asked.next()
    yield asked  # a destructive call waits
    asked.deny()
    asked.fork(1, NewInput(asked.run.replies[0].reply["content"][0]["id"], {"xplace": "xthere"}))
    yield asked  # a branch that is to begin
    asked.next()
    asked.fork(1, NewQuestion("xelse"))
    yield asked
    loop = Stepper(xloop, "xwhere", client([say("xfirst"), say("xsecond")]))
    yield loop
    while not loop.is_over:
        loop.next()
        yield loop
    failing = Stepper(xfailing, "xwhere", client([]))
    failing.next()
    yield failing


def values_of(stepper: Stepper) -> dict[str, Any]:
    return {name: getattr(stepper, name) for name in VALUES}


def xchoose(xplace: str) -> str:
    """Xchoose xa xplace."""
    return xplace


def lab() -> DescriptionLab:
    """A description lab after an edit that made things worse, and held-out questions."""
    questions = [Question("xfind xhere", "xfind"), Question("xchoose xthere", "xchoose")]
    bench = DescriptionLab([xfind, xchoose], questions, held_out=questions[:1])
    bench.edit(0, description="Xsomething.")
    bench.edit(1, name="xbetter")
    bench.ask_held_out()
    return bench


WEAK: list[dict[str, Any]] = [
    {"name": "xx"},
    {"name": "xx", "description": "xx"},
    {"name": "xx yy", "description": "x " * 2_500},
    {
        "name": "xsome_xthing",
        "description": "Xdo. Use it when xthings are xdone.",
        "input_schema": {
            "type": "xnothing",
            "properties": {
                **{f"x{number}{number}": {"type": "string"} for number in range(4)},
                "xvalue": {"type": "string", "description": "One of: xone, xtwo, xthree."},
            },
            "required": ["xgone"],
        },
    },
]
"""Definitions with something wrong in each of many ways."""


def told() -> Iterator[str]:
    """What Python says of runs, in a terminal and in a notebook."""
    run, refused = whole_run(), refused_run()
    for each in (run, refused, long_run()):
        yield run_as_text(each)
        yield repr(meter(each))
    yield repr(compare({"xone": run, "xother": refused}))
    yield repr(compare([run, run, Run()]))
    yield from map(repr, steppers())
    yield repr(predict("xguess", guess=1, fact=2))
    bench = lab()
    yield repr(bench)
    measured = bench.measurement
    yield from (repr(measured), measured.chart().caption, measured.confusions.as_text())
    yield repr(measured.against(bench.history[0].measurement))
    yield ladder({"xone": measured}).caption
    findings = lint_all([*WEAK, xfind, xchoose])
    assert len({each.rule for each in findings}) > 8
    for each in findings:
        yield f"{each.tool} {SEVERITIES[each.severity]} {each.problem} {each.fix}"


def shown() -> dict[str, Any]:
    """All that these tests look at."""
    run = whole_run()
    run.to_html("run.html")
    return {
        "language": language(),
        "script": SCRIPT,
        "steppers": [values_of(each) for each in steppers()],
        "long": values_of(Stepper(long_run())),
        "lab": {"script": LAB_SCRIPT, "state": lab().state},
        "told": list(told()),
    }


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """What is shown in that language, and the folder with the page that was written."""
    folder = tmp_path_factory.mktemp("translated")
    write_translation(folder)
    chosen = {"AGENTLAB_LANGUAGE": LANGUAGE, "AGENTLAB_LOCALE": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", f"from {__name__} import *; print('\\n' + json.dumps(shown()))"],
        cwd=folder,
        env={**os.environ, **chosen, "PYTHONPATH": os.pathsep.join(map(str, NEEDED))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1]), folder


# --- which words may be plain


def data_of(payload: dict[str, Any]) -> set[str]:
    """The words of a run that are not the package's: what was said, called, named and refused."""
    told: list[Any] = [payload["messages"]]
    for event in payload["events"]:
        told += [event.get(name) for name in ("agent", "successor", "problem", "reason", "printed")]
        told += [each for each in event.get("misfits", ()) if ": " in each]  # jsonschema's words
    told += [broken["rule"] for broken in payload["broken"]]
    told += [tool["name"] for each in payload["settings"] for tool in each.get("tools", ())]
    return set(WORDS.findall(" ".join(strings_in(told))))


def strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from strings_in(each)
    elif isinstance(value, dict):
        for name, each in value.items():
            if name == "input":
                yield from each if isinstance(each, dict) else ()
            if name not in ("type", "role") or each == "hologram":
                yield from strings_in(each)


def plain_words(texts: list[str], allowed: set[str]) -> list[str]:
    """The texts in which plain words stand that are no data."""
    found = [
        f"{word} in {text[:200]!r}"
        for text in dict.fromkeys(texts)
        for word in WORDS.findall(text)
        if word not in allowed | NAMES and not word.lower().startswith("x")
    ]
    return list(dict.fromkeys(found))


# --- looking at pages

SHOW = """async ({ script, values, pong }) => {
  document.body.innerHTML = "<div id='output'></div>";
  const { default: widget } = await import(`data:text/javascript;base64,${script}`);
  const listeners = {};
  const tell = (name, ...told) => (listeners[name] ?? []).forEach((listener) => listener(...told));
  window.model = {
    get: (name) => values[name],
    set: (name, value) => { values[name] = value; tell(`change:${name}`); },
    on: (name, listener) => (listeners[name] ??= []).push(listener),
    off: () => {},
    save_changes: () => {},
    send: (content) => {
      if (!pong) throw new Error("no kernel");
      if (content.ping) tell("msg:custom", { pong: content.ping });
    },
  };
  const leave = await widget.render({ model, el: document.getElementById("output") });
  window.leave?.();
  window.leave = leave;
}"""
READ = """() => {
  const root = document.getElementById("output");
  const isData = (pre) => /^[[{]|^Traceback/.test(pre.textContent); // JSON, which may be cut
  const found = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const pre = walker.currentNode.parentElement.closest("pre");
    if (!pre || !isData(pre)) found.push(walker.currentNode.data);
  }
  for (const element of root.querySelectorAll("*"))
    for (const name of ["title", "aria-label", "aria-valuetext", "placeholder", "alt"])
      if (element.hasAttribute(name)) found.push(element.getAttribute(name));
  return found;
}"""
READ_PANELS = (
    """async () => {
  const read = """
    + READ
    + """;
  const rested = () => new Promise((go) => setTimeout(go, 5));
  const found = new Set(read());
  const last = Math.max(0, model.get("payload").events.length - 1);
  for (let position = 0; position <= last; position += last > 100 ? last / 2 : 1) {
    model.set("position", Math.round(position));
    for (const tab of document.querySelectorAll(".agentlab-tab")) {
      tab.click();
      for (let depth = 0; depth < 2; depth += 1) {
        document.querySelectorAll("details:not([open])").forEach((each) => { each.open = true; });
        await rested(); // a list that was folded is drawn when it is opened
      }
      read().forEach((text) => found.add(text));
    }
  }
  return [...found];
}"""
)


def show(page: Page, script: str, values: dict[str, Any], *, pong: bool = True) -> None:
    """Render a widget's script from its values; `pong` says whether a kernel answers."""
    encoded = base64.b64encode(script.encode()).decode()
    page.evaluate(SHOW, {"script": encoded, "values": values, "pong": pong})


def panels(page: Page, told: dict[str, Any], values: dict[str, Any]) -> list[str]:
    """All that a Stepper says at each event, in each of its panels."""
    show(page, told["script"], values)
    texts: list[str] = page.evaluate(READ_PANELS)
    return texts


def untranslated(texts: list[str], values: dict[str, Any]) -> list[str]:
    payloads = [values["payload"], *values["others"].values()]
    allowed = set().union(*map(data_of, payloads)) | {"KeyError"}
    settings = {name for payload in payloads for each in payload["settings"] for name in each}
    listed = [text for text in texts if text.startswith(("=", "±"))]
    return [
        *plain_words([text for text in texts if text not in listed], allowed),
        *plain_words(listed, allowed | settings),
    ]


def test_every_panel_of_every_stepper_is_in_that_language(
    page: Page, seen: tuple[dict[str, Any], Path]
) -> None:
    told, _ = seen
    assert told["language"] == LANGUAGE
    assert len(told["steppers"]) > 15
    everything: set[str] = set()
    for values in told["steppers"]:
        texts = panels(page, told, values)
        assert untranslated(texts, values) == []
        everything |= set(texts)
    for text in ("May {} run?", "Printed by your loop", "They part at event {}", "Approve"):
        wide = widened(text).partition("{")[0]
        assert any(wide in each for each in everything), text


def test_a_long_run_is_in_that_language(page: Page, seen: tuple[dict[str, Any], Path]) -> None:
    told, _ = seen
    texts = panels(page, told, told["long"])
    assert untranslated(texts, told["long"]) == []
    for text in ("events before)", "events after)", "Cut for this view", "earlier messages"):
        assert any(widened(text) in each for each in texts), text


def test_a_stepper_without_its_kernel_and_one_of_another_version_say_so(
    page: Page, seen: tuple[dict[str, Any], Path]
) -> None:
    told, _ = seen
    values = told["steppers"][1]
    show(page, told["script"], values, pong=False)
    expect(page.locator(".agentlab-kernel")).to_contain_text(widened("the kernel is gone"))
    assert untranslated(page.evaluate(READ), values) == []
    show(page, told["script"], {**values, "payload": {**values["payload"], "version": 0}})
    expect(page.locator(".agentlab-stepper")).to_contain_text(widened("Run the cell again."))
    assert untranslated(page.evaluate(READ), values) == []


def test_the_description_lab_is_in_that_language(
    page: Page, seen: tuple[dict[str, Any], Path]
) -> None:
    told, _ = seen
    show(page, told["lab"]["script"], {"state": told["lab"]["state"]})
    texts = page.evaluate(READ)
    assert plain_words(texts, {"claude", "haiku"}) == []
    assert any(widened("questions right:") in text for text in texts)
    show(page, told["lab"]["script"], {"state": told["lab"]["state"]}, pong=False)
    page.locator("button").first.click()
    expect(page.get_by_role("alert")).to_contain_text(widened("There is no kernel"))


def test_a_saved_page_is_in_that_language(page: Page, seen: tuple[dict[str, Any], Path]) -> None:
    told, folder = seen
    page.goto((folder / "run.html").as_uri())
    expect(page.locator("html")).to_have_attribute("lang", LANGUAGE)
    expect(page.get_by_role("status")).to_contain_text(widened("the model asked for"))
    allowed = data_of(told["steppers"][1]["payload"])
    static = page.evaluate(
        "() => { const block = new DOMParser().parseFromString("
        "document.querySelector('noscript').textContent, 'text/html');"
        " block.querySelectorAll('pre').forEach((each) => each.remove());"
        " const walker = document.createTreeWalker(block.body, NodeFilter.SHOW_TEXT);"
        " const texts = []; while (walker.nextNode()) texts.push(walker.currentNode.data);"
        " return [document.title, ...texts]; }"
    )
    assert plain_words([text.removeprefix("Run(") for text in static], allowed) == []


def test_what_python_says_is_in_that_language(seen: tuple[dict[str, Any], Path]) -> None:
    told, _ = seen
    allowed = set().union(*(data_of(values["payload"]) for values in told["steppers"]))
    quoted = {"claude", "haiku", "yy", "Use", "it", "when", "are"}
    assert plain_words(told["told"], allowed | quoted) == []


def test_a_text_that_nobody_translated_would_be_found() -> None:
    texts = ["", widened("two"), "xone", "one", f"xone of {widened('two')}"]
    found = [each.partition(" ")[0] for each in plain_words(texts, set())]
    assert found == ["one", "of"]


def test_every_text_of_the_scripts_is_collected() -> None:
    """A text inside a template literal would not be, nor one that is put together."""
    collected = {catalogue.first_of(each) for each in catalogue.collected("agentlab") if each.id}
    for path in (TESTS.parent / "agentlab").rglob("*.js"):
        if "locale" not in path.parts:
            script = path.read_text("utf-8")
            texts = re.findall(r'gettext\(\s*("(?:[^"\\]|\\.)*")', script)
            calls = re.findall(r"(?<!function )\bn?gettext\(", script)
            assert len(texts) == len(calls), path.name
            assert {json.loads(text) for text in texts} <= collected
