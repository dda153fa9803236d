"""The research agent: it searches, reads pages and writes a report with its sources.

    from agentlab.research import Orchestrator, PracticeWeb, research_client

    with PracticeWeb() as web:
        found = Orchestrator(web, research_client()).research("RAG best practices")
    found

As the last line of a cell, the result shows its report.
"""

from agentlab.research.invariants import INVARIANTS, broken_invariants
from agentlab.research.orchestrator import Orchestrator, Research
from agentlab.research.prompt import RULES, instructions
from agentlab.research.report import Citation, Report, Source
from agentlab.research.stand_in import research_client, researcher
from agentlab.research.state import State
from agentlab.research.tools import ResearchTools
from agentlab.research.web import Hit, Page, PracticeWeb, Web, WebError, live_web

__all__ = [
    "INVARIANTS",
    "RULES",
    "Citation",
    "Hit",
    "Orchestrator",
    "Page",
    "PracticeWeb",
    "Report",
    "Research",
    "ResearchTools",
    "Source",
    "State",
    "Web",
    "WebError",
    "broken_invariants",
    "instructions",
    "live_web",
    "research_client",
    "researcher",
]
