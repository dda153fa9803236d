from agentlab import Agent, Context, ask, tool


def instructions_of(desk):
    def told(context):
        return f"You are the {desk} desk. {context['customer']} is here. {context.get('reason')}"

    return told


def support(client, order_status, pay_back, question, customer, max_steps=10):
    def to_refunds(reason: str, context: Context) -> Agent:
        """Hand over to the desk that can pay back.

        Args:
            reason: why.
            context: what the desks know.
        """
        context["reason"] = reason
        return refunds

    def to_orders(reason: str, context: Context) -> Agent:
        """Hand over to the desk that knows where orders are.

        Args:
            reason: why.
            context: what the desks know.
        """
        context["reason"] = reason
        return orders

    @tool(final=True)
    def close_case(summary: str) -> str:
        """Close the case.

        Args:
            summary: how it ended.
        """
        return summary

    orders = Agent("orders", instructions_of("orders"), [order_status, to_refunds, close_case])
    refunds = Agent("refunds", instructions_of("refunds"), [pay_back, to_orders, close_case])
    context = Context(customer=customer)
    return ask(orders, question, client=client, context=context, max_steps=max_steps).answer
