"""A failed assertion in words. What a front end says of it is a text: the condition, or a name."""

from __future__ import annotations

_CALLED = ("reach_error()", "__VERIFIER_error()")
_NAMED = ("__VERIFIER_assert", "lockdep_assert_held")
_SENTENCES = ("assertion ", "the assertion ")


def failing(message: str) -> str:
    """What fails, as the beginning of a sentence."""
    if message.startswith(_SENTENCES):
        return message
    if message in _CALLED:
        return f"{message} is called"
    if message in _NAMED:
        return f"{message} fails"
    if message.startswith("the claim"):
        return f"{message} is wrong"
    return f"assertion `{message}` fails"
