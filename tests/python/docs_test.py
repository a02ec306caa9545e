"""Every snippet of a page runs, in the order of the page, and prints the text that the page shows below it."""

import contextlib
import io
import pathlib
import re
import sys
import unittest

PAGES = [pathlib.Path(page) for page in sys.argv[1:]]
SNIPPET = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```|\nIt prints `([^`]+)`)", re.S)


class Pages(unittest.TestCase):
    def test_snippets(self):
        self.assertTrue(PAGES)
        for page in PAGES:
            text, names = page.read_text(), {}
            snippets = SNIPPET.findall(text)
            # Every snippet shows its output.
            self.assertEqual(len(snippets), text.count("```python"), page)
            self.assertTrue(snippets, page)
            for program, expected, in_line in snippets:
                with self.subTest(program):
                    out = io.StringIO()
                    with contextlib.redirect_stdout(out):
                        exec(compile(program, str(page), "exec"), names)
                    self.assertEqual(out.getvalue(), expected or in_line + "\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
