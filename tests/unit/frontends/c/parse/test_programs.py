"""Declarations, statements, initialisers, several files, and what goes wrong."""

import pytest

from tests.unit.frontends.c.checking import holds, main_verdict
from tests.unit.frontends.c.parse.showing import body_of, initial, kind, parsed, program, statement
from threadwise.core.errors import InputError
from threadwise.core.source import SourceFile
from threadwise.frontends.c.line_markers import shown_sources
from threadwise.frontends.c.options import COptions, DataModel
from threadwise.frontends.c.parse import Parser
from threadwise.frontends.c.tree import Storage


@pytest.mark.parametrize(
    ("header", "shown"),
    [
        (";;", "for ( |  | ) break;"),
        ("i;;", "for ([i]; |  | ) break;"),
        (";i;", "for ( | [i] | ) break;"),
        (";;i", "for ( |  | [i]) break;"),
        ("i;i;", "for ([i]; | [i] | ) break;"),
        ("i;;i", "for ([i]; |  | [i]) break;"),
        (";i;i", "for ( | [i] | [i]) break;"),
        ("int k = 0;;", "for (i32 k = 0:i32; |  | ) break;"),
        ("int k = 0;;k++", "for (i32 k = 0:i32; |  | k++) break;"),
        ("int k = 0, n = 1; k;", "{i32 k = 0:i32; for (i32 n = 1:i32; | [k] | ) break;}"),
    ],
)
def test_for_headers(header: str, shown: str) -> None:
    assert body_of(f"int i; void f(void) {{ for ({header}) break; }}") == [shown]


def test_for_header_in_a_macro() -> None:
    text = "#define LOOP(c) for (;c;)\nint i; void f(void) { LOOP(i) LOOP(!i) break; }"
    assert body_of(text) == ["for ( | [i] | ) for ( | (![i]):i32 | ) break;"]


def test_statements() -> None:
    text = """
    int i;
    int f(int n) {
        int n2 = n; { int n = 1; i = n; }
        if (n) ; else i = 2;
        while (i) continue;
        do i--; while (i > 0);
        switch (n) { case 1: case 2 ... 4: i = 1; break; case -1: default: i = 0; }
        goto out;
    out:
        return i;
    }"""
    assert body_of(text) == [
        "i32 n2 = [n];",
        "{i32 n.2 = 1:i32; i = [n.2];}",
        "if [n] ; else i = 2:i32;",
        "while [i] continue;",
        "do i--; while ([i] > 0:i32):i32",
        "switch [n] {case 1..1: case 2..4: i = 1:i32; break; case -1..-1: default: i = 0:i32;}",
        "goto out;",
        "out: return [i];",
    ]


@pytest.mark.parametrize(
    ("declaration", "shown"),
    [
        ("int x = 3;", "3:i32"),
        ("int x[3] = { 1, 2 };", "{0: 1:i32, 1: 2:i32}"),
        ("int x[] = { [2] = 1, 2, [0] = 3 };", "{2: 1:i32, 3: 2:i32, 0: 3:i32}"),
        ("int x[4] = { [1 ... 2] = 5 };", "{1: 5:i32, 2: 5:i32}"),
        ("int x[2][2] = { 1, 2, 3 };", "{0: {0: 1:i32, 1: 2:i32}, 1: {0: 3:i32}}"),
        ("int x[2][2] = { [1][0] = 4, 5 };", "{1: {0: 4:i32, 1: 5:i32}}"),
        ("int x[3][2] = { [0 ... 1] = { 7 } };", "{0: {0: 7:i32}, 1: {0: 7:i32}}"),
        ("int x[2][2] = { { 1 }, { 2 } };", "{0: {0: 1:i32}, 1: {0: 2:i32}}"),
        ("struct s { int a, b[2], c; } x = { 1, 2, 3, 4 };",
         "{0: 1:i32, 1: {0: 2:i32, 1: 3:i32}, 2: 4:i32}"),
        ("struct s { int a, b[2], c; } x = { .b[1] = 2, 3 };", "{1: {1: 2:i32}, 2: 3:i32}"),
        ("struct s { int a; union { int u; char v; }; } x = { .v = 1, .u = 2 };",
         "{1: {0: 2:i32}}"),
        ("struct s { int a; struct { int b, c; }; } x = { 1, .c = 2 };",
         "{0: 1:i32, 1: {1: 2:i32}}"),
        ("char x[4] = \"ab\";", "{0: 97:i8, 1: 98:i8}"),
        ("char x[] = { \"a\" };", "{0: 97:i8}"),
        ("char x[2][3] = { \"a\", \"b\" };", "{0: {0: 97:i8}, 1: {0: 98:i8}}"),
        ("struct s { unsigned : 3; int a; } x = { 5 };", "{0: 5:i32}"),
        ("int *x = &(int){ 4 };", "&literal:i32 4:i32"),
        ("int x = { 3 };", "3:i32"),
        ("struct s { int a; } x = {};", "{}"),
        ("int f(int); int (*x)(int) = f;", "f"),
        ("int y; int *x = &y;", "&y"),
    ],
)  # fmt: skip
def test_initialisers(declaration: str, shown: str) -> None:
    found = initial(program(declaration).variables["x"].initial)
    assert found.replace("literal:i324", "literal:i32 4") == shown


def test_record_value_initialises_a_record() -> None:
    text = "struct s { int a, b; } g; void f(void) { struct s x[2] = { g, { 1 } }; }"
    assert body_of(text) == ["<struct s>[2] x = {0: [g], 1: {0: 1:i32}};"]


def test_static_locals_are_globals_with_names_of_their_own() -> None:
    found = program(
        "int x; void f(void) { static int x = 3; { static int x; x++; } } "
        "static _Thread_local int t; void g(void) { static int x; }"
    )
    assert {name: v.storage for name, v in found.variables.items()} == {
        "x": Storage.GLOBAL,
        "t": Storage.THREAD,
        "f.x": Storage.GLOBAL,
        "f.x.2": Storage.GLOBAL,
        "g.x": Storage.GLOBAL,
    }
    assert initial(found.variables["f.x"].initial) == "3:i32"


def test_files_are_linked() -> None:
    found = program(
        "extern int shared; static int own; int f(int); "
        "int main(void) { return f(shared + own); }",
        "int shared = 4; static int own = 5; int f(int x) { return x + own; }",
    )
    assert sorted(found.variables) == ["own", "own.2", "shared"]
    assert not found.variables["shared"].external
    assert initial(found.variables["shared"].initial) == "4:i32"
    assert initial(found.variables["own.2"].initial) == "5:i32"
    assert all(function.body is not None for function in found.functions.values())


def test_defined_twice() -> None:
    with pytest.raises(InputError) as caught:
        program("int f(void) { return 1; }\nint x = 1;", "int x = 2;\nint f(void) { return 2; }")
    messages = [str(each) for each in caught.value.diagnostics]
    assert messages == [
        "t2.c:1:5: error: `x` is defined twice",
        "t2.c:2:5: error: `f` is defined twice",
    ]


def test_declared_differently() -> None:
    with pytest.raises(InputError) as caught:
        program("long x;", "extern int x;")
    assert "t2.c:1:12: error: `x` is declared with different types" in str(caught.value)


def test_threads_and_locks_by_name() -> None:
    found = program(
        "typedef __tw_tid pthread_t; pthread_t t, ts[2]; "
        "struct m { struct __tw_lock lock; int n; } m = { {0}, 3 };"
    )
    assert [kind(v.type) for v in found.variables.values()] == [
        "threadid",
        "threadid[2]",
        "<struct m>",
    ]
    assert kind(found.records["struct m"].fields[0].type) == "lock"
    assert initial(found.variables["m"].initial) == "{0: {}, 1: 3:i32}"


def test_only_what_is_used_belongs_to_the_program() -> None:
    found = program("extern int a, b; int g(void), h(void); int f(void) { return a + g(); }")
    assert sorted(found.functions) == ["f", "g"]
    assert sorted(found.variables) == ["a"]


def test_headers_count_where_their_functions_are_named() -> None:
    """Declarations of headers are converted when somebody names the function, and no sooner."""
    with pytest.raises(InputError) as caught:
        program("#include <stdlib.h>\nvoid g(void) { abs(1); }", "double abs(double);")
    assert "t2.c:1:8: error: `abs` is declared with different types" in str(caught.value)
    late = program("int abs();\n#include <stdlib.h>\nvoid g(void) { abs(1); exit(0); }")
    parameters = late.functions["abs"].type.parameters
    assert parameters is not None
    assert len(parameters) == 1
    assert late.functions["exit"].no_return
    assert set(late.functions) == {"g", "abs", "exit"}


def test_data_models() -> None:
    text = "long l; void *p; long long ll;"
    for model, width, pointer in ((DataModel.LP64, 64, 64), (DataModel.ILP32, 32, 32)):
        found = program(text, options=COptions(data_model=model))
        assert kind(found.variables["l"].type) == f"i{width}"
        assert found.pointer_width == pointer


def test_undeclared_function_is_a_warning() -> None:
    found = parsed("int main(void) { return helper(1); }")
    assert [str(each.span) for each in found.warnings] == ["t1.c:1:25"]
    assert "undeclared function `helper`" in found.warnings[0].message


def test_old_style_function() -> None:
    text = "int g(a, c) int a; char c; { return a + c; } void f(void) { g(1, 'x'); }"
    assert body_of(text) == ["g(1:i32, (i8)120:i32):i32;"]


def test_unsupported_constructs_stay_in_place() -> None:
    text = "int printf(const char *, ...); void f(int n, ...) { _Complex double z = 0; }"
    lines = [line for line in body_of(text) if "unsupported" in line]
    assert lines == [
        "f128 z = unsupported<complex numbers>;",
    ]


def test_assembly() -> None:
    text = (
        "int x, y; void f(void) { asm volatile(\"\" ::: \"memory\"); "
        "asm(\"mov %1, %0\" : \"=r\"(x) : \"r\"(y)); asm(\"hlt\" ::: \"memory\"); }"
    )  # fmt: skip
    unknown = "unsupported<assembly without operands>;"
    assert body_of(text) == ["asm();", "asm(x, [y]);", unknown]


def test_several_errors_with_places() -> None:
    with pytest.raises(InputError) as caught:
        program("int f(void) {\n  return counter;\n}\nint count;\nvoid g(void) { cout = 1; }\n")
    found = caught.value.diagnostics
    assert [str(each.span) for each in found] == ["t1.c:2:10", "t1.c:5:16"]
    assert "did you mean `count`?" in found[1].message


def test_own_declarations_count_not_those_of_our_headers() -> None:
    """Systems differ in what they declare: a program may have its own functions and variables."""
    found = program(
        "#include <dirent.h>\n#include <string.h>\n"
        "static unsigned long strlcpy(char *to, const char *from, int more) { return more; }\n"
        "static int scandir(void) { return 1; }\n"
        "int index, y1;\n"
        'int f(char *a) { index = y1 = scandir(); return strlcpy(a, "b", 4) + strlen(a); }\n'
    )
    assert [name for name, each in found.functions.items() if each.body] == [
        "strlcpy",
        "scandir",
        "f",
    ]
    assert set(found.variables) == {"index", "y1"}


def test_mistakes_beside_own_declarations_are_reported() -> None:
    text = "#include <string.h>\nint index;\nint f(void) { return nobody; }\n"
    with pytest.raises(InputError, match="undeclared identifier `nobody`"):
        program(text)


def test_missing_header() -> None:
    with pytest.raises(InputError) as caught:
        program('#include "nowhere.h"\nint x;')
    assert str(caught.value) == "t1.c:1:10: error: `nowhere.h` file not found"


def test_line_markers() -> None:
    found = program('# 7 "orig.c"\nint x;\n')
    assert str(found.variables["x"].span) == "orig.c:7:5"


def test_macro_uses_are_the_places() -> None:
    body = (
        program("#define SET(v) (v) = 1\nint x;\nvoid f(void) {\n  SET(x);\n}").functions["f"].body
    )
    assert body is not None
    assert str(body.statements[0].span) == "t1.c:4:3"


def test_wrong_options() -> None:
    for options in (COptions(standard="c1234"), COptions(define=("1x=2",))):
        with pytest.raises(InputError):
            program("int x;", options=options)


FOREIGN = """
# 1 "/usr/include/pthread.h" 1 3 4
enum { PTHREAD_MUTEX_TIMED_NP, PTHREAD_MUTEX_RECURSIVE_NP };
struct __mutex_s { int __lock; unsigned __count; int __kind; struct __mutex_s *__list; };
typedef union { struct __mutex_s __data; char __size[40]; long __align; } pthread_mutex_t;
typedef unsigned long int pthread_t;
extern int pthread_mutex_lock (pthread_mutex_t *__mutex) __attribute__ ((__nothrow__));
extern void *malloc (unsigned long) __attribute__ ((__malloc__ (free, 1)));
extern _Float128 strtof128 (const char *);
# 2 "user.c" 2
"""


def test_preprocessed_types_of_another_system_are_ours() -> None:
    options = {"pthread_mutex_t": "struct __tw_mutex", "pthread_t": "__tw_tid"}
    parser = Parser(COptions(), options)
    text = (
        "pthread_t t; pthread_mutex_t zero, m = { { 0, 0, PTHREAD_MUTEX_TIMED_NP, 0 } };\n"
        "struct n { int v; pthread_mutex_t m; } n = { 1, { { 0, 0, 1, (void *)0 } } };\n"
        "pthread_mutex_t odd = { { 1, 2 } };\n"
        "void f(void) { pthread_mutex_lock(&m); m.__data.__count = 1; }\n"
    )
    parser.add([SourceFile("user.i", FOREIGN + text)])
    found = parser.program.variables
    assert str(found["t"].span) == "user.c:2:11"
    assert kind(found["t"].type) == "threadid"
    assert kind(found["zero"].type) == kind(found["m"].type) == "<struct __tw_mutex>"
    assert initial(found["m"].initial) == "{}"
    names = [each.name for each in parser.program.records["struct __tw_mutex"].fields]
    assert initial(found["n"].initial) == f"{{0: 1:i32, 1: {{{names.index('kind')}: 1:i32}}}}"
    assert initial(found["odd"].initial) == "unsupported<this initialiser of struct __tw_mutex>"
    body = parser.program.functions["f"].body
    assert body is not None
    assert [statement(each) for each in body.statements] == [
        "pthread_mutex_lock(&m):i32;",
        "m.depth = 1:u32;",
    ]


def test_files_of_another_system_are_ours_by_their_tag_too() -> None:
    text = (
        "struct _IO_FILE; typedef struct _IO_FILE FILE;\n"
        "struct _IO_FILE { int _flags; char *_IO_read_ptr; struct _IO_FILE *_chain; };\n"
        "extern struct _IO_FILE *stderr; FILE *log; struct _IO_FILE *other;\n"
        "void f(void) { log = stderr; other = log; }\n"
    )
    parser = Parser(COptions())
    parser.add([SourceFile("user.i", text)])
    found = parser.program.variables
    shown = {kind(found[name].type) for name in ("stderr", "log", "other")}
    assert shown == {"<struct __tw_file>*"}


def test_lines_behind_markers() -> None:
    text = """# 1 "a.c"
int x;
# 5 "a.c" 3 4
void f(void) {

# 6 "a.c"
x = 1;
# 7 "a.c" 3 4
((void) 0
# 7 "a.c"
);
# 2 "b.h" 1
int y;
"""
    found = shown_sources([SourceFile("a.i", text)])
    assert sorted(found) == ["a.c", "a.i", "b.h"]
    lines = [found["a.c"].line(number) for number in range(1, 8)]
    assert lines == ["int x;", "", "", "", "void f(void) {", "x = 1;", ""]
    assert found["b.h"].line(2) == "int y;"


def test_anonymous_records_within_each_other() -> None:
    text = (
        "struct s { struct { int a; union { struct { int b, c; }; int d[2]; }; }; int e; } o, *p;"
        "void f(void) { o.c = 1; p->a = p->d[1]; (&o)->e = 2; }"
    )
    assert body_of(text) == [
        "o.0.1.0.c = 1:i32;",
        "*[p].0.a = [*(decay *[p].0.1.d +> 1:i32)];",
        "o.e = 2:i32;",
    ]


def test_anonymous_records_beside_each_other() -> None:
    """The names of headers for two systems: libclang has one name for both records."""
    text = (
        "struct s { union { struct { short a, b; }; struct { short source; long dest; }; }; } o;"
        "void f(void) { o.b = 1; o.source = 2; o.dest = 3; }"
    )
    assert body_of(text) == [
        "o.0.0.b = (i16)1:i32;",
        "o.0.1.source = (i16)2:i32;",
        "o.0.1.dest = (i64)3:i32;",
    ]
    records = program(text).records.values()
    assert sorted(len(each.fields) for each in records) == [1, 2, 2, 2]


@pytest.mark.parametrize(
    ("operand", "known"),
    [("*p", True), ("(*p)", True), ("p[1]", True), ("p[n]", True), ("p[n++]", False)],
)
def test_size_of_what_points_to_an_array_of_variable_length(operand: str, known: bool) -> None:
    """Of an array nothing is read by `*p`; finding it must not do anything either."""
    text = f"unsigned long x; void f(int n, int (*p)[n]) {{ x = sizeof({operand}); }}"
    assert ("unsupported" not in body_of(text)[-1]) == known


def test_arrays_of_variable_length() -> None:
    text = "void f(int n) { int a[n]; int b[n + 1][3]; int c[2][n]; typedef int t[n]; t d; }"
    assert body_of(text) == [
        "i32[] a[[n]];",
        "i32[3][] b[([n] + 1:i32):i32];",
        "unsupported<this array of variable length>;",
        "unsupported<this array of variable length>;",
    ]


CHOSEN = """
static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int (*chosen(int first))(int, int) { return first ? add : subtract; }
static int (*later(int which, ...))(int, int) { return chosen(which); }
"""


def test_functions_that_return_pointers_to_functions_have_their_own_parameters() -> None:
    """Those of the function that the pointer leads to are none of theirs."""
    assert holds("assert(chosen(1)(7, 2) == 9 && chosen(0)(7, 2) == 5);", CHOSEN)
    assert holds("assert(later(1, 0, 0)(7, 2) == 9 && later(0, 1, 1)(7, 2) == 5);", CHOSEN)
    assert main_verdict("assert(chosen(0)(7, 2) == 9);", CHOSEN) == "UNSAFE"
