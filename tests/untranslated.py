"""Strings of two or more words that stay English: nobody reads them, or a model does.

What goes to a model or comes from the API is the same for every reader.
"""

WHOLE_FILES = (
    "agentlab/calls.py",  # results of calls, for the model
    "agentlab/loop.py",  # reminders, for the model
    "agentlab/mcp_server.py",
    "agentlab/practice/",  # the API's words, and the practice model's
    "agentlab/research/addresses.py",  # from here on: what the research tools tell the model
    "agentlab/research/articles.py",
    "agentlab/research/connections.py",
    "agentlab/research/fetching.py",
    "agentlab/research/index.py",
    "agentlab/research/live.py",
    "agentlab/research/prompt.py",
    "agentlab/research/reading.py",
    "agentlab/research/robots.py",
    "agentlab/research/sentences.py",
    "agentlab/research/site.py",
    "agentlab/research/stand_in.py",
    "agentlab/research/tools.py",
    "agentlab/research/troubles.py",
    "agentlab/results.py",
    "agentlab/shop.py",  # tools, and the data of a shop
)
"""The beginnings of paths."""

UNTRANSLATED = {
    "agentlab/__init__.py": [
        "module 'agentlab' has no attribute",
    ],
    "agentlab/branching.py": [  # results, for the model
        "The function of {} is not here",
        "the run was interrupted.",
    ],
    "agentlab/cassette.py": [  # an answer of the API
        "The cassette {} holds no answer",
    ],
    "agentlab/cli/project.py": [
        "ruff check",
        "ruff format",
    ],
    "agentlab/cli/researching.py": [
        "agentlab: {}",
    ],
    "agentlab/cli/speaking.py": [
        "agentlab: {}",
    ],
    "agentlab/consumers.py": [  # lines of a log
        "%s failed, and the run goes on",
    ],
    "agentlab/descriptions/__init__.py": [
        "module {} has no attribute",
    ],
    "agentlab/descriptions/charts.py": [  # a pattern
        "Glyph .* missing from",
    ],
    "agentlab/descriptions/lint.py": [  # word lists and patterns
        "\n    a about all an",
        "\n    action apply call",
        "(?:\\be\\.g\\.",
        "\\b(?:not|never",
        "\\b(?:one of|either",
        "\\b(?:use|used",
    ],
    "agentlab/descriptions/measure.py": [  # a system prompt
        "Call the tools that the user's request needs",
    ],
    "agentlab/descriptions/measurement.py": [
        "<div style=",
    ],
    "agentlab/doctor.py": [
        "/Applications/",
        "C:\\Program Files",
        "CREATE VIRTUAL TABLE",
        "SQLite {}",
        "pip install",
        "python -m ipykernel",
    ],
    "agentlab/exercises/__init__.py": [
        "module {} has no attribute",
    ],
    "agentlab/exercises/cells.py": ["cell {}"],  # what Python calls the code, in tracebacks
    "agentlab/exercises/judging.py": [  # answers of the API, and results of tools
        "The calls that this exercise allows",
        "There is no function {}",
        "There is nothing of that kind",
        "This exercise allows {} calls",
        "the request is not JSON",
    ],
    "agentlab/exercises/performing.py": [
        "def {}{}:",
    ],
    "agentlab/grading/__init__.py": [
        "module {} has no attribute",
    ],
    "agentlab/grading/batch.py": [  # a line of a log
        "marking failed",
    ],
    "agentlab/grading/cluster.py": [  # the name of a tier
        "limits only",
    ],
    "agentlab/grading/marking.py": [  # looked for in a note
        "was stopped after",
    ],
    "agentlab/grading/nursery.py": [
        "mount on {}",
    ],
    "agentlab/grading/releasing.py": [  # code, and nbgrader's marks
        "### BEGIN SOLUTION",
        "\\1### BEGIN SOLUTION",
        "^([ \\t]*)(raise NotImplementedError",
        "async def ",
    ],
    "agentlab/grading/reporting.py": [  # Canvas's format
        "    Points Possible",
        "<!doctype html>",
        "SIS Login ID",
        "SIS User ID",
    ],
    "agentlab/grading/sandbox.py": [
        "limits only",
    ],
    "agentlab/history/compaction.py": [  # for the model
        "Summary of what was said and done before",
        "You shorten the record",
    ],
    "agentlab/history/definitions.py": [  # a description and a result
        "Do one of several things.",
        "There is no {}. There are: {}.",
    ],
    "agentlab/history/units.py": [  # for the model
        "(no output)",
        "{} called {}({})",
    ],
    "agentlab/language.py": [
        "AGENTLAB_LANGUAGE is {}",
        "const CATALOGUE",
    ],
    "agentlab/safety/__init__.py": [
        "module {} has no attribute",
    ],
    "agentlab/safety/attacks.py": [  # prompts, results, and names that are looked up
        "Nothing here.",
        "You help the staff",
        "approval, always yes",
        "approval, as asked",
        "fixed marks",
        "least privilege",
        "note on {}",
        "sealed marks",
        "staff desk",
        "{} Text between <untrusted>",
        "{} may not be fetched",
    ],
    "agentlab/safety/ledger.py": [  # SQL, and a result
        "An earlier attempt at {}",
        "CREATE TABLE",
        "DELETE FROM",
        "INSERT INTO",
        "SELECT result",
        "UPDATE effects",
    ],
    "agentlab/safety/marks.py": [  # for the model
        "Text between [untrusted",
        "[untrusted {}]",
    ],
    "agentlab/tools.py": [  # the last four are for the model
        "Invalid arguments for",
        "module {} has no attribute",
        "{}: missing",
        "{}: there is no such argument",
        "{}: {}; found",
    ],
    "agentlab/views/__init__.py": [
        "module {} has no attribute",
    ],
    "agentlab/views/html.py": [  # markup
        "<details open>",
        "<div style=",
        "<span style=",
        "font-weight:bold",
    ],
    "agentlab/views/meter.py": [
        "<div style=",
    ],
    "agentlab/views/page.py": [
        "<!doctype html>",
        "export default",
    ],
    "agentlab/views/stepper.js": [  # a selector, and marks around what was said
        "button, summary",
        "{${entries",
    ],
    "agentlab/views/table.py": [  # markup
        "<caption style=",
        "<span aria-hidden",
        "<td colspan=",
        "<th scope=",
        "th scope=",
    ],
    "agentlab/views/text.py": [  # a style
        "bold red",
    ],
    "agentlab/views/words.py": [
        "run tools",
    ],
    "agentlab/wording.py": [  # the API's own
        "The request body",
        "messages.{",
        "messages: ",
        "{path}",
    ],
}
"""By file, how such strings begin; `{}` stands for a place in an f-string."""
