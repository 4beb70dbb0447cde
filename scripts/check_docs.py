"""Checks the Markdown pages against the repository: links and anchors, paths in code spans, names with their file
("`Country` in `domain/src/kernel/geo.rs`"), `spvctl` commands with their flags (from the reviewed help text), and SPV_
variables (from cli/src/config.rs). Prints each fault; exits 1 if there is one.
"""

import os
import re
import subprocess
import sys

HELP = "cli/tests/snapshots/tests__help__help_reads_as_it_did.snap"
SETTINGS = "cli/src/config.rs"
VARIABLES = "docs/configuration.md"
# Read by Vite's configuration alone.
OTHER_VARIABLES = {"SPV_CONFIG", "SPV_DEV_API"}
TOP = ("api/", "cli/", "db/", "deploy/", "docs/", "domain/", "jobs/", "migrations/", "scripts/", "web/")
BUILT = ("web/dist", "web/node_modules")

LINK = re.compile(r"\]\(([^)\s]+)\)")
SPAN = re.compile(r"`([^`]+)`")
NAME_IN_FILE = re.compile(r"`([\w:]+)`(?: and `([\w:]+)`)? in `([\w./-]+\.\w+)`")
COMMAND = re.compile(r"(?:^|[\s|(])spvctl((?:\s+[^\s|#>]+)*)")


def slug(heading):
    """The anchor of a heading, as GitHub makes it."""
    text = re.sub(r"[`*]", "", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(path):
    with open(path, encoding="utf-8") as file:
        return {slug(line.lstrip("#")) for line in file if re.match(r"#+ ", line)}


def commands():
    """The options of each command by its words: {("spv", "list"): {"--status", …}}."""
    found, name = {}, None
    with open(HELP, encoding="utf-8") as file:
        for line in file:
            if line.startswith("$ spvctl"):
                name = tuple(word for word in line.split()[2:] if word != "--help")
                found[name] = {"--help", "--version"}
            elif name is not None:
                found[name].update(re.findall(r"--[a-z][a-z-]*", line))
    return found


def command_fault(words, known):
    """What is wrong with a documented command, if anything is."""
    name = ()
    for word in words:
        if name + (word,) not in known:
            break
        name += (word,)
    rest = words[len(name):]
    # `spvctl client` alone is fine; a word that no verb of a noun has is not.
    group = any(other[: len(name)] == name and len(other) > len(name) for other in known)
    if group and rest and re.fullmatch(r"[a-z][a-z-]+", rest[0]):
        return f"no command `spvctl {' '.join(name + (rest[0],))}`"
    flags = [word.split("=")[0] for word in rest if word.startswith("--") and len(word) > 2]
    missing = [flag for flag in flags if flag not in known[name] | known[()]]
    return f"`spvctl {' '.join(name)}` has no {missing[0]}" if missing else None


def main():
    listed = subprocess.run(["git", "ls-files", "*.md"], capture_output=True, check=True, text=True).stdout.split()
    with open(SETTINGS, encoding="utf-8") as file:
        names = re.findall(r'(?:plain|secret)\("([a-z0-9_]+)"', file.read())
    settings = {f"SPV_{name.upper()}" for name in names}
    known, documented, faults = commands(), set(), []
    for path in listed:
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        fenced = False
        for number, line in enumerate(lines, 1):
            fault = lambda text: faults.append(f"{path}:{number}: {text}")
            if line.startswith("```"):
                fenced = not fenced
                continue
            for variable in re.findall(r"\bSPV_[A-Z0-9_]*[A-Z0-9]\b", line):
                base = variable.removesuffix("_FILE") if variable not in settings else variable
                documented |= {variable} if path == VARIABLES else set()
                if base not in settings | OTHER_VARIABLES:
                    fault(f"no setting {variable}")
            spans = [line.split("#")[0]] if fenced else SPAN.findall(line)
            for span in spans:
                for match in COMMAND.finditer(span):
                    words = match.group(1).split()
                    text = command_fault([word.strip("'\"…") for word in words if word.strip("'\"…")], known)
                    if text:
                        fault(text)
                place = span.strip().rstrip("/")
                if not fenced and re.fullmatch(r"[\w./-]+", place) and place.startswith(TOP) and not place.startswith(BUILT):
                    if not os.path.exists(place):
                        fault(f"no file {place}")
            if fenced:
                continue
            for *items, place in NAME_IN_FILE.findall(line):
                if os.path.isfile(place):
                    with open(place, encoding="utf-8") as file:
                        source = file.read()
                    for item in items:
                        if item and item.rsplit("::", 1)[-1] not in source:
                            fault(f"no {item} in {place}")
            for target in LINK.findall(line):
                if re.match(r"[a-z]+:", target):
                    continue
                file, _, anchor = target.partition("#")
                place = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
                if not os.path.exists(place):
                    fault(f"link to {target}, which does not exist")
                elif anchor and place.endswith(".md") and anchor not in anchors(place):
                    fault(f"link to {target}: no such heading")
    faults += [f"{VARIABLES}: {name} is missing" for name in sorted(settings - documented)]
    print("\n".join(faults) or "The documentation fits the repository.")
    sys.exit(1 if faults else 0)


main()
