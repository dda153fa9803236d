from agentlab import Agent, run, tool


def research(client, tools, question, max_steps=8):
    marked = [tool(final=True)(each) if each.__name__ == "write_report" else each for each in tools]
    messages = [{"role": "user", "content": question}]
    state = {"report": None, "sources": [], "step": 0, "log": [], "messages": messages}
    agent = Agent("researcher", "Use your tools, and end with write_report.", marked)
    for event in run(agent, messages, client=client, max_steps=max_steps):
        match event.kind:
            case "replied":
                state["step"] = event.step
            case "tool_called":
                entry = {"step": event.step, "tool": event.call.name, "input": event.call.input}
                state["log"].append(entry)
            case "tool_returned" if event.outcome.status == "ran":
                call = event.outcome.call
                if call.name == "fetch_page":
                    state["sources"].append(call.input["url"])
                if event.outcome.final:
                    state["report"] = call.input["content"]
            case "stopped":
                state["report"] = state["report"] or event.text or None
    return state
