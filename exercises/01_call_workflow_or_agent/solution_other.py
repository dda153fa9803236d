import json

from agentlab import tool

SETTINGS = {"model": "claude-haiku-4-5", "max_tokens": 1000}


def choose(tasks):
    kinds = []
    for task in tasks:
        deciders = set()
        for step in task["steps"]:
            deciders.add("result" if step["then"] == "?" else step["by"])
        if deciders == {"model"}:
            kinds.append("call")
        else:
            kinds.append("agent" if "result" in deciders else "workflow")
    return kinds


def one_call(client, text):
    request = {"role": "user", "content": text}
    with client.messages.stream(**SETTINGS, system="Summarise.", messages=[request]) as stream:
        return "".join(stream.text_stream)


def workflow(client, text, save):
    messages = []
    for request in (f"Summarise: {text}", "Translate your summary into Azerbaijani."):
        messages.append({"role": "user", "content": request})
        reply = client.messages.create(**SETTINGS, messages=messages)
        messages.append({"role": "assistant", "content": reply.content})
    save(text=reply.content[0].text)
    return reply.content[0].text


def agent(client, tools, question):
    functions = {each.__name__: each for each in tools}
    definitions = [tool(each).to_param() for each in tools]
    messages = [{"role": "user", "content": question}]
    while True:
        reply = client.messages.create(**SETTINGS, tools=definitions, messages=messages)
        results = [
            {
                "type": "tool_result",
                "tool_use_id": block.id,
                "content": json.dumps(functions[block.name](**block.input)),
            }
            for block in reply.content
            if block.type == "tool_use"
        ]
        if not results:
            return reply.content[-1].text
        messages.append({"role": "assistant", "content": reply.content})
        messages.append({"role": "user", "content": results})
