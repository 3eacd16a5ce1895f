"""One request and its response over a connection, as little as a load generator needs."""

import asyncio
import dataclasses
import re


@dataclasses.dataclass
class Response:
    status: int
    cache: str
    closes: bool
    retries: bool
    #: Milliseconds by step, as `Server-Timing` has them.
    timing: str
    body: bytes


def request(path):
    return f"GET {path} HTTP/1.1\r\nHost: h\r\n\r\n".encode()


async def receive(reader):
    """The next response; fails where the connection ends before it is whole."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")

    def field(name):
        found = re.search(rf"(?i)\r\n{name}: ([^\r]*)", head)
        return found.group(1) if found else ""

    body = await reader.readexactly(int(field("content-length") or 0))
    return Response(int(head.split(" ", 2)[1]), field("x-cache"), "close" in field("connection").lower(),
                    bool(field("retry-after")), field("server-timing"), body)


async def get(port, path, address="127.0.0.1", seconds=45):
    """A response over a connection of its own."""
    async with asyncio.timeout(seconds):
        reader, writer = await asyncio.open_connection(address, port)
        try:
            writer.write(request(path))
            return await receive(reader)
        finally:
            writer.transport.abort()
