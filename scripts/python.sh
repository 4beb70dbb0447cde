#!/bin/sh
# The Python that runs the mail server of the tests: prints the first interpreter that has aiosmtpd. `make test`, the
# Rust tests and the browser stories all ask here, so that what one finds the others find.
for python in "${TEST_PYTHON:-}" /usr/bin/python3 python3; do
  if [ -n "$python" ] && "$python" -c 'import aiosmtpd' >/dev/null 2>&1; then
    command -v "$python"
    exit 0
  fi
done
echo "No Python with aiosmtpd. Run: sudo apt-get install python3-aiosmtpd" >&2
exit 1
