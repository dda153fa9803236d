"""Ends at max_tokens, and leaves the call of that reply unanswered.

fails: half_call: cannot be sent again
"""

import json

from agentlab import tool

REMINDER = "Your reply was empty. Please go on, or say what is missing."


def answers(reply, functions, seen):
    for call in [block for block in reply.content if block.type == "tool_use"]:
        key = json.dumps([call.name, call.input], sort_keys=True)
        seen[key] = seen.get(key, 0) + 1
        result = {"type": "tool_result", "tool_use_id": call.id}
        if reply.stop_reason != "tool_use":
            yield result | {"content": "Not run: the call was cut off.", "is_error": True}
        elif seen[key] > 2:
            yield result | {"content": "Not run: it was made twice before.", "is_error": True}
        else:
            yield result | {"content": str(functions[call.name](**call.input))}


def run_agent(client, tools, question, max_steps=10):
    functions = {function.__name__: function for function in tools}
    definitions = [tool(function).to_param() for function in tools]
    messages = [{"role": "user", "content": question}]
    seen, reminded = {}, False

    def ended(reason, text=""):
        return {"text": text, "reason": reason, "messages": messages}

    for _ in range(max_steps):
        reply = client.messages.create(
            model="claude-haiku-4-5", max_tokens=1000, messages=messages, tools=definitions
        )
        text = "".join(block.text for block in reply.content if block.type == "text")
        if reply.stop_reason == "refusal":
            return ended("refusal", text)
        if not reply.content:
            if reminded:
                return ended(reply.stop_reason)
            reminded = True
            messages.append({"role": "user", "content": REMINDER})
            continue
        messages.append({"role": "assistant", "content": reply.to_dict()["content"]})
        if reply.stop_reason == "max_tokens":
            return ended("max_tokens", text)
        if results := list(answers(reply, functions, seen)):
            messages.append({"role": "user", "content": results})
        if max(seen.values(), default=0) > 2:
            return ended("repeating", text)
        if reply.stop_reason not in ("tool_use", "pause_turn"):
            return ended(reply.stop_reason, text)
    return ended("max_steps")
