"""Hopes that the model will ask to save.

fails: workflow: it saved 0 times
"""

from agentlab import Agent, ask


def choose(tasks):
    return [kind_of(task["steps"]) for task in tasks]


def kind_of(steps):
    if any(step["then"] == "?" for step in steps):
        return "agent"
    if any(step["by"] == "code" for step in steps):
        return "workflow"
    return "call"


def words_for(client, request):
    reply = client.messages.create(
        model="claude-haiku-4-5",
        max_tokens=500,
        messages=[{"role": "user", "content": request}],
    )
    return reply.content[0].text


def one_call(client, text):
    return words_for(client, f"Summarise this text in a sentence:\n{text}")


def workflow(client, text, save):
    clerk = Agent("clerk", "Save what you translate.", [save])
    summary = words_for(client, f"Summarise this text:\n{text}")
    return ask(clerk, f"Translate this into Azerbaijani:\n{summary}", client=client).answer


def agent(client, tools, question):
    return ask(Agent("helper", "", tools), question, client=client).answer
