"""Our headers can be read, alone and together, and say what the system's say."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from clang import cindex
from clang.cindex import CursorKind

from tests.unit.frontends.c.checking import holds, lowered
from threadwise.frontends.c.options import COptions, DataModel
from threadwise.frontends.c.parse.units import arguments, headers

NAMES = sorted(
    str(path.relative_to(headers()))
    for path in headers().rglob("*.h")
    if not path.name.startswith("threadwise")
)
ALONE = {"tgmath.h", "linux/ip.h", "linux/udp.h", "linux/icmp.h", "termio.h"}
"""Headers that change names, or define what another header of the system defines, too."""
OPAQUE = re.compile(
    r"(struct|union) (__tw_\w*|__\w+|sigaction|dirent64|ucontext_t|ifaddrs)|"
    r"FILE|DIR|fpos\w*_t|jmp_buf|sigset_t|siginfo_t|pthread_\w+|sem_t|once_flag|va_list|"
    r"mtx_t|cnd_t|thrd_t|tss_t|cpu_set_t|locale_t|atomic_\w+|memory_order|mbstate_t|"
    r"ucontext_t|posix_spawnattr_t|cookie_io_functions_t|re_syntax_t"
)
"""Types that are ours: only their names are those of the system."""
DIFFERENT = {
    "PTHREAD_KEYS_MAX",
    "PTHREAD_STACK_MIN",
    "NFDBITS",
    "LINUX_VERSION_CODE",
    "MB_CUR_MAX",
    "MINSIGSTKSZ",
    "SIGSTKSZ",
    "_tolower",
    "_toupper",
}
"""Constants that depend on the version of the system, or that are ours on purpose."""


def diagnostics(text: str, options: COptions) -> list[str]:
    unit = cindex.Index.create().parse(
        "all.c", args=arguments(options), unsaved_files=[("all.c", text)]
    )
    return [str(each) for each in unit.diagnostics if each.severity >= cindex.Diagnostic.Error]


def including(names: list[str]) -> str:
    return "".join(f"#include <{name}>\n" for name in names)


@pytest.mark.parametrize("model", list(DataModel))
def test_every_header_can_be_read_alone(model: DataModel) -> None:
    for name in NAMES:
        assert diagnostics(including([name, name]), COptions(data_model=model)) == [], name


@pytest.mark.parametrize("standard", ["c99", "c11", "gnu17"])
def test_all_headers_can_be_read_together(standard: str) -> None:
    options = COptions(standard=standard)
    together = [name for name in NAMES if name not in ALONE]
    assert len(together) > 250
    assert diagnostics(including(together), options) == []
    assert diagnostics(including(together[::-1]), options) == []


def _facts(name: str) -> tuple[list[str], list[str]]:
    """What a header defines itself: names of constants, and types with their members."""
    path = str(headers() / name)
    unit = cindex.Index.create().parse(
        "one.c",
        args=arguments(COptions()),
        unsaved_files=[("one.c", including([name]))],
        options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD,
    )
    constants, shapes = [], []
    for cursor in unit.cursor.get_children():
        place = cursor.location.file
        if place is None or place.name != path:
            continue
        if cursor.kind == CursorKind.MACRO_DEFINITION:
            tokens = [token.spelling for token in cursor.get_tokens()]
            if len(tokens) > 1 and re.fullmatch(r"[A-Z_]\w*", cursor.spelling):
                constants.append(cursor.spelling)
        elif cursor.kind in (CursorKind.STRUCT_DECL, CursorKind.UNION_DECL):
            kind = cursor.type.spelling
            if cursor.is_definition() and not OPAQUE.fullmatch(kind) and "(" not in kind:
                shapes.append(f"sizeof({kind})")
                shapes += [
                    f"offsetof({kind}, {field.spelling})"
                    for field in cursor.type.get_fields()
                    if field.spelling and not field.is_bitfield()
                ]
    return constants, shapes


def _answers(program: str, folder: Path, *options: str) -> dict[str, str] | None:
    """What a program prints, line by line, or None if the compiler does not accept it."""
    source, target = folder / "facts.c", folder / "facts"
    source.write_text(program)
    built = subprocess.run(
        ["gcc", "-w", *options, "-o", str(target), str(source)], capture_output=True, check=False
    )
    if built.returncode:
        return None
    printed = subprocess.run([str(target)], capture_output=True, text=True, check=True).stdout
    return dict(line.split("=", 1) for line in printed.splitlines())


def _program(name: str, facts: list[str], also: str) -> str:
    """Prints every fact: an integer, a text, or `?` for anything else."""
    lines = [
        "#define _GNU_SOURCE",
        "#include <stddef.h>",
        also,
        f"#include <{name}>",
        "int printf(const char *, ...);",
        '#define SHOW(n, v) printf(n "=%lld\\n", (long long)__builtin_choose_expr( \\',
        "    __builtin_types_compatible_p(__typeof__(0, (v)), char *), 0, (v)))",
        "int main(void) {",
    ]
    for fact in facts:
        guard = fact if re.fullmatch(r"\w+", fact) else None
        lines += [f"#ifdef {guard}"] if guard else []
        lines += [f'SHOW("{fact}", {fact});']
        lines += ["#endif"] if guard else []
    return "\n".join([*lines, "return 0; }"]) + "\n"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no compiler to compare with")
@pytest.mark.parametrize("name", NAMES)
def test_constants_and_layouts_are_those_of_the_system(name: str, tmp_path: Path) -> None:
    constants, shapes = _facts(name)
    facts = [each for each in [*constants, *shapes] if each not in DIFFERENT]
    if not facts:
        return
    also = "#include <sys/types.h>\n#include <sys/socket.h>\n#include <time.h>\n"
    theirs = _compared(name, facts, also, tmp_path, ())
    if not theirs:
        pytest.skip("the system has no such header")
    ours = _compared(
        name,
        list(theirs),
        also,
        tmp_path,
        ("-nostdinc", "-isystem", str(headers()), "-include", "threadwise.h"),
    )
    assert ours == theirs


def _compared(
    name: str, facts: list[str], also: str, folder: Path, options: tuple[str, ...]
) -> dict[str, str]:
    """The facts that the compiler knows; those it does not accept are left out."""
    known = list(facts)
    for _ in range(3):
        source = folder / "facts.c"
        source.write_text(_program(name, known, also))
        found = subprocess.run(
            ["gcc", "-w", "-fmax-errors=0", "-fsyntax-only", *options, str(source)],
            capture_output=True,
            text=True,
            check=False,
        ).stderr
        lines = source.read_text().splitlines()
        wrong = {
            match
            for number in re.findall(r"facts\.c:(\d+):\d+: error", found)
            for match in re.findall(r'^SHOW\("([^"]*)"', lines[int(number) - 1])
        }
        if "fatal error" in found:
            return {}
        if not wrong:
            break
        known = [fact for fact in known if fact not in wrong]
    return _answers(_program(name, known, also), folder, *options) or {}


def test_functions_that_headers_define_can_be_called() -> None:
    """Their names must not be those of our primitives."""
    swapped = (
        "unsigned long wide = 0x0102030405060708; assert(bswap_16(0x0102) == 0x0201);"
        "assert(bswap_32(0x01020304) == 0x04030201);"
        "assert(bswap_64(wide) == 0x0807060504030201);"
    )
    assert holds(swapped, "#include <byteswap.h>")


@pytest.mark.parametrize("header", ["sys/time.h", "sys/select.h"])
def test_sets_of_descriptors_come_with_both_headers(header: str) -> None:
    """POSIX says so of <sys/time.h>, too."""
    lowered(
        f"#include <{header}>\n"
        "int main(void) { fd_set s; struct timeval t = {0, 0}; FD_ZERO(&s);"
        " return select(1, &s, 0, 0, &t); }"
    )
