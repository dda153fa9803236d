import json
import re


def trace(question, steps, answer):
    messages = [{"role": "user", "content": question}]
    for step in steps:
        calls = [{"type": "tool_use", **call} for call in step["calls"]]
        ready = {result["id"]: result for result in step["results"]}
        results = [result_block(ready[call["id"]]) for call in step["calls"]]
        messages.append({"role": "assistant", "content": calls})
        messages.append({"role": "user", "content": results})
    messages.append({"role": "assistant", "content": answer})
    return messages


def result_block(result):
    block = {"type": "tool_result", "tool_use_id": result["id"], "content": result["text"]}
    if result["failed"]:
        block["is_error"] = True
    return block


def requests_of(messages):
    replies = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
    return [messages[:at] for at in replies]


def play_model(question, harness):
    order_id = re.search(r"SP-\d+", question)[0]
    order = ask_for(harness, "toolu_1", "get_order_status", {"order_id": order_id})
    tracking_number = order["tracking_number"]
    if tracking_number is None:
        return f"{order_id} is {order['status']}."
    parcel = ask_for(harness, "toolu_2", "track_shipment", {"tracking_number": tracking_number})
    return f"It is at {parcel['location']}."


def ask_for(harness, id, name, arguments):
    call = {"type": "tool_use", "id": id, "name": name, "input": arguments}
    return json.loads(harness([call])[0]["content"])
