"""The command `agentlab`: lessons, tests, research, descriptions, exercises, the practice API."""

from agentlab.cli import describing, marking, project, researching
from agentlab.cli.app import app

__all__ = ["app", "describing", "marking", "project", "researching"]
