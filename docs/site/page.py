"""A page of Markdown as Doxygen reads it: GitHub's anchors and its links to other pages become Doxygen's references.

page.py FILE writes the page to standard output. Doxygen calls it for every page (FILTER_PATTERNS in Doxyfile)."""
import pathlib
import re
import sys

# What is no page of Markdown but part of the site, with its place there.
SITE = {"docs/site/space/impulse-space.html": "impulse-space/index.html"}
ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGE = re.compile(r"!\[([^\]]*)\]\([^)\s]*?([^/)\s]+)\)")
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
HEADING = re.compile(r"(#+) (.*)")


def identifier(path):
    """The name of a page in Doxygen, whose first page is the README."""
    return "index" if path == ROOT / "README.md" else "page_" + re.sub(r"\W", "_", str(path.relative_to(ROOT).with_suffix("")))


def anchor(heading):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def section(path, name):
    return identifier(path) + "_" + re.sub(r"\W", "_", name)


def lines_of(path):
    """Every line with the anchor of the heading that it is, if it is one. Headings of one text are numbered."""
    fenced, seen = False, {}
    for line in path.read_text().splitlines():
        fenced ^= line.startswith("```")
        found = None if fenced else HEADING.fullmatch(line)
        name = None
        if found:
            plain = anchor(found[2])
            count = seen[plain] = seen.get(plain, -1) + 1
            name = f"{plain}-{count}" if count else plain
        yield line, name, fenced


def linked(page, text, target):
    """A link of the page as Doxygen has it."""
    if target.startswith(("http:", "https:", "mailto:")):
        return f"[{text}]({target})"
    file, _, name = target.partition("#")
    path = (page.parent / file).resolve() if file else page
    if path.suffix == ".md":
        if not name:
            return f"[{text}](@ref {identifier(path)})"
        if name not in (anchor for _, anchor, _ in lines_of(path)):
            raise SystemExit(f"{page}: {target} is no heading of {path}")
        return f"[{text}](@ref {section(path, name)})"
    if not path.exists():
        raise SystemExit(f"{page}: there is no {target}")
    if str(path.relative_to(ROOT)) in SITE:
        return f'<a href="{SITE[str(path.relative_to(ROOT))]}">{text}</a>'
    # Sources are not part of the site.
    return f"{text} (`{path.relative_to(ROOT)}`)" if text.strip("`") != target else f"`{path.relative_to(ROOT)}`"


def converted(page):
    """The lines of the page for Doxygen."""
    title = True
    for line, name, fenced in lines_of(page):
        if title and not name:
            continue  # Comments before the title are for GitHub's readers.
        if name:
            label = ("mainpage" if identifier(page) == "index" else identifier(page)) if title else section(page, name)
            title = False
            yield f"{line} {{#{label}}}"
        elif fenced or line.startswith("    "):
            # Doxygen takes names of Python's for those of C++.
            yield "```{.unparsed}" if line == "```python" else line
        else:
            # Doxygen looks for pictures by their names, in the folders of IMAGE_PATH.
            yield IMAGE.sub(r"![\1](\2)", LINK.sub(lambda link: linked(page, link[1], link[2]), line))


def main():
    print("\n".join(converted(pathlib.Path(sys.argv[1]).resolve())))


if __name__ == "__main__":
    main()
