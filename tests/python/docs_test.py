"""Every snippet of a page runs as it stands there, in the order of the page, and prints what the page shows below it."""

import contextlib
import io
import pathlib
import re
import sys
import unittest

PAGE = pathlib.Path(sys.argv.pop())


class Page(unittest.TestCase):
    def test_snippets(self):
        snippets = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", PAGE.read_text(), re.S)
        self.assertGreater(len(snippets), 3)
        names = {}
        for program, expected in snippets:
            with self.subTest(program):
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    exec(compile(program, str(PAGE), "exec"), names)
                self.assertEqual(out.getvalue(), expected)


if __name__ == "__main__":
    unittest.main()
