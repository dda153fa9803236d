from agentlab import Agent, run


def run_agent(client, tools, question, max_steps=10):
    messages = [{"role": "user", "content": question}]
    agent = Agent("careful", "", tools)
    last = None
    for event in run(agent, messages, client=client, max_steps=max_steps):
        last = event
    return last.text
