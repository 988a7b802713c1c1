#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ssdct bench --html and --compare. The page is well-formed and needs nothing from elsewhere; a browser lays it out."""
import glob
import html
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import TMP, Host, Tap, id_ctrl, run, smart  # noqa: E402

tap = Tap()
FILE = os.path.join(TMP, "target")
with open(FILE, "wb") as f:
    f.write(os.urandom(8 << 20))
PAGE = os.path.join(TMP, "page.html")
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.wrong, self.tags, self.text, self.links = [], [], [], "", []
        self.feed(text)
        self.close()

    def note(self, tag, attrs):
        self.tags.append(tag)
        self.links += [f"{k}={v}" for k, v in attrs if k in ("src", "href", "xlink:href", "srcset", "action") or k.startswith("on")]

    def handle_starttag(self, tag, attrs):
        self.note(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.note(tag, attrs)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.text += data


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def page_tests():
    model = "<b>&\"'INTEL SSDPEDMD020T4"
    host = Host(simulated=True).drive(id_ctrl=id_ctrl(model=model), log_02=smart(warning=2))
    r = run("bench", "nvme0", "--time", 1, "--html", PAGE, "-o", "json", host=host)
    tap.equal(r.code, 0, "--html: exit code")
    text = read(PAGE)
    page = Page(text)
    bench = r.drive["bench"]
    tap.equal((page.open, page.wrong), ([], []), "every element is closed where it should be")
    tap.equal(page.links, [], "nothing from elsewhere, and no script")
    tap.equal(sorted(set(page.tags) & {"script", "link", "img", "iframe", "object", "b"}), [], "no element that could fetch or run")
    tap.result("url(" not in text and "@import" not in text and "http" not in text, "the style fetches nothing")
    tap.result(model in page.text and r.drive["serial"] in page.text, "the drive is named, escaped", page.text[:500])
    tap.equal(page.text.count("longest gap"), len(bench["tests"]), "of each test the longest gap")
    tap.result("(simulated)" in page.text, "says that it is simulated")
    tap.result(all(t["name"] in page.text for t in bench["tests"]), "every test is there")
    tap.result(all(reason in page.text for reason in bench["reasons"]), "every reason is there")
    tap.result(r.drive["findings"] and all(f["advice"] in page.text for f in r.drive["findings"]), "every finding is there",
               r.drive["findings"])
    tap.equal(page.tags.count("svg"), 3 * len(bench["tests"]), "of each test a bar, a distribution and a curve")
    tap.equal(sorted(glob.glob(PAGE + "*")), [PAGE], "no temporary file is left")


def series_tests():
    r = run("bench", FILE, "--time", 1, "--rw", "randread", "--iodepth", 4, "-o", "json")
    t = r.drive["bench"]["tests"][0]
    series = t["iops_over_time"]
    tap.result(series["interval_seconds"] == 0.1 and len(series["iops"]) == int(t["seconds"] / 0.1), "ten intervals a second", series)
    counted = sum(series["iops"]) * series["interval_seconds"]
    tap.result(0 < counted < t["ios"] + 1, "they have no more than the I/Os", counted, t["ios"])
    bars = t["latency_histogram"]
    tap.equal(sum(b["ios"] for b in bars), t["ios"], "the histogram has all I/Os")
    tap.result(bars[0]["from_ns"] <= t["latency_ns"]["min"] <= bars[0]["to_ns"] and
               bars[-1]["from_ns"] <= t["latency_ns"]["max"] <= bars[-1]["to_ns"], "from the minimum to the maximum", bars)


def refusal_tests():
    for path, code in ((os.path.join(TMP, "no", "such", "page"), 1), ("/dev/null", 2), (TMP, 2)):
        tap.equal(run("bench", FILE, "--time", 1, "--html", path).code, code, f"--html {os.path.basename(path)}: exit {code}")
    wrong = {"missing": None, "empty": "", "nojson": "x", "list": "[]", "other": json.dumps({"command": "list", "drives": []}),
             "notests": json.dumps({"command": "bench", "drives": [{"bench": {"tests": []}}]}),
             "types": json.dumps({"command": "bench", "drives": [{"bench": {"tests": [1, {"iops": "9", "mb_per_s": None}]}}]})}
    for name, text in wrong.items():
        path = os.path.join(TMP, "wrong-" + name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)
        r = run("bench", FILE, "--time", 1, "--compare", path, "-o", "json")
        tap.equal((r.code, r.json["error"]["code"]), (8, "bad_input"), f"--compare, {name}: exit 8")
    tap.equal(run("bench", FILE, "--time", 1, "--compare", TMP).code, 8, "--compare, a directory: exit 8")


def compare_tests():
    words = ("bench", FILE, "--time", 1, "--rw", "randread", "--iodepth", 4, "--rate", 500, "-o", "json")
    first = run(*words).json
    earlier = os.path.join(TMP, "earlier.json")
    # So much faster or slower that it is a change, however busy this machine is.
    for factor, sign in ((100, -1), (0.01, 1)):
        test = first["drives"][0]["bench"]["tests"][0]
        changed = json.loads(json.dumps(first))
        new = changed["drives"][0]["bench"]["tests"][0]
        new.update(iops=test["iops"] * factor, mb_per_s=test["mb_per_s"] * factor, iops_over_time=None)
        with open(earlier, "w", encoding="utf-8") as stream:
            json.dump(changed, stream)
        r = run(*words, "--compare", earlier)
        compare = r.drive["bench"]["compare"]
        change = compare["tests"][0]
        tap.equal((r.code, compare["file"], compare["device"], change["unit"]), (0, earlier, FILE, "iops"), "--compare")
        tap.equal(change["noise_percent"], 5, "without intervals the noise is 5 %")
        percent = (change["now"] / (test["iops"] * factor) - 1) * 100
        tap.result(abs(change["change_percent"] - percent) < 1e-6 and change["change_percent"] * sign > 5 and
                   change["exceeds_noise"] is True, f"a change by a factor of {1 / factor}", change)
    r = run("bench", FILE, "--time", 1, "--rw", "randread", "--iodepth", 8, "-o", "json", "--compare", earlier)
    change = r.drive["bench"]["compare"]["tests"][0]
    tap.equal((r.code, change["earlier"], change["change_percent"]), (0, None, None), "other conditions are not compared")
    r = run(*words[:-2], "--compare", earlier)
    tap.result("Compared with" in r.out and "a change" in r.out and f"{first['drives'][0]['bench']['engine']}, burst, verdict no_spec" in r.out,
               "in text, with how it was measured then", r.out)
    new["partial"] = True
    with open(earlier, "w", encoding="utf-8") as stream:
        json.dump(changed, stream)
    tap.equal(run(*words, "--compare", earlier).code, 8, "what ended early is not compared with")
    tap.equal(run(*words).drive["bench"]["compare"], None, "without --compare: null")


# In a frame of the given width: what is wider than it, and which boxes of text lie on each other.
MEASURE = """<!DOCTYPE html><meta charset="utf-8"><iframe id="f" style="width:%dpx;height:3000px;border:0" srcdoc="%s"></iframe>
<script>document.getElementById("f").onload = function () {
const d = this.contentDocument, root = d.documentElement, boxes = [];
const walk = d.createTreeWalker(d.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  if (!walk.currentNode.data.trim()) continue;
  const r = d.createRange(); r.selectNodeContents(walk.currentNode);
  for (const b of r.getClientRects()) boxes.push([b.left, b.top, b.right, b.bottom, walk.currentNode.data]);
}
const overlaps = [];
for (let i = 0; i < boxes.length; i++) for (let k = 0; k < i; k++) {
  const a = boxes[i], b = boxes[k];
  if (Math.min(a[2], b[2]) - Math.max(a[0], b[0]) > 1 && Math.min(a[3], b[3]) - Math.max(a[1], b[1]) > 3)
    overlaps.push(a[4] + " / " + b[4]);
}
document.title = JSON.stringify({width: root.scrollWidth, boxes: boxes.length, overlaps: overlaps.slice(0, 5)});
};</script>"""


def layout_tests():
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not browser:
        tap.skip("layout of the page", "no chromium-headless-shell")
        return
    for width in (400, 1200):
        frame = os.path.join(TMP, f"frame{width}.html")
        with open(frame, "w", encoding="utf-8") as stream:
            stream.write(MEASURE % (width, html.escape(read(PAGE))))
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,3000",
                               f"--user-data-dir={TMP}/browser", "--dump-dom", f"file://{frame}"],
                              capture_output=True, text=True, timeout=120)
        title = re.search(r"<title>(.*?)</title>", done.stdout)
        tap.result(title is not None, f"{width} px: the browser has measured", done.stdout[-500:], done.stderr[-500:])
        seen = json.loads(html.unescape(title.group(1))) if title else {"width": 0, "boxes": 0, "overlaps": []}
        tap.result(seen["boxes"] > 20 and seen["width"] <= width, f"{width} px: nothing is wider", seen)
        tap.equal(seen["overlaps"], [], f"{width} px: no text lies on other text")


page_tests()
series_tests()
refusal_tests()
compare_tests()
layout_tests()
sys.exit(tap.end())
