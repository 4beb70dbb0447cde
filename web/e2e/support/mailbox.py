"""Prints the mails of a Maildir as JSON, oldest first."""

import email
import email.policy
import json
import pathlib
import sys

mails = []
for path in sorted(pathlib.Path(sys.argv[1], "new").glob("*"), key=lambda path: path.stat().st_mtime_ns):
    mail = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    mails.append(
        {
            "id": mail["message-id"],
            "from": mail["from"],
            "to": [address.addr_spec for address in mail["to"].addresses],
            "subject": mail["subject"],
            "text": mail.get_body(("plain",)).get_content(),
            "html": mail.get_body(("html",)).get_content(),
        }
    )
json.dump(mails, sys.stdout)
