# SPDX-License-Identifier: MIT
"""Page descriptions (ssdct-pages(5)) on a real node."""


def check(tap, result):
    def local(name):
        return result.rc(name), result.json(name)["drives"][0].get("local_pages")

    expected = (0, {"served": {"here_celsius": 40, "cuts": 7}})
    tap.equal(local("pages-none"), (0, None), "without a description nobody knows the page")
    tap.equal(local("pages-good"), expected, "root's description in /etc: smart decodes the page")
    tap.equal(local("pages-get"), expected, "log get, by name")
    for name, why in (("pages-writable", "others may write it"), ("pages-foreign", "does not belong to root")):
        tap.equal(local(name), (0, None), f"{name}: not used")
        tap.result(why in result.text(f"{name}.err") and "/etc/ssdct/pages.d/served.json" in result.text(f"{name}.err"),
                   f"{name}: the note says why", result.text(f"{name}.err"))
