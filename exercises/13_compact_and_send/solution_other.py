from agentlab import history


def compact(client, messages, keep=2):
    return history.compact(messages, client=client, keep_steps=keep).messages
