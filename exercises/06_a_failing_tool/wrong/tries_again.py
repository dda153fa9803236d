"""Runs a tool that fails a second and a third time.

fails: once: your loop ran it 3 times
"""

from agentlab import tool


def run_agent(client, tools, question, max_steps=10):
    toolbox = {function.__name__: tool(function) for function in tools}
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
        results = []
        for call in calls:
            text, failed = outcome_of(call, toolbox)
            result = {"type": "tool_result", "tool_use_id": call.id, "content": text}
            if failed:
                result["is_error"] = True
            results.append(result)
        messages.append({"role": "user", "content": results})
    return "stopped: too many steps"


def outcome_of(call, toolbox):
    if call.name not in toolbox:
        return f"There is no tool {call.name}. Tools: {', '.join(toolbox)}.", True
    wanted = toolbox[call.name]
    for _ in range(3):
        try:
            arguments = wanted.parse(call.input)
            return str(wanted(**arguments)), False
        except Exception as error:
            words = words_of(error)
    return words, True


def words_of(error):
    return f"{type(error).__name__}: {error}"
