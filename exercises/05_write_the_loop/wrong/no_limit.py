"""Goes on as long as the model asks.

fails: max_steps: goes on and on
"""

from agentlab import tool


def run_agent(client, tools, question, max_steps=10):
    functions = {function.__name__: function for function in tools}
    definitions = [tool(function).to_param() for function in tools]
    messages = [{"role": "user", "content": question}]
    while True:
        reply = client.messages.create(
            model="claude-haiku-4-5", max_tokens=1000, messages=messages, tools=definitions
        )
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return "".join(block.text for block in reply.content if block.type == "text")
        results = []
        for call in calls:
            result = functions[call.name](**call.input)
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": str(result)})
        messages.append({"role": "user", "content": results})
