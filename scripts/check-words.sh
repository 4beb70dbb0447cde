#!/bin/sh
# Plain-language check: the share of comment sentences built on idiom words ("whoever", "what is"), per crate and for web.
# Exits 1 above 3 %; `--list` prints the sentences with file and line.
cd "$(dirname "$0")/.." && exec python3 scripts/check_words.py "$@"
