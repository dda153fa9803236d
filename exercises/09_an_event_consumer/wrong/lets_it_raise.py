"""Lets what tell raises end the run.

fails: survives: your code raised ConnectionError
"""

from agentlab import Agent, run


def total_tokens(events):
    total = 0
    for event in events:
        if event.kind == "replied":
            usage = event.reply["usage"]
            total += usage["input_tokens"] + usage["output_tokens"]
    return total


def watch_errors(events, tell):
    for event in events:
        if event.kind == "tool_returned" and event.outcome.is_error:
            tell(tool=event.outcome.call.name, problem=event.outcome.text)
        yield event


def stop_before(client, tools, question, name):
    messages = [{"role": "user", "content": question}]
    events = run(Agent("agent", "", tools), messages, client=client)
    for event in events:
        if event.kind == "tool_called" and event.call.name == name:
            events.close()
    return messages
