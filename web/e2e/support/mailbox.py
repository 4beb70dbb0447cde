"""Prints mails of a Maildir as JSON, oldest first, given their file names."""

import email
import email.policy
import json
import pathlib
import sys

mails = []
folder = pathlib.Path(sys.argv[1], "new")
for path in sorted((folder / name for name in sys.argv[2:]), key=lambda path: path.stat().st_mtime_ns):
    mail = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    mails.append(
        {
            "file": path.name,
            "id": mail["message-id"],
            "from": mail["from"],
            "to": [address.addr_spec for address in mail["to"].addresses],
            "subject": mail["subject"],
            "text": mail.get_body(("plain",)).get_content(),
            "unsubscribe": (mail["list-unsubscribe"] or "").strip("<>") or None,
            "html": mail.get_body(("html",)).get_content(),
        }
    )
json.dump(mails, sys.stdout)
