"""Image files for the soak: healthy ones, and hostile ones that are generated or read from a folder."""

import os
import pathlib
import struct
import zlib


def png(width, height, rows):
    """A PNG of 8-bit RGB; `rows` are its bytes with a filter byte before each row."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    image = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + image


def gradient(width=1200, height=900):
    """A healthy PNG that compresses well."""
    steps = ((x & 255, x >> 3 & 255, 255 - (x >> 2 & 255)) for x in range(width + height))
    wide = bytes(value for step in steps for value in step)
    return png(width, height, b"".join(b"\0" + wide[3 * y:3 * (y + width)] for y in range(height)))


def healthy(path):
    """An image from a file; drawn where there is none."""
    return pathlib.Path(path).read_bytes() if path and pathlib.Path(path).is_file() else gradient()


def noise(width=1000, height=800):
    """A healthy PNG of 2.4 MB that does not compress."""
    return png(width, height, b"".join(b"\0" + os.urandom(3 * width) for _ in range(height)))


def gif(width, height, frame_count):
    """A GIF with frames of one pixel each on a canvas of any size."""
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    control, pixel = b"\x21\xf9\x04\x08\x05\0\0\0", b"\x02\x02\x44\x01\0"
    frame = control + b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + pixel
    return head + frame * frame_count + b"\x3b"


def svg(body, attributes='width="1000" height="1000"'):
    return f'<svg xmlns="http://www.w3.org/2000/svg" {attributes}>{body}</svg>'.encode()


def turbulence(count=300, octaves=200):
    """An SVG with many filters, each of them dear."""
    filters = "".join(
        f'<filter id="f{n}" x="0" y="0" width="1" height="1"><feTurbulence baseFrequency="0.0{n % 9 + 1}" '
        f'numOctaves="{octaves}" seed="{n}"/></filter><rect width="1000" height="1000" filter="url(#f{n})"/>'
        for n in range(count))
    return svg(filters)


def laughs():
    """An SVG with entities that stand for entities."""
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    return f'<!DOCTYPE svg [<!ENTITY l0 "ha">{entities}]>'.encode() + svg("<text>&l11;</text>")


def slow():
    """Files that need more time than `work-time` allows."""
    return {"slow.gif": gif(2000, 2000, 1000), "turbulence.svg": turbulence()}


def heavy():
    """Files that take seconds, and much of a worker's memory."""
    return {
        "many.svg": svg('<rect width="9" height="9"/>' * 200_000),
        "text.svg": svg("<text>" + "W&#x4f60;a " * 100_000 + "</text>"),
        "deep.svg": svg("<g>" * 100_000 + "</g>" * 100_000),
    }


def broken(healthy):
    """Files that no decoder accepts."""
    large = struct.pack("<IiiHHIIiiII", 40, 1 << 30, 1 << 30, 1, 24, 0, 0, 0, 0, 0, 0)
    return {
        "truncated": healthy[:len(healthy) // 2],
        "head.png": png(8, 8, b"")[:40],
        "bomb.png": png(50_000, 50_000, bytes(4_000_000)),
        "few-rows.png": png(4_000, 4_000, bytes(1000)),
        "canvas.gif": gif(65_535, 65_535, 1),
        "frames.gif": gif(16, 16, 20_000),
        "huge.bmp": b"BM" + struct.pack("<IHHI", 1 << 30, 0, 0, 54) + large + bytes(1000),
        "laughs.svg": laughs(),
        "noise": os.urandom(100_000),
        "page.html": b"<!DOCTYPE html><title>no image</title>" * 100,
        "empty": b"",
    }


def found(folder):
    """The files of a folder; none where there is no folder."""
    if not folder or not pathlib.Path(folder).is_dir():
        return {}
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).iterdir())
            if path.is_file() and path.suffix != ".md"}
