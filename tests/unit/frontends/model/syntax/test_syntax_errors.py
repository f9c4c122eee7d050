"""Syntax errors: what they say, and going on after them."""

from __future__ import annotations

import pytest

from tests.unit.frontends.model.loading import errors


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int x\nthread t { }", "1:6 expected `;`"),
        ("thread t {\n  skip\n  skip;\n}", "2:7 expected `;`"),
        ("thread t { skip }", "1:17 unexpected `}`, expected `;`"),
        ("thread t { x = ; }", "1:16 unexpected `;`, expected an expression"),
        ("thread t { x = (1 + 2; }", "1:22 unexpected `;`, expected `)`"),
        ("thread t { x = 1 2; }", "1:18 unexpected `2`, expected `;`, `,` or an operator"),
        ("thread t { if x skip; }", "1:15 unexpected `x`, expected `(`"),
        (
            "thread t { if (x = 1) skip; }",
            "1:18 unexpected `=`, expected `)`, `.`, `[` or an operator (use `==` to compare)",
        ),
        (
            "thread t { x++; }",
            "1:13 unexpected `+`, expected `;`, `=`, `(`, `,` or …"
            " (there is no `++`, `--` or `+=`; write `x = x + 1`)",
        ),
        (
            "thread t { x += 1; }",
            "1:14 unexpected `+`, expected `;`, `=`, `(`, `,` or …"
            " (there is no `++`, `--` or `+=`; write `x = x + 1`)",
        ),
        (
            "thread t { wihle (x < 1) { } }",
            "1:26 unexpected `{`, expected `;`, `=`, `,`, `.` or …"
            " (did you mean `while` instead of `wihle`?)",
        ),
        ("int or;", "1:5 unexpected `or`, expected `[` or a name (`or` is a reserved word)"),
        (
            "invarant i: true;",
            "1:11 unexpected `:`, expected `;`, `=`, `(`, `,` or …"
            " (did you mean `invariant` instead of `invarant`?)",
        ),
        ("thread t[2 { }", "1:12 unexpected `{`, expected `]` or an operator"),
        ("3;", "1:1 unexpected `3`, expected a declaration"),
        ("thread t { either { } }", "1:23 unexpected `}`, expected `or`"),
        ("thread t { x = 'a'; }", '1:16 unexpected character "\'"'),
        ("thread t { x = @; }", "1:16 unexpected character '@'"),
        ("thread t { x = é; }", "1:16 unexpected character 'é'"),
        ("thread t {\n /* no end\n }", "2:2 comment without end (close it with `*/`)"),
        ("thread t {\n skip;\n", "3:1 unexpected end of file, expected `}` or a statement"),
        ("int[0..3 x;", "1:10 unexpected `x`, expected `]` or an operator"),
    ],
)
def test_messages(text: str, message: str) -> None:
    assert errors(text)[0] == message


def test_several_syntax_errors_in_one_run() -> None:
    text = """\
int x = ;
thread t {
    x = = 1;
    if (x { skip; }
    x = 2;
    { 3; }
    x = 4
}
invariant i true;
thread u { goto 5; }
"""
    found = errors(text)
    assert [message.split(" ", 1)[0] for message in found] == [
        "1:9",
        "3:9",
        "4:11",
        "6:7",
        "7:10",
        "9:13",
        "10:17",
    ]


def test_end_of_file_shows_what_is_open() -> None:
    from threadwise.core.errors import InputError
    from threadwise.core.source import SourceFile
    from threadwise.frontends.model import load_model

    with pytest.raises(InputError) as caught:
        load_model(SourceFile("m.tw", "thread t {\n  if (x) {\n  }\n"))
    (note,) = caught.value.diagnostics[0].notes
    assert note.message == "`{` opened here"
    assert note.span is not None
    assert (note.span.line, note.span.column) == (1, 10)


def test_number_of_syntax_errors_is_bounded() -> None:
    assert len(errors("thread t {" + "x = ;" * 1000 + "}")) == 20
