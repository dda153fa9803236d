from itertools import count
from json import loads


def user(content):
    return {"role": "user", "content": content}


def assistant(content):
    return {"role": "assistant", "content": content}


def trace(question, steps, answer):
    spoken = [user([{"type": "text", "text": question}])]
    for step in steps:
        places = {call["id"]: place for place, call in enumerate(step["calls"])}
        ordered = sorted(step["results"], key=lambda result: places[result["id"]])
        calls, results = [], []
        for call, result in zip(step["calls"], ordered, strict=True):
            calls.append(dict(call, type="tool_use"))
            results.append(
                {
                    "type": "tool_result",
                    "tool_use_id": call["id"],
                    "content": [{"type": "text", "text": result["text"]}],
                    "is_error": result["failed"],
                }
            )
        spoken += [assistant(calls), user(results)]
    return [*spoken, assistant([{"type": "text", "text": answer}])]


def requests_of(messages):
    requests, so_far = [], []
    for message in messages:
        if message["role"] == "assistant":
            requests.append(list(so_far))
        so_far.append(message)
    return requests


def play_model(question, harness):
    ids = count(1)
    words = question.replace("?", " ").replace(",", " ").split()
    name = "get_order_status"
    arguments = {"order_id": next(word for word in words if word.startswith("SP-"))}
    while name:
        thought = {"type": "text", "text": "I look that up."}
        call = {"type": "tool_use", "id": f"call{next(ids)}", "name": name, "input": arguments}
        (result,) = harness(content=[thought, call])
        known = loads(result["content"])
        more = "location" not in known and known["tracking_number"]
        name = "track_shipment" if more else None
        arguments = {"tracking_number": known["tracking_number"]}
    return "This is what I found: " + ", ".join(f"{key}: {known[key]}" for key in known)
