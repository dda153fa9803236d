"""Stops when the tool has returned, and not before it runs.

fails: stops: the tool ran that you were to stop before
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
            try:
                tell(tool=event.outcome.call.name, problem=event.outcome.text)
            except Exception as error:
                print("nobody could be told:", error)
        yield event


def stop_before(client, tools, question, name):
    messages = [{"role": "user", "content": question}]
    events = run(Agent("agent", "", tools), messages, client=client)
    for event in events:
        if event.kind == "tool_returned" and event.outcome.call.name == name:
            events.close()
    return messages
