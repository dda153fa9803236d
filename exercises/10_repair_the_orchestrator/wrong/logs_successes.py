"""Logs what a tool has returned, and not what it was asked.

fails: log: your log holds 3
"""

from agentlab import tool


def dispatch(registry, call):
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return result | {"content": registry[call.name](**call.input)}
    except Exception as error:
        return result | {"content": f"{type(error).__name__}: {error}", "is_error": True}


def not_run(call):
    content = "Not run: the report was written before it."
    return {"type": "tool_result", "tool_use_id": call.id, "content": content, "is_error": True}


def research(client, tools, question, max_steps=8):
    registry = {function.__name__: function for function in tools}
    definitions = [tool(function).to_param() for function in tools]
    messages = [{"role": "user", "content": question}]
    state = {"report": None, "sources": [], "step": 0, "log": [], "messages": messages}

    while state["step"] < max_steps:
        state["step"] += 1
        reply = client.messages.create(
            model="claude-haiku-4-5", max_tokens=1000, messages=messages, tools=definitions
        )
        messages.append({"role": "assistant", "content": reply.to_dict()["content"]})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            state["report"] = "".join(block.text for block in reply.content)
            return state
        results = []
        for call in calls:
            if state["report"]:
                results.append(not_run(call))
                continue
            result = dispatch(registry, call)
            results.append(result)
            if result.get("is_error"):
                continue
            state["log"].append({"step": state["step"], "tool": call.name, "input": call.input})
            if call.name == "fetch_page":
                state["sources"].append(call.input["url"])
            if call.name == "write_report":
                state["report"] = call.input["content"]
        messages.append({"role": "user", "content": results})
        if state["report"]:
            return state
    return state
