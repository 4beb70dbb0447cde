"""Plain-language check of comments and documentation: counts the sentences that are built on idiom words.

Usage: check_words.py [--list]. Prints a table per package, and with --list each such sentence with its place. Exits 1 when
the share of a package is above the limit. Words in code spans and quotation marks do not count.
"""

import re
import signal
import subprocess
import sys
from collections import defaultdict

# Percent of the sentences of one package.
LIMIT = 3.0

IDIOM = re.compile(
    r"\b(?:whoever|whomever|nobody|somebody|anybody|everybody|told|by then|all the same|of which|of whom"
    r"|what is|what are|what was|who is|who are|who was)\b",
    re.IGNORECASE,
)

# Released migrations are never edited, so their comments are left out.
PACKAGES = {
    "api": ("api/",),
    "cli": ("cli/",),
    "db": ("db/",),
    "domain": ("domain/",),
    "jobs": ("jobs/",),
    "web": ("web/",),
    "scripts": ("scripts/", "Makefile", ".ci/", ".cargo/", "Cargo.toml", "deny.toml", ".deny.toml", "deploy/"),
    "docs": ("docs/", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "migrations/README.md"),
}
SLASHES = {"rs", "ts", "tsx", "js", "mjs", "css"}
HASHES = {"sh", "py", "toml", "yml", "yaml", ""}
EXCLUDED = ("web/src/api/schema.ts", "Cargo.lock", "package-lock.json", "LICENSE", "scripts/check_words.py")

STRING = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`")
CODE = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|\[[^\]]*\]\([^)]*\)")
END = re.compile(r"(?<=[.!?])[\"')\]]*\s+")
RULE = re.compile(r"^\|[\s:|-]+$")


def files():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, check=True, text=True
    )
    for path in listed.stdout.split("\0"):
        if path and not path.endswith(EXCLUDED):
            for package, prefixes in PACKAGES.items():
                if path.startswith(prefixes):
                    yield package, path
                    break


def slash_comments(lines):
    """Blocks of (line number, text) of `//` and `/* */` comments; one block is one run of lines."""
    block, inside, last = [], False, -2
    for number, line in enumerate(lines, 1):
        text = None
        bare = line.strip()
        if inside:
            inside = "*/" not in bare
            text = bare.split("*/")[0].lstrip("*").strip()
        elif bare.startswith("//"):
            text = bare.lstrip("/").lstrip("!").strip()
        elif bare.startswith("/*") or bare.startswith("{/*"):
            inside = "*/" not in bare
            text = bare.split("*/")[0].lstrip("{/*").strip()
        elif " // " in line:
            code = STRING.sub("", line)
            if " // " in code:
                yield [(number, code.split(" // ", 1)[1].strip())]
        if text is None or not text:
            if block:
                yield block
            block = []
        else:
            if block and (number != last + 1 or text.startswith(("- ", "# ", "* "))):
                yield block
                block = []
            block.append((number, text))
            last = number
    if block:
        yield block


def hash_comments(lines):
    block = []
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if bare.startswith("#") and not bare.startswith("#!"):
            block.append((number, bare.lstrip("#").strip()))
        elif block:
            yield block
            block = []
    if block:
        yield block


def paragraphs(lines):
    """Markdown: paragraphs, list items and table rows, without fenced code."""
    block, fenced = [], False
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if bare.startswith("```"):
            fenced = not fenced
            bare = ""
        if fenced or not bare or RULE.match(bare):
            if block:
                yield block
            block = []
        elif bare.startswith("|"):
            # A cell is a sentence of its own.
            for cell in bare.strip("|").split(" | "):
                yield [(number, cell.strip())]
        else:
            if bare.startswith(("- ", "#", "* ")) or re.match(r"\d+\. ", bare):
                if block:
                    yield block
                block = []
            block.append((number, bare.lstrip("-#* ")))
    if block:
        yield block


def sentences(block):
    """Splits a block into (line number, sentence)."""
    text, starts = "", []
    for number, part in block:
        starts.append((len(text), number))
        text += part + " "
    at = 0
    for piece in END.split(text):
        place = text.find(piece, at)
        at = place + len(piece)
        if re.search(r"[A-Za-z]{2}", piece):
            yield max((s for s in starts if s[0] <= place), key=lambda s: s[0])[1], piece.strip()


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    wanted = "--list" in sys.argv[1:]
    counted, found = defaultdict(int), defaultdict(list)
    for package, path in files():
        name = path.rsplit("/", 1)[-1]
        kind = name.rsplit(".", 1)[-1] if "." in name.lstrip(".") else ""
        if kind == "md":
            split = paragraphs
        elif kind in SLASHES:
            split = slash_comments
        elif kind in HASHES:
            split = hash_comments
        else:
            continue
        try:
            with open(path, encoding="utf-8") as file:
                lines = file.read().split("\n")
        except (FileNotFoundError, UnicodeDecodeError):
            continue
        for block in split(lines):
            for number, sentence in sentences(block):
                counted[package] += 1
                if IDIOM.search(CODE.sub("", sentence)):
                    found[package].append(f"{path}:{number}: {sentence}")
    if wanted:
        for package in PACKAGES:
            for line in found[package]:
                print(line)
        print()
    failed = False
    print(f"{'crate':8} {'sentences':>9} {'idiom':>6} {'share':>7}")
    for package in PACKAGES:
        share = 100 * len(found[package]) / counted[package] if counted[package] else 0.0
        failed |= share > LIMIT
        print(f"{package:8} {counted[package]:9} {len(found[package]):6} {share:6.1f} %{'  above the limit' if share > LIMIT else ''}")
    if failed:
        print(f"The limit is {LIMIT} % in each. `scripts/check-words.sh --list` prints the sentences.")
        sys.exit(1)


main()
