from agentlab import Agent, ask


def guarded_run(client, tools, question, approve, max_steps=10):
    def asking(call):
        return approve(name=call.name, arguments=call.input)

    agent = Agent("desk", "", tools)
    return ask(agent, question, client=client, approve=asking, max_steps=max_steps).answer
