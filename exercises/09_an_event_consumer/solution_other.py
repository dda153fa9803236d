import logging
from contextlib import closing
from itertools import takewhile

from agentlab import Agent, Run, run
from agentlab.consumers import tee

logging.getLogger("agentlab.consumers").addHandler(logging.NullHandler())


def total_tokens(events):
    return sum(Run(list(events)).usage.values())


def watch_errors(events, tell):
    def look(events):
        for event in events:
            match event.kind, getattr(event, "outcome", None):
                case "tool_returned", outcome if outcome.is_error:
                    tell(outcome.call.name, outcome.text)
            yield event

    return tee(events, look)


def stop_before(client, tools, question, name):
    messages = [{"role": "user", "content": question}]

    def goes_on(event):
        return event.kind != "tool_called" or event.call.name != name

    with closing(run(Agent("agent", "", tools), messages, client=client)) as events:
        for _ in takewhile(goes_on, events):
            pass
    return messages
