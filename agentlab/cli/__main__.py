"""`python -m agentlab.cli` is `agentlab`."""

from agentlab.cli import app

app()
