"""Proves multithreaded programs one thread at a time.

The Python interface is `threadwise.api`; its names are attributes of this package and loaded on
first use, so that `import threadwise` costs next to nothing.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadwise.api import (
        ANY,
        NOBODY,
        SELF,
        Certificate,
        COptions,
        DataModel,
        Defect,
        DescribedTrace,
        Diagnostic,
        Event,
        InputError,
        InternalError,
        Model,
        Outcome,
        OutcomeKind,
        Overflow,
        Program,
        PropertyResult,
        Refuted,
        ReplayFailure,
        Result,
        Run,
        Span,
        ThreadwiseError,
        Trace,
        Unsupported,
        Verdict,
        certify,
        check,
        explain,
        forall,
        load,
        replay,
        reproduce,
        simulate,
        to_json,
        to_text,
        write_certificate,
        write_trace,
        write_witness,
    )

__version__ = "0.1.0"

__all__ = [
    "ANY",
    "NOBODY",
    "SELF",
    "COptions",
    "Certificate",
    "DataModel",
    "Defect",
    "DescribedTrace",
    "Diagnostic",
    "Event",
    "InputError",
    "InternalError",
    "Model",
    "Outcome",
    "OutcomeKind",
    "Overflow",
    "Program",
    "PropertyResult",
    "Refuted",
    "ReplayFailure",
    "Result",
    "Run",
    "Span",
    "ThreadwiseError",
    "Trace",
    "Unsupported",
    "Verdict",
    "__version__",
    "certify",
    "check",
    "explain",
    "forall",
    "load",
    "replay",
    "reproduce",
    "simulate",
    "to_json",
    "to_text",
    "write_certificate",
    "write_trace",
    "write_witness",
]


if not TYPE_CHECKING:  # type checkers see the imports above, and report other names

    def __getattr__(name: str) -> object:
        if name in __all__:
            from threadwise import api

            return getattr(api, name)
        raise AttributeError(f"module `threadwise` has no attribute `{name}`")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
