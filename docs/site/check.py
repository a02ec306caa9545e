"""Looks at the site as a browser has it.

check.py FOLDER fails if a link of a page leads nowhere, if the search does not find what the interface has, if a page is wider
than a phone, or if the page of impulse space does not draw, or shows a law outside of the permissible region that promises to
keep to it. All but the links are looked at in headless Chromium."""
import contextlib
import functools
import html.parser
import http.server
import json
import pathlib
import re
import subprocess
import sys
import threading
import urllib.parse

PHONE = 390  # [px] wide
SEARCHED = ("SceneSolver", "ContactSystem", "differentiate", "chatterjee_ruina")


class Page(html.parser.HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], {""}
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def pages_of(folder):
    return [*sorted(folder.glob("*.html")), folder / "impulse-space/index.html"]


def broken_links(folder):
    page = functools.cache(Page)
    for path in pages_of(folder):
        for link in page(path).links:
            target = urllib.parse.urlsplit(link)
            if target.scheme:
                continue
            file = path.parent / urllib.parse.unquote(target.path) if target.path else path
            if not file.exists():
                yield f"{path.name}: there is no {link}"
            elif file.suffix == ".html" and target.fragment not in page(file).anchors:
                yield f"{path.name}: {link} is no place in it"


# Each page is laid out in a frame of a phone's width; then the words are typed into the search of the first page.
LOOK = """<!doctype html><title>wait</title><iframe id=f style="border:0;width:%(phone)dpx;height:800px"></iframe><script>
const pages = %(pages)s, words = %(words)s, found = {wide: [], missing: [], space: []}, frame = document.getElementById('f');
const wait = ms => new Promise(done => setTimeout(done, ms));
const open = page => new Promise(done => { frame.onload = done; frame.src = page; });
(async () => {
  for (const page of pages) {
    await open(page);
    if (frame.contentDocument.documentElement.scrollWidth > %(phone)d) found.wide.push(page);
  }
  frame.style.width = '1200px';
  await open('index.html');
  // Scripts of the page lay the field in.
  const w = frame.contentWindow;
  while (!w.document.getElementById('MSearchBox')) await wait(100);
  for (const word of words) {
    const field = w.document.getElementById('MSearchField');
    w.eval('searchBox').OnSearchFieldFocus(true);
    field.value = word;
    w.eval('searchBox').Search();
    await wait(1000);
    const results = w.document.getElementById('MSearchResults').contentDocument;
    const shown = [...results.querySelectorAll('.SRResult')].filter(r => r.offsetParent && r.textContent.includes(word));
    if (!shown.length) found.missing.push(word);
  }
  await open('impulse-space/index.html');
  const page = frame.contentWindow;
  while (!page.impulseSpace) await wait(100);
  const sliders = [...page.document.querySelectorAll('input')];
  const canvas = page.document.querySelector('canvas');
  const move = (slider, share) => {
    slider.value = +slider.min + share * (slider.max - slider.min);
    slider.dispatchEvent(new Event('input'));
    page.impulseSpace.draw();
    const energy = page.impulseSpace.energy();
    for (const {name, mayGainEnergy, answer: {p, u, margins}} of page.impulseSpace.laws)
      if (![...p, ...u].every(Number.isFinite) || name != 'no-slip' && margins[2] < 0 ||
          !mayGainEnergy && margins[0] < -1e-9 * energy)
        found.space.push(`${name} at ${sliders.map(s => s.value)}: ${margins}`);
  };
  for (const slider of sliders) {
    const shown = new Set(), drawn = new Set();
    for (const share of [0.2, 0.5, 0.9]) {
      move(slider, share);
      shown.add(page.document.querySelector('tbody').textContent);
      drawn.add(canvas.toDataURL());
    }
    if (shown.size < 2 || drawn.size < 2) found.space.push(`slider ${sliders.indexOf(slider)} moves nothing`);
  }
})().catch(error => found.error = String(error)).then(() => document.body.textContent = JSON.stringify(found));
</script>"""


def looked_at(folder):
    """The pages that are wider than a phone, and the words that the search misses."""
    pages = [str(path.relative_to(folder)) for path in pages_of(folder) if not path.name.endswith(("_source.html", "-members.html"))]
    look = LOOK % {"phone": PHONE, "pages": json.dumps(pages), "words": json.dumps(SEARCHED)}

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            # A page that has been left does not take the rest of its files.
            with contextlib.suppress(ConnectionError):
                if self.path != "/look":
                    return super().do_GET()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(look.encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = ["chromium", "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--virtual-time-budget=600000", "--dump-dom",
                   f"http://127.0.0.1:{server.server_port}/look"]
        dom = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True).stdout
        server.shutdown()
    found = re.search(r"<body>(\{.*\})</body>", dom)
    if not found:
        raise SystemExit(f"Chromium did not look at all pages:\n{dom}")
    return json.loads(found[1]), len(pages)


def main():
    folder = pathlib.Path(sys.argv[1])
    faults = list(broken_links(folder))
    found, pages = looked_at(folder)
    if "error" in found:
        faults.append(found["error"])
    faults += [f"{page} is wider than {PHONE} px" for page in found["wide"]]
    faults += [f"impulse space: {fault}" for fault in found["space"]]
    faults += [f"the search does not find {word}" for word in found["missing"]]
    if faults:
        raise SystemExit("\n".join(faults))
    print(f"{pages} pages: no broken link, none wider than {PHONE} px; the search finds {', '.join(SEARCHED)}; "
          "the sliders move impulse space")


if __name__ == "__main__":
    main()
