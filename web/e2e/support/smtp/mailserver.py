"""An SMTP server that keeps mails in a Maildir and refuses recipients that begin with "undeliverable"."""

from aiosmtpd.handlers import Mailbox


class MailServer(Mailbox):
    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address.startswith("undeliverable"):
            return "550 5.1.1 No such user here"
        envelope.rcpt_tos.append(address)
        return "250 OK"
