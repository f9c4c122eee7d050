"""Results say which files were read: whoever remembers a verdict must know what it is about."""

from __future__ import annotations

import json
from pathlib import Path

from threadwise.core.c_options import COptions
from threadwise.core.load_options import LoadOptions
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file

MAIN = '#include <pthread.h>\n#include "size.h"\nint main(void) { return SIZE; }\n'


def files_read(path: Path, load: LoadOptions | None = None) -> tuple[str, ...]:
    """What a check of a file reads."""
    options = CheckOptions(properties=("races",), load=load or LoadOptions())
    return check_file(str(path), options, in_process=True).files


def test_a_model_is_one_file(tmp_path: Path) -> None:
    model = tmp_path / "one.tw"
    model.write_text("int[0..1] x; thread t { x = 1; }")
    assert files_read(model) == (str(model),)


def test_headers_of_the_user_count_and_ours_do_not(tmp_path: Path) -> None:
    main, size = tmp_path / "main.c", tmp_path / "size.h"
    main.write_text(MAIN)
    size.write_text("#define SIZE 0\n")
    assert files_read(main) == (str(main), str(size))


def test_files_beside_the_first_and_those_they_include(tmp_path: Path) -> None:
    main, size, other = tmp_path / "main.c", tmp_path / "size.h", tmp_path / "other.c"
    main.write_text(MAIN)
    size.write_text("#define SIZE 0\n")
    other.write_text('#include "size.h"\nint other = SIZE;\n')
    load = LoadOptions(c=COptions(beside=(str(other),)))
    assert files_read(main, load) == (str(main), str(size), str(other))


def test_a_compile_database_and_what_it_lists(tmp_path: Path) -> None:
    main, database = tmp_path / "main.c", tmp_path / "compile_commands.json"
    main.write_text("int main(void) { return 0; }\n")
    entry = {"directory": str(tmp_path), "file": "main.c", "arguments": ["cc", "-c", "main.c"]}
    database.write_text(json.dumps([entry]))
    assert [Path(path).resolve() for path in files_read(database)] == [database, main]
