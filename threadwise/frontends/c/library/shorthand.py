"""Effects of entries that only say of what kind they are.

    acquire = "argument 0"      waits for the lock that the argument points to, and takes it
    try_acquire = "argument 0"  takes it if it is free, and says whether
    release = "argument 0"      gives it back
    acquire = "lock NAME"       the same for a lock without an object, shared by all who name it
    pure = true                 no effect on memory
    reads = "argument 0"        reads what the argument points to, a text to its end; or a list
    writes = "argument 0"       what the argument points to becomes any value, unless it is null
                                (with an opaque result: a value that is not computed)
    calls = "argument 1"        calls the function that the argument is, any number of times
    returns = "any"             the result: any value of its type, or `returns = 0`
    returns = "error"           0, or -1 and any `errno`
    returns = "count"           not negative, or -1 and any `errno`
    returns = "opaque"          a value that the arguments or the state of the system determine
                                and that is not computed: no violation rests on it
    returns = "opaque error"    as "error", but whether it fails is determined
    returns = "opaque count"    as "count", but the number is determined
    returns = "file"            the number of a file that is opened, or -1 and any `errno`
    returns = "text"            null, or any text
    returns = "fresh"           null, or new memory of any content
    ends = "program"            does not return: `program` or `thread`

The lock of an argument is the member `lock` of what it points to: the type of the object has to be
one of ours, `struct __tw_spin` for example, which the table `[types]` says.
"""

from __future__ import annotations

import re

from threadwise.frontends.c.library.signature import Parameter, Signature

KINDS = (
    "acquire",
    "try_acquire",
    "release",
    "pure",
    "reads",
    "writes",
    "calls",
    "returns",
    "ends",
)
_RESULTS = {
    "error": "return __tw_any_bool() ? 0 : __library_fails();",
    "count": "{result} found = ({result})__tw_any_long(); "
    "return found >= 0 ? found : __library_fails();",
    "opaque": "return ({result})__tw_opaque_long();",
    "opaque error": "return __library_outcome(-(int)__tw_opaque_bool());",
    "opaque count": "{result} found = ({result})__tw_opaque_long(); "
    "found = found < 0 ? -1 : found; __library_outcome(found < 0); return found;",
    "file": "return __tw_any_bool() ? __library_new_descriptor() : __library_fails();",
    "text": "return __tw_any_bool() ? __library_text() : 0;",
}

_LOCK = re.compile(r"(?P<how>argument|lock) (?P<which>\w+)")
_ANY = {
    "_Bool": "bool",
    "bool": "bool",
    "char": "schar",
    "signed char": "schar",
    "unsigned char": "uchar",
    "short": "short",
    "unsigned short": "ushort",
    "int": "int",
    "unsigned": "uint",
    "unsigned int": "uint",
    "long": "long",
    "unsigned long": "ulong",
    "long long": "longlong",
    "unsigned long long": "ulonglong",
    "float": "float",
    "double": "double",
}


class BadShorthand(Exception):  # noqa: N818 - caught by the reader, which knows the place
    """What is wrong, and with which key."""

    def __init__(self, key: str, message: str) -> None:
        self.key = key
        self.message = message
        super().__init__(key, message)


def named_lock(name: str) -> str:
    """The variable behind `lock NAME`."""
    return f"__tw_named_lock_{name}"


def named_locks(values: dict[str, object]) -> list[str]:
    """The names in `lock NAME`."""
    found = [_LOCK.fullmatch(value) for value in values.values() if isinstance(value, str)]
    return [match["which"] for match in found if match is not None and match["how"] == "lock"]


def effect_of(signature: Signature, values: dict[str, object]) -> str:
    """The C body that the keys of an entry stand for."""
    lines = []
    writing = _determining if str(values.get("returns")).startswith("opaque") else _writing
    for key, line in (("reads", _reading), ("writes", writing), ("calls", _calling)):
        lines += [line(each) for each in _arguments(signature, key, values.get(key, []))]
    for key in ("acquire", "release"):
        if key in values:
            lines.append(f"__tw_{key}({_lock(signature, key, values[key])});")
    if "try_acquire" in values:
        lock = _lock(signature, "try_acquire", values["try_acquire"])
        lines.append(f"return __tw_try_acquire({lock});")
    elif "ends" in values:
        lines.append(_end(values["ends"]))
    else:
        lines.append(_return(signature, values.get("returns")))
    return "\n".join(lines)


def any_value(result: str) -> str | None:
    """An expression for any value of a result type; None if there is none."""
    if "*" in result:
        return None
    words = " ".join(word for word in result.split() if word not in ("extern", "static", "const"))
    if words in _ANY:
        return f"({words})__tw_any_{_ANY[words]}()"
    if words.startswith(("struct ", "union ")):
        return None
    return f"({words})__tw_any_ulonglong()"


def _return(signature: Signature, value: object) -> str:
    if signature.result == "void":
        if value is not None:
            raise BadShorthand("returns", "a function of type void returns nothing")
        return "return;"
    if isinstance(value, str) and value in _RESULTS:
        return _RESULTS[value].format(result=signature.result)
    if value == "fresh":
        return f"return __tw_any_bool() ? ({signature.result})__tw_allocate(1, 1) : 0;"
    if isinstance(value, bool) or not (value is None or value == "any" or isinstance(value, int)):
        known = ", ".join(f'"{name}"' for name in ("any", *_RESULTS, "fresh"))
        raise BadShorthand("returns", f"expected {known} or a number")
    if isinstance(value, int):
        return f"return {value};"
    expression = any_value(signature.result)
    if expression is None:
        raise BadShorthand("returns", f"no way to make any value of type `{signature.result}`")
    return f"return {expression};"


def _arguments(signature: Signature, key: str, value: object) -> list[Parameter]:
    """The parameters that a key names, one or a list."""
    found = []
    for each in value if isinstance(value, list) else [value]:
        match = _LOCK.fullmatch(each) if isinstance(each, str) else None
        if match is None or match["how"] != "argument" or not match["which"].isdecimal():
            raise BadShorthand(key, 'expected "argument N", or a list of such')
        position = int(match["which"])
        if position >= len(signature.parameters):
            count = len(signature.parameters)
            raise BadShorthand(key, f"`{signature.name}` has {count} arguments, counted from 0")
        if not signature.parameters[position].is_pointer:
            raise BadShorthand(key, f"argument {position} is no pointer")
        found.append(signature.parameters[position])
    return found


def _reading(parameter: Parameter) -> str:
    if re.search(r"\bchar\b", parameter.text):
        return f"if ({parameter.name}) __tw_read_text({parameter.name});"
    return f"if ({parameter.name}) __tw_read({parameter.name}, 1);"


def _writing(parameter: Parameter) -> str:
    return f"if ({parameter.name}) __tw_any_object({parameter.name});"


def _determining(parameter: Parameter) -> str:
    return f"if ({parameter.name}) __tw_opaque_object({parameter.name});"


def _calling(parameter: Parameter) -> str:
    return f"while (__tw_any_bool()) {parameter.name}();"


def _end(value: object) -> str:
    if value == "program":
        return "__tw_exit_program();"
    if value == "thread":
        return "__tw_exit_thread(0);"
    raise BadShorthand("ends", 'expected "program" or "thread"')


def _lock(signature: Signature, key: str, value: object) -> str:
    match = _LOCK.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise BadShorthand(key, 'expected "argument N" or "lock NAME"')
    if match["how"] == "lock":
        return f"&{named_lock(match['which'])}"
    if not match["which"].isdecimal() or int(match["which"]) >= len(signature.parameters):
        count = len(signature.parameters)
        raise BadShorthand(key, f"`{signature.name}` has {count} arguments, counted from 0")
    parameter = signature.parameters[int(match["which"])]
    if not parameter.is_pointer:
        raise BadShorthand(key, f"argument {match['which']} is no pointer")
    return f"&{parameter.name}->lock"
