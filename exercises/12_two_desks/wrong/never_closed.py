"""Takes close_case for a tool like any other.

fails: closed: asked the model again
fails: closed_beside: asked the model again
"""

from agentlab import tool


def instructions(state):
    reason = f" It was handed over to you: {state['reason']}." if state["reason"] else ""
    return f"You are the {state['desk']} desk and talk to {state['customer']}.{reason}"


def support(client, order_status, pay_back, question, customer, max_steps=10):
    state = {"desk": "orders", "customer": customer, "reason": "", "summary": ""}

    def to_refunds(reason: str) -> str:
        """Hand the conversation over to the refunds desk, which can pay back.

        Args:
            reason: why, in one sentence.
        """
        state.update(desk="refunds", reason=reason)
        return "The refunds desk goes on."

    def to_orders(reason: str) -> str:
        """Hand the conversation over to the orders desk, which knows where orders are.

        Args:
            reason: why, in one sentence.
        """
        state.update(desk="orders", reason=reason)
        return "The orders desk goes on."

    def close_case(summary: str) -> str:
        """Close the case when nothing is left to do.

        Args:
            summary: how it ended.
        """
        state.update(summary=summary)
        return "The case is closed."

    desks = {
        "orders": [order_status, to_refunds, close_case],
        "refunds": [pay_back, to_orders, close_case],
    }
    messages = [{"role": "user", "content": question}]
    for _ in range(max_steps):
        toolbox = {each.__name__: each for each in desks[state["desk"]]}
        reply = client.messages.create(
            model="claude-haiku-4-5",
            max_tokens=1000,
            system=instructions(state),
            messages=messages,
            tools=[tool(each).to_param() for each in toolbox.values()],
        )
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return "".join(block.text for block in reply.content if block.type == "text")
        results = []
        for call in calls:
            content = toolbox[call.name](**call.input)
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": content})
        messages.append({"role": "user", "content": results})
        if state["desk"] is None:
            return state["summary"]
    return "stopped: too many steps"
