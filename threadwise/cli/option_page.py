"""The page docs/user/options.md, written from the table of options.

python -m threadwise.cli.option_page > docs/user/options.md
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.cli import terminal
from threadwise.cli.options import written
from threadwise.core.options import Group, Option, options

_HEAD = """\
# Options

Every option of `threadwise check`, as `threadwise check --help` has them, and which other commands
take it. This page is made from the table in `threadwise/core/options.py`:
`python -m threadwise.cli.option_page > docs/user/options.md`.

In [`threadwise.toml`](command-line.md#defaults-in-a-file) an option has its long name without the
dashes in front. In [Python](python.md) it is a parameter of `check`; options about C are fields of
`COptions` there. What is *recorded* is part of evidence: `certify` and `replay` load the program
in the same way again.
"""
_COLUMNS = ("option", "meaning", "default", "also in", "recorded", "Python")


def page() -> str:
    """The page."""
    return "\n".join([_HEAD, *(line for group in Group for line in _section(group))])


def _section(group: Group) -> Iterator[str]:
    yield f"## {group.value}\n"
    yield f"| {' | '.join(_COLUMNS)} |"
    yield "|---" * len(_COLUMNS) + "|"
    yield from (_row(option) for option in options().values() if option.group is group)
    yield ""


def _row(option: Option) -> str:
    names = ", ".join(f"`{name}`" for name in written(option))
    metavar = f" `{option.metavar}`" if option.metavar else ""
    does = option.help.removeprefix("C: ")
    told = [does[0].upper() + does[1:], "Repeatable." if option.is_repeatable else "", option.more]
    others = ", ".join(command for command in option.commands if command != "check")
    recorded = f"`{option.recorded}`" if option.recorded else ""
    python = f"`{option.python}`" if option.python else ""
    cells = (names + metavar, " ".join(filter(None, told)), option.usual, others, recorded, python)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    terminal.out(page())
