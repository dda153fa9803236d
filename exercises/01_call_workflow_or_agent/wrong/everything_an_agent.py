"""Makes an agent of every task.

fails: tells_apart: and yours agent
fails: many_steps: and yours agent
fails: branches: one is workflow and yours agent
fails: all_forms: and yours agent
"""

from agentlab import Agent, ask


def choose(tasks):
    return [kind_of(task["steps"]) for task in tasks]


def kind_of(steps):
    return "agent"


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
