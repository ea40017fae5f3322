#!/usr/bin/env python3
"""Builds the documentation site and checks it: links and anchors lead somewhere, nothing is loaded from the network,
every shipped scenario has its figure and a run that can be played, and pages open in a browser without an error, if there
is one. HEARSAY_PROGRAM is the program that makes the runs.

  site.py [FOLDER]    a site that is there already
"""
import html.parser
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "chrome-headless-shell")
# What a page loads, by attribute; others are links that a reader follows.
LOADS = {("link", "href"), ("script", "src"), ("img", "src"), ("img", "srcset"), ("source", "src"), ("iframe", "src"),
         ("object", "data"), ("embed", "src"), ("video", "src"), ("audio", "src"), ("use", "href"), ("image", "href")}
REMOTE = re.compile(r"^(https?:)?//")
errors = []


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads, self.images = set(), [], [], []
        self.style = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids.update(values[k] for k in ("id", "name") if values.get(k))
        self.style = tag == "style"
        for name, value in attributes:
            if value is None:
                continue
            if (tag, name) in LOADS and not (tag == "link" and values.get("rel") in ("canonical", "next", "prev")):
                self.loads.append(value)
            elif name in ("href", "src"):
                self.links.append(value)
            if name == "style":
                self.loads += css_urls(value)
        if tag == "img":
            self.images.append((values.get("src", ""), values.get("alt", "")))

    def handle_data(self, data):
        if self.style:
            self.loads += css_urls(data)
            self.style = False


def css_urls(text):
    return re.findall(r"url\(\s*['\"]?([^'\")]+)", text) + re.findall(r"@import\s+['\"]([^'\"]+)", text)


def check_links(site):
    """That each link and each file that is loaded is in the site; links to other sites are only counted."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    count = 0
    for path, page in pages.items():
        here = path.relative_to(site)
        for link, loaded in [*((link, True) for link in page.loads), *((link, False) for link in page.links)]:
            if link.startswith(("data:", "mailto:", "javascript:")):
                continue
            if REMOTE.match(link):
                if loaded:
                    errors.append(f"{here}: loads {link} from the network")
                continue
            parts = urllib.parse.urlsplit(link)
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            # The page for addresses that are not there has links from the root.
            if parts.path.startswith("/"):
                target = site / parts.path.lstrip("/")
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                errors.append(f"{here}: the link {link} leads nowhere")
            elif parts.fragment and target in pages and parts.fragment not in pages[target].ids | {"__top"}:
                errors.append(f"{here}: {link}: the page has no such anchor")
            count += 1
    for style in site.rglob("*.css"):
        for url in css_urls(style.read_text(encoding="utf-8")):
            if REMOTE.match(url):
                errors.append(f"{style.relative_to(site)}: loads {url} from the network")
    return pages, count


def scenarios():
    """The shipped scenarios that are run as they are: all but the presets, which others extend."""
    return [ROOT / "scenarios/quickstart.json", *sorted((ROOT / "scenarios").glob("examples/*.json")),
            *sorted((ROOT / "scenarios").glob("studies/*.json")),
            *sorted((ROOT / "scenarios").glob("papers/*/*.json"))]


def check_gallery(site, pages):
    gallery = pages[site / "docs/gallery/index.html"]
    shown = {(site / "docs/gallery" / src).resolve() for src, _ in gallery.images}
    total = 0
    for scenario in scenarios():
        name = scenario.relative_to(ROOT / "scenarios").with_suffix("")
        figure = (site / "docs/gallery" / name).with_suffix(".svg")
        if not figure.exists() or figure.resolve() not in shown:
            errors.append(f"the gallery has no figure of {name}: script/gallery makes it")
            continue
        text = figure.read_text(encoding="utf-8")
        total += len(text)
        if not re.search(r"<(path|text|line|rect)\b", text) or re.search(r'href="https?:', text):
            errors.append(f"docs/gallery/{name}.svg: expected a drawing that loads nothing")
        page = (site / "scenarios" / name).with_suffix(".html")
        if page.exists():
            images = [alt for src, alt in pages[page].images if (page.parent / src).resolve() == figure.resolve()]
            if not images or not all(images):
                errors.append(f"scenarios/{name}.md: expected its figure, with a text for those who do not see it")
    played = [(site / "docs/gallery" / src) for src, _ in gallery.images if src.endswith(".gif")]
    size = sum(file.stat().st_size for file in played)
    if not played or size > 3e6 or any(not file.read_bytes().startswith(b"GIF89a") for file in played):
        errors.append(f"docs/gallery: expected animations of at most 3 MB together, found {len(played)} of {size / 1e6:.1f} MB")
    if total > 6e6:
        errors.append(f"docs/gallery: expected figures of at most 6 MB together, found {total / 1e6:.1f} MB")
    return total


def check_players(site, pages):
    """Each shipped scenario has a page with the events of a run, and the gallery links to it; but for those whose data are
    not here, by the program's own words. Returns how many there are, and the others."""
    played, missing = 0, []
    for scenario in scenarios():
        name = scenario.relative_to(ROOT / "scenarios").with_suffix("")
        page = site / f"docs/gallery/{name}-player.html"
        if not page.exists():
            tried = subprocess.run([os.environ["HEARSAY_PROGRAM"], "run", scenario, "--dry-run"], capture_output=True, text=True)
            if tried.returncode != 0 and "--data-dir" in tried.stderr:
                missing.append(str(name))
            else:
                errors.append(f"the gallery has no player of {name}: script/docs makes it, by docs/gallery/players.txt")
            continue
        if f"{name}-player.html" not in pages[site / "docs/gallery/index.html"].links:
            errors.append(f"the gallery has no link to the player of {name}")
        found = re.search(r'<script type="application/json" id="figures">(.*?)</script>', page.read_text(encoding="utf-8"), re.S)
        trace = json.loads(found[1])["study"]["trace"] if found else {}
        # Agents act, and at more than one time.
        times = trace.get("rows", {}).get("t", [])
        if trace.get("agents", 0) == 0 or len(set(times)) < 2:
            errors.append(f"docs/gallery/{name}-player.html: expected a run of several events, found {len(times)}")
        played += 1
    return played, missing


def check_notebooks(site, pages):
    """Each notebook is a page with its picture and a table or numbers that its cells print, and can be downloaded."""
    for notebook in sorted((ROOT / "docs/notebooks").glob("*.ipynb")):
        page = (site / notebook.relative_to(ROOT)).with_suffix(".html")
        if page not in pages:
            errors.append(f"{notebook.name}: the site has no page of it")
            continue
        if not any(src.startswith(f"{notebook.stem}_files/") for src, _ in pages[page].images):
            errors.append(f"{notebook.name}: its page shows no figure of its cells")
        if "<table>" not in page.read_text(encoding="utf-8"):
            errors.append(f"{notebook.name}: its page shows no table of its cells")
        if notebook.name not in pages[page].links:
            errors.append(f"{notebook.name}: its page has no link to the notebook")


def check_browser(site):
    """The pages that a browser opened, from a server on this machine, without an error; nothing if there is no browser.
    No other machine is reached: what a page asked of one would be an error in its console."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        return None

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=site)

        def log_message(self, *arguments):
            pass

        def log_error(self, text, *arguments):
            if not self.path.endswith("favicon.ico"):
                errors.append(f"the browser asked for {self.path}: {text % arguments}")

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    opened = 0
    for page in ("index.html", "docs/gallery/index.html", "docs/notebooks/one-run.html",
                 "docs/tutorials/first-scenario.html", "docs/reference.html", "scenarios/studies/latency.html",
                 "docs/gallery/quickstart-player.html", "docs/gallery/studies/what-if-player.html"):
        with tempfile.TemporaryDirectory() as profile:
            done = subprocess.run(
                [browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0",
                 f"--user-data-dir={profile}", "--disable-background-networking", "--virtual-time-budget=2000",
                 "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--dump-dom",
                 f"http://127.0.0.1:{server.server_port}/{page}"], capture_output=True, text=True, timeout=120)
        if done.returncode != 0 or "<h1" not in done.stdout:
            errors.append(f"{page}: the browser did not open it")
        if page.endswith("-player.html") and "<canvas" not in done.stdout:
            errors.append(f"{page}: the run is not drawn")
        errors.extend(f"{page}: {line}" for line in done.stderr.splitlines() if ":CONSOLE" in line)
        opened += 1
    server.shutdown()
    return opened


def main():
    if len(sys.argv) > 1:
        site = pathlib.Path(sys.argv[1]).resolve()
    else:
        site = pathlib.Path(tempfile.mkdtemp()) / "site"
        done = subprocess.run([ROOT / "script/docs", "--output", site], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit(done.stdout)
    pages, links = check_links(site)
    size = check_gallery(site, pages)
    played, missing = check_players(site, pages)
    check_notebooks(site, pages)
    opened = check_browser(site)
    if len(pages) < 100 or links < 1000:
        errors.append(f"expected at least 100 pages and 1000 links, found {len(pages)} and {links}")
    for error in errors[:50]:
        print(error)
    browser = "no browser to open them" if opened is None else f"{opened} opened in a browser"
    print(f"{len(pages)} pages, {links} links, figures of {size / 1e6:.1f} MB; {played} runs can be played"
          f"{', without data: ' + ', '.join(missing) if missing else ''}; {browser}; {len(errors)} errors")
    if len(sys.argv) == 1:
        shutil.rmtree(site.parent)
    return len(errors) > 0


if __name__ == "__main__":
    sys.exit(main())
