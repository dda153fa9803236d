"""What can go wrong for the caller, one class for each thing to be done about it.

Our exception hierarchy:

    AgentlabError
      DefinitionError      a tool or an agent is defined in a way that could never work
      TranscriptError      a list of messages that the API would refuse
      ConfigurationError   a setting, a model id, a key or a port that cannot be used
      SpendingCapReached   the next live request would cost more than was allowed
      BatchFailed          a message batch that left requests without an answer
      RecordingError       a saved run or cassette that cannot be read or does not fit

What goes wrong inside a tool is not here: it is for the model, and travels as a tool_result.
Errors of the API keep the SDK's own classes.
"""

from agentlab.language import gettext


class AgentlabError(Exception):
    """Base of every exception this package raises to its caller.

    Args:
        text: what was wrong, what was found and what to do next, in English.
        values: what belongs into the places of the text, such as `{found!r}`.
    """

    def __init__(self, text: str, /, **values: object) -> None:
        super().__init__(gettext(text, **values))


class DefinitionError(AgentlabError):
    """A tool or an agent is defined in a way that could never work."""


class TranscriptError(AgentlabError):
    """A list of messages that the API would refuse."""


class ConfigurationError(AgentlabError):
    """A setting, a model id, a key or a port that cannot be used."""


class SpendingCapReached(AgentlabError):
    """The next live request would cost more than was allowed."""


class BatchFailed(AgentlabError):
    """A message batch that left requests without an answer."""


class RecordingError(AgentlabError):
    """A saved run or cassette that cannot be read or does not fit."""
