"""A header as Doxygen reads it: a comment of several names counts for each of them, where Doxygen has it for one alone.

A field in C without a comment is that of the same name in C++.

header.py FILE writes the header to standard output, line for line. Doxygen calls it for every header (FILTER_PATTERNS in
Doxyfile)."""
import pathlib
import re
import sys

DECLARATION = re.compile(r"(\s+)(\w[^;(]*|\w.*[{=].*);(?:\s*///<\s*(.*))?")
NAME = r"\w+(?:\[\w+\])?(?:\s*=.*|\{.*\})?"
FIRST = re.compile(rf"(.*?[\s>])({NAME})")
NEXT = re.compile(NAME)


def parts_of(text):
    """The text cut at commas that stand within no brackets."""
    depth, parts = 0, [""]
    for letter in text:
        depth += (letter in "<({") - (letter in ">)}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def declarations_of(text):
    """The declarations of one name each that this one of several stands for; none if it is no such one."""
    first, *others = parts_of(text)
    head = FIRST.fullmatch(first)
    if not others or not head or not all(NEXT.fullmatch(other) for other in others):
        return []
    return [head[1] + name for name in (head[2], *others)]


def continued(lines, i):
    """The rest of the comment behind the declaration of line i, which goes on in lines of its own."""
    for line in lines[i + 1:]:
        found = re.fullmatch(r"\s*///< (.*)", line)
        if not found:
            return
        yield found[1]


def converted(lines, otherwise=""):
    """`otherwise` is the comment of fields that have none."""
    before = []
    for i, line in enumerate(lines):
        comment = re.fullmatch(r"\s*///(?!<) ?(.*)", line)
        if comment:
            before.append(comment[1])
            yield line
            continue
        found = DECLARATION.fullmatch(line)
        declarations = declarations_of(found[2]) if found else []
        if declarations and found[3]:
            text = " ".join([found[3], *continued(lines, i)])
            yield found[1] + " ".join(f"{declaration}; /**< {text} */" for declaration in declarations[:-1]) + \
                f" {declarations[-1]};  ///< {found[3]}"
        elif declarations and before:
            text = " ".join(before)
            yield found[1] + f"; /** {text} */ ".join(declarations) + ";"
        elif otherwise and found and not found[3] and not before:
            yield found[1] + " ".join(f"{name}; /**< {otherwise} */" for name in declarations or [found[2]])
        else:
            yield line
        before = []


def main():
    header = pathlib.Path(sys.argv[1])
    otherwise = "As in C++." if header.suffix == ".h" else ""
    print("\n".join(converted(header.read_text().splitlines(), otherwise)))


if __name__ == "__main__":
    main()
