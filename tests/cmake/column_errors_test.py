"""Errors of compilers for columns that cannot view the caller's data.

python3 column_errors_test.py <folder of the headers> <c++>...

Every line of column_errors_test.cpp with "error:" has one error of each compiler, which contains the text behind it.
"""

import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).with_name("column_errors_test.cpp")


def errors_of(compiler, include):
    """Returns the line and the text of each error. Notes belong to the error before them."""
    command = [compiler, "-std=c++20", "-fsyntax-only", "-ferror-limit=0" if "clang" in pathlib.Path(compiler).name else "-fmax-errors=0"]
    command += ["-fno-diagnostics-show-option", "-fdiagnostics-color=never", "-I", include, str(SOURCE)]
    output = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stderr
    parts = re.split(r"^(\S+?):(\d+):\d+: error: ", output, flags=re.M)[1:]
    return [(pathlib.Path(file).name, int(line), text) for file, line, text in zip(parts[::3], parts[1::3], parts[2::3])]


def main():
    include, *compilers = sys.argv[1:]
    expected = {}
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        if found := re.search(r"// error: (.*)", line):
            expected[number] = found[1]
    assert len(expected) > 20
    wrong = []
    for compiler in compilers:
        errors = errors_of(compiler, include)
        for file, line, text in errors:
            if file != SOURCE.name or expected.get(line, "\n") not in text:
                wrong.append(f"{compiler}: {file}:{line}: unexpected error: {text}")
        for line, text in expected.items():
            if (number := sum(at == line for _, at, _ in errors)) != 1:
                wrong.append(f"{compiler}: line {line}: {number} errors instead of one, with {text}")
    print("\n".join(wrong) or f"{len(expected)} errors of {' and '.join(compilers)}")
    sys.exit(bool(wrong))


main()
