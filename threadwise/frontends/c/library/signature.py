"""Reading the signature of an entry: enough of C declarations to know names and parameters."""

from __future__ import annotations

import re

from threadwise.core.quick_dataclass import dataclass

_SIGNATURE = re.compile(r"(?P<result>[\w\s*]*?[\s*])(?P<name>\w+)\s*\((?P<parameters>.*)\)", re.S)
_POINTER_TO_FUNCTION = re.compile(r"\(\s*\*\s*(?:const\s+)?(?P<name>\w+)\s*\)")
_LAST_NAME = re.compile(r"(?P<name>\w+)\s*(?:\[[^]]*\]\s*)*$")


@dataclass(frozen=True)
class Parameter:
    """A parameter and its declaration."""

    name: str
    text: str

    @property
    def is_pointer(self) -> bool:
        """Whether it can lead to memory."""
        return any(mark in self.text for mark in "*[") or "va_list" in self.text


@dataclass(frozen=True)
class Signature:
    """A function's name, result and named parameters."""

    name: str
    result: str
    parameters: tuple[Parameter, ...]
    variadic: bool


def parse_signature(text: str) -> Signature | None:
    """The parts of `result name(parameters)`; None if the text is not of this form.

    Every parameter must have a name, since effects refer to it.
    """
    match = _SIGNATURE.fullmatch(" ".join(text.split()).removesuffix(";").strip())
    if match is None:
        return None
    pieces = [piece.strip() for piece in _split(match["parameters"])]
    variadic = pieces[-1:] == ["..."]
    if variadic:
        pieces.pop()
    if pieces in ([""], ["void"]):
        pieces = []
    parameters = [_parameter(piece) for piece in pieces]
    named = tuple(parameter for parameter in parameters if parameter is not None)
    if len(named) < len(parameters):
        return None
    return Signature(match["name"], match["result"].strip(), named, variadic)


def _split(parameters: str) -> list[str]:
    pieces = [""]
    depth = 0
    for character in parameters:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += character
    return pieces


def _parameter(text: str) -> Parameter | None:
    found = _POINTER_TO_FUNCTION.search(text) or _LAST_NAME.search(text)
    if found is None or found.start() == 0:
        return None
    return Parameter(found["name"], text)
