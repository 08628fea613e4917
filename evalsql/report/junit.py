"""JUnit XML, which continuous integration shows as a list of tests: a rule of a gate is a test case."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from typing import NamedTuple

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Case(NamedTuple):
    """A test case; ``failure`` says why it failed, and is empty where it did not."""

    name: str
    failure: str = ""
    details: str = ""


def gate_xml(candidate: str, cases: Sequence[Case], error: str = "") -> bytes:
    """A test suite of the cases; an error is that of a gate that could not decide."""
    failed = sum(bool(case.failure) for case in cases)
    counts = {"tests": str(len(cases) or 1), "failures": str(failed), "errors": str(int(bool(error)))}
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(root, "testsuite", {"name": _text(f"evalsql gate {candidate}"), **counts})
    for case in cases:
        found = ElementTree.SubElement(suite, "testcase", {"classname": "evalsql.gate", "name": _text(case.name)})
        if case.failure:
            failure = ElementTree.SubElement(found, "failure", {"message": _text(case.failure)})
            failure.text = _text(case.details)
    if error:
        found = ElementTree.SubElement(suite, "testcase", {"classname": "evalsql.gate", "name": "the gate can decide"})
        ElementTree.SubElement(found, "error", {"message": _text(error)})
    ElementTree.indent(root)
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _text(text: str) -> str:
    """The text without the characters that XML cannot hold."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
