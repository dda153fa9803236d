from agentlab import Agent, ask


def run_agent(client, tools, question, max_steps=10):
    done = ask(Agent("agent", "", tools), question, client=client, max_steps=max_steps)
    return {"text": done.answer, "reason": done.stopped.reason, "messages": done.messages}
