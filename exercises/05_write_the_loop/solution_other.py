from agentlab import Agent, ask


def run_agent(client, tools, question, max_steps=10):
    return ask(Agent("agent", "", tools), question, client=client, max_steps=max_steps).answer
