"""What `certify` and `replay` say: which properties, of the program loaded how, assuming what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from threadwise.core.documents import span_to_json
from threadwise.core.load_options import LoadOptions
from threadwise.proofs.base.audit import Audit
from threadwise.proofs.base.locations import Location
from threadwise.report.audits import audit_to_json, audited
from threadwise.report.loading import load_to_json, options_given
from threadwise.report.locations import locations_to_json, locations_told
from threadwise.traces.files import trace_to_json
from threadwise.traces.trace import DescribedTrace

FORMAT_VERSION = 1


def loaded_with(load: LoadOptions) -> str:
    """How a program was loaded, to follow its name; nothing if as it stands."""
    given = options_given(load)
    return f" loaded with: {' '.join(given)}" if given else ""


def assuming(assumptions: Sequence[str]) -> str:
    """What a verdict rests on, line by line."""
    return "".join(f"  assuming: {assumption}\n" for assumption in assumptions)


def valid_text(
    file: str,
    certificate: str,
    load: LoadOptions,
    names: Sequence[str],
    rests: Sequence[str],
    audits: Sequence[Audit] = (),
) -> str:
    """That a certificate proves properties of a program."""
    looked = "".join(f"  {audited(audit)}\n" for audit in audits)
    listed = "".join(f"  {name}\n" for name in names)
    told = f"valid: {certificate} proves for {file}{loaded_with(load)}\n"
    return (told + listed if names else "") + looked + assuming(rests)


def partial_text(
    file: str, certificate: str, load: LoadOptions, name: str, locations: Sequence[Location]
) -> str:
    """That a certificate proves a property of some of the shared locations of a program."""
    lines = locations_told(name, locations, full=True)
    told = f"valid in part: {certificate} does not prove {name} for {file}{loaded_with(load)}\n"
    return told + "".join(f"  {line}\n" for line, _ in lines)


def reproduces_text(
    file: str, trace: str, name: str, load: LoadOptions, rests: Sequence[str]
) -> str:
    """That a trace violates a property of a program."""
    told = f"reproduces: {trace} violates {name} of {file}{loaded_with(load)}\n"
    return told + assuming(rests)


def proof_to_json(
    kind: str,
    names: Sequence[str],
    load: LoadOptions,
    rests: Sequence[str],
    audit: Audit | None = None,
    locations: Mapping[str, Sequence[Location]] | None = None,
) -> dict[str, Any]:
    """A valid proof; `partial` are properties of which it proves a part."""
    told = locations or {}
    listed = {name: locations_to_json(found) for name, found in told.items()}
    return {
        "kind": kind,
        "properties": list(names),
        **({"partial": [name for name in told if name not in names]} if told else {}),
        **({"locations": listed} if told else {}),
        "audit": audit_to_json(audit),
        **_circumstances(load, rests),
    }


def replayed_to_json(
    described: DescribedTrace, load: LoadOptions, rests: Sequence[str]
) -> dict[str, Any]:
    """A trace that reproduces."""
    return {
        "property": described.trace.property,
        "violation": described.violation,
        "location": span_to_json(described.location),
        **_circumstances(load, rests),
        "trace": trace_to_json(described, load),
    }


def _circumstances(load: LoadOptions, rests: Sequence[str]) -> dict[str, Any]:
    return {
        "options": options_given(load),
        "load": load_to_json(load),
        "assumptions": list(rests),
    }
