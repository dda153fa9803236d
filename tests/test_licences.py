"""Everything that learners install has a licence that somebody has looked at."""

import re

import licences


def test_every_licence_was_looked_at() -> None:
    found = licences.licences()
    assert len(found) > 80
    assert {n: text for n, text in found.items() if not licences.LOOKED_AT.search(text)} == {}


def test_the_page_lists_what_is_installed() -> None:
    listed = set(re.findall(r"^\| ([\w.-]+) \|", licences.PAGE.read_text("utf-8"), re.MULTILINE))
    assert set(licences.licences()) <= listed


def test_a_licence_that_binds_everything_is_found() -> None:
    for text in ("GPL-3.0-or-later", "AGPL-3.0", "not said", "Proprietary"):
        assert not licences.LOOKED_AT.search(text)
