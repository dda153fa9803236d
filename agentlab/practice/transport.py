"""The practice API in the same process: a transport for the SDK's own HTTP client."""

from collections.abc import Mapping, Sequence

import httpx2

from agentlab.practice.api import PracticeAPI
from agentlab.practice.script import Fault, Script
from agentlab.practice.wire import Request


class PracticeTransport(httpx2.MockTransport):
    """The practice API as a transport; a subclass for its words, which hold no address."""

    def __repr__(self) -> str:
        return "PracticeTransport()"


def practice(
    script: Script | None = None, faults: Mapping[int, Sequence[Fault]] | None = None
) -> PracticeTransport:
    """A transport that answers as the Messages API would, without a network.

    It serves the sync and the async client alike:
    `Anthropic(api_key="practice", http_client=DefaultHttpxClient(transport=practice()))`.

    Args:
        script: replies and faults to give in order, or a function of the request; the embedded
            practice model chooses where there is none.
        faults: errors to meet before the reply at a position, by the number of replies before it.
    """
    api = PracticeAPI(script, faults)

    def handle(request: httpx2.Request) -> httpx2.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        answer = api.answer(
            Request(
                request.method,
                request.url.path,
                headers,
                request.content,
                dict(request.url.params),
            )
        )
        return httpx2.Response(answer.status, headers=answer.headers, content=answer.content)

    return PracticeTransport(handle)
