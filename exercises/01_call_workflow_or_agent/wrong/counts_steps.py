"""Takes more than one step for a workflow.

fails: many_steps: takes steps that are all its own in one reply
fails: all_forms: is call and yours workflow
"""

from agentlab import Agent, ask


def choose(tasks):
    return [kind_of(task["steps"]) for task in tasks]


def kind_of(steps):
    if any(step["then"] == "?" for step in steps):
        return "agent"
    if len(steps) > 1:
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
    summary = words_for(client, f"Summarise this text:\n{text}")
    translation = words_for(client, f"Translate this into Azerbaijani:\n{summary}")
    save(translation)
    return translation


def agent(client, tools, question):
    return ask(Agent("helper", "", tools), question, client=client).answer
