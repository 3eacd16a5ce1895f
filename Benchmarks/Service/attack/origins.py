"""Origins of images, one for each way to behave, on loopback addresses: different hosts for the service."""

import asyncio
import contextlib
import functools
import os
import socket

HEALTHY, HANGING, TRICKLING, LYING, HOSTILE = (f"127.0.0.{n}" for n in range(1, 6))


def head(length, *fields, status="200 OK"):
    lines = [f"HTTP/1.1 {status}", "Cache-Control: max-age=3600", *fields]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return "\r\n".join([*lines, "", ""]).encode()


class Origins:
    """Answers requests; `files` are bodies by the last part of a path."""

    def __init__(self, files):
        self.files = files

    async def healthy(self, reader, writer, path):
        body = self.files[path.rsplit("/", 1)[-1].split("?")[0]]
        writer.write(head(len(body)) + body)
        await writer.drain()
        return True

    async def hanging(self, reader, writer, path):
        await reader.read()

    async def trickling(self, reader, writer, path):
        writer.write(head(100_000, "Content-Type: image/jpeg"))
        for byte in self.files["healthy"][:100_000]:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(1)

    async def lying(self, reader, writer, path):
        body = self.files["healthy"]
        lies = [
            head(len(body) + 1000) + body,
            head(len(body) // 2) + body,
            head(None, "Connection: close") + body[:len(body) // 2],
            head(1 << 50) + body[:1000],
            head(0),
            head(len(body), "Content-Type: text/html") + body,
            head(15, "Content-Type: image/png") + b"<p>no image</p>",
            head(None, "Transfer-Encoding: chunked") + b"fffff\r\n" + body[:1000],
            head(None, "Transfer-Encoding: chunked", "Content-Length: 5") + b"zz\r\nhello",
            head(len(body), "Content-Encoding: gzip") + body,
            head(0, f"Location: http://{LYING}:{{port}}{path}x", status="302 Found"),
            head(5, "Content-Length: 6") + b"hello!",
            b"HTTP/1.1 200 OK\r\nX: " + b"x" * 2_000_000,
            b"SSH-2.0-no HTTP at all\r\n",
            b"",
        ]
        port = str(writer.get_extra_info("sockname")[1]).encode()
        writer.write(lies[sum(path.encode()) % len(lies)].replace(b"{port}", port))
        await writer.drain()

    async def answer(self, respond, reader, writer):
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            while request := await reader.readuntil(b"\r\n\r\n"):
                path = request.split(b" ", 2)[1].decode("latin-1")
                if not await respond(reader, writer, path):
                    break
        with contextlib.suppress(OSError):
            writer.close()

    async def serve(self, sockets):
        kinds = {HEALTHY: self.healthy, HANGING: self.hanging, TRICKLING: self.trickling, LYING: self.lying,
                 HOSTILE: self.healthy}
        for address, bound in sockets.items():
            await asyncio.start_server(functools.partial(self.answer, kinds[address]), sock=bound)
        await asyncio.Event().wait()


def listening(*addresses):
    """A socket for each address, and the port of each."""
    sockets = {}
    for address in addresses:
        sockets[address] = socket.socket()
        sockets[address].bind((address, 0))
        sockets[address].listen(1024)
    return sockets, {address: bound.getsockname()[1] for address, bound in sockets.items()}


def run(sockets, files, nice):
    """The main function of a process of origins."""
    os.nice(nice)
    asyncio.run(Origins(files).serve(sockets))
