"""Settings of every test run, that of the lessons included."""

import gc
import os

import pytest
from nbval.plugin import IPyNbFile

from notebooks import FOREIGN_SETTINGS

collect_ignore_glob = ["notebooks/[a-z]*/*"]
"""Translated lessons: a test sees that their code and outputs are those of the English ones."""


def pytest_configure() -> None:
    """Make the kernels of the lessons start as `make notebooks` starts them, and never live.

    nbval gives its kernels the environment of this process, and no fixture reaches them.
    """
    for name in [name for name in os.environ if name.startswith(FOREIGN_SETTINGS)]:
        del os.environ[name]
    # Not the seed the outputs were stored with: what depends on the order of a set is noticed.
    os.environ["PYTHONHASHSEED"] = "1"


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Have nbval compare pictures too; by itself it leaves them out."""
    if isinstance(collector, IPyNbFile):
        compared = (key for key in collector.skip_compare if not key.startswith("image/"))
        collector.skip_compare = tuple(compared)


def pytest_collection_finish() -> None:
    """Spare the garbage collector what stays to the end anyway: all that was imported so far."""
    gc.collect()
    gc.freeze()
