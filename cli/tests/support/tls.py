"""Servers with TLS for the tests: SMTP by aiosmtpd, a TLS terminator before a real server, an OpenID discovery document.

Prints `ready PORT` and serves until its standard input ends. What the SMTP server saw is appended to a file.
"""
import asyncio
import json
import socket
import ssl
import sys

what, cert, key, *rest = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(cert, key)


def listening():
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    sock.listen(64)
    return sock


async def until_stdin_ends(port):
    print("ready", port, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


async def smtp(mode, log):
    from aiosmtpd.smtp import SMTP, AuthResult

    def saw(session, text):
        with open(log, "a") as file:
            file.write(f"{text} {'tls' if session.ssl or mode == 'smtps' else 'plain'}\n")

    class Handler:
        async def handle_DATA(self, server, session, envelope):
            saw(session, "mail")
            return "250 OK"

    def authenticate(server, session, envelope, mechanism, data):
        saw(session, "password")
        return AuthResult(success=True)

    def protocol():
        return SMTP(
            Handler(),
            hostname="localhost",
            tls_context=context if mode in ("starttls", "required") else None,
            require_starttls=mode == "required",
            authenticator=authenticate,
            auth_require_tls=False,
            loop=asyncio.get_running_loop(),
        )

    sock = listening()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(protocol, sock=sock, ssl=context if mode == "smtps" else None)
    await until_stdin_ends(sock.getsockname()[1])
    server.close()


async def proxy(kind, host, port):
    async def pipe(reader, writer):
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    async def serve(reader, writer):
        try:
            if kind == "postgres":
                # SSLRequest, which is answered before TLS begins.
                await reader.readexactly(8)
                writer.write(b"S")
                await writer.drain()
                await writer.start_tls(context)
            there = await asyncio.open_connection(host, int(port))
            await asyncio.gather(pipe(reader, there[1]), pipe(there[0], writer), return_exceptions=True)
        except (OSError, ssl.SSLError, asyncio.IncompleteReadError):
            writer.close()

    sock = listening()
    server = await asyncio.start_server(serve, sock=sock, ssl=None if kind == "postgres" else context)
    await until_stdin_ends(sock.getsockname()[1])
    server.close()


async def openid():
    sock = listening()
    port = sock.getsockname()[1]
    issuer = f"https://localhost:{port}"
    documents = {
        "/.well-known/openid-configuration": {
            "issuer": issuer,
            "authorization_endpoint": f"{issuer}/authorize",
            "token_endpoint": f"{issuer}/token",
            "jwks_uri": f"{issuer}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        },
        "/keys": {"keys": []},
    }

    async def serve(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        body = json.dumps(documents.get(head.split()[1].decode(), {})).encode()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n")
        writer.write(b"content-length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, sock=sock, ssl=context)
    await until_stdin_ends(port)
    server.close()


asyncio.run({"smtp": smtp, "proxy": proxy, "openid": openid}[what](*rest))
