"""Compares the answer with ==, which the number 1 passes.

fails: no_yes: only True is a yes
"""

from agentlab import tool


def error(call, text):
    return {"type": "tool_result", "tool_use_id": call.id, "content": text, "is_error": True}


def turned_down(call, reason):
    return error(call, f"Not run: {reason}")


def may_run(call, arguments, approve):
    try:
        answer = approve(call.name, arguments)
    except Exception as problem:
        print("nobody could be asked:", problem)
        return False
    return answer == True  # noqa: E712


def gated(call, toolbox, approve):
    if call.name not in toolbox:
        return turned_down(call, f"there is no tool {call.name}.")
    asked = toolbox[call.name]
    try:
        arguments = asked.parse(call.input)
    except Exception as problem:
        return turned_down(call, str(problem))
    if asked.destructive and not may_run(call, arguments, approve):
        return turned_down(call, "nobody said yes.")
    try:
        content = str(asked(**arguments))
    except Exception as problem:
        return error(call, f"Failed: {problem}")
    return {"type": "tool_result", "tool_use_id": call.id, "content": content}


def guarded_run(client, tools, question, approve, max_steps=10):
    toolbox = {tool(each).name: tool(each) for each in tools}
    definitions = [each.to_param() for each in toolbox.values()]
    messages = [{"role": "user", "content": question}]
    for _ in range(max_steps):
        reply = client.messages.create(
            model="claude-haiku-4-5", max_tokens=1000, messages=messages, tools=definitions
        )
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return "".join(block.text for block in reply.content if block.type == "text")
        results = [gated(call, toolbox, approve) for call in calls]
        messages.append({"role": "user", "content": results})
    return "stopped: too many steps"
