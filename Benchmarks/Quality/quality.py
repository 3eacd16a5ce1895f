#!/usr/bin/env python3
"""Thumbnails of Calotype beside libvips, Pillow and thumbor, in one run: `make bench-quality`.

For each format: SSIMULACRA2 against a full decode reduced by Lanczos 3 in linear light, the size of the file, and the
processor time of one thread. The table replaces the one between the markers of Docs/performance.md.
"""

import argparse
import contextlib
import io
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

sys.path.append(str(pathlib.Path(__file__).parent.parent / "Service"))

import reference  # noqa: E402
from PIL import Image, ImageCms, ImageOps  # noqa: E402
from servers import free_port, process  # noqa: E402
from ssimulacra2 import compute_ssimulacra2  # noqa: E402

WIDTH = 400
QUALITIES = {"jpeg": 80, "png": None, "webp": 80, "avif": 60}
MARKERS = ("<!-- bench-quality -->", "<!-- /bench-quality -->")


def own_time():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


class Calotype:
    """The command, its start included, on all files in one call."""

    name = "Calotype"

    def __init__(self, program):
        self.program = program

    def run(self, files, form, folder):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        quality = ["--quality", str(QUALITIES[form])] if QUALITIES[form] else []
        subprocess.run([self.program, "convert", *files, "--output", f"{folder}/", "--format", form, "-j", "1",
                        "--width", str(WIDTH), "--overwrite", *quality], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        written = {path.stem: path.read_bytes() for path in pathlib.Path(folder).iterdir()}
        return seconds, [written[file.stem] for file in files]


class InProcess:
    """A library called from Python."""

    def run(self, files, form, folder):
        results, before = [], own_time()
        for file in files:
            results.append(self.thumbnail(file, form))
        return own_time() - before, results


class Vips(InProcess):
    def __init__(self):
        os.environ["VIPS_CONCURRENCY"] = "1"
        import pyvips

        self.image = pyvips.Image
        self.name = f"libvips {pyvips.version(0)}.{pyvips.version(1)}"

    def thumbnail(self, file, form):
        options = {"Q": QUALITIES[form]} if QUALITIES[form] else {}
        small = self.image.thumbnail(str(file), WIDTH, height=10_000_000, export_profile="srgb")
        return small.write_to_buffer("." + form, keep="none", **options)


class Pillow(InProcess):
    name = "Pillow"

    def thumbnail(self, file, form):
        picture = Image.open(file)
        is_turned = picture.getexif().get(0x0112, 1) > 4
        picture.thumbnail((10_000_000, WIDTH) if is_turned else (WIDTH, 10_000_000))
        picture = ImageOps.exif_transpose(picture)
        profile = picture.info.pop("icc_profile", None)
        if profile and picture.mode == "RGB":
            picture = ImageCms.profileToProfile(picture, io.BytesIO(profile), ImageCms.createProfile("sRGB"))
        target = io.BytesIO()
        options = {"quality": QUALITIES[form]} if QUALITIES[form] else {}
        (picture.convert("RGB") if form == "jpeg" else picture).save(target, form, exif=b"", **options)
        return target.getvalue()


class Thumbor:
    """The server with its file loader, one process."""

    name = "thumbor"

    def __init__(self, program, root, stack):
        self.port = free_port()
        settings = root / "thumbor.conf"
        settings.write_text("ALLOW_UNSAFE_URL = True\nLOADER = 'thumbor.loaders.file_loader'\n"
                            f"FILE_LOADER_ROOT_PATH = '{root}'\nRESPECT_ORIENTATION = True\n"
                            "STORAGE = 'thumbor.storages.no_storage'\nMAX_PIXELS = 75000000\n"
                            f"QUALITY = {QUALITIES['jpeg']}\nWEBP_QUALITY = {QUALITIES['webp']}\n"
                            f"AVIF_QUALITY = {QUALITIES['avif']}\n")
        command = [program, "-p", str(self.port), "-i", "127.0.0.1", "-c", str(settings), "--processes", "1"]
        self.child = stack.enter_context(process(command, self.port))

    def time(self):
        fields = pathlib.Path(f"/proc/{self.child.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def run(self, files, form, folder):
        results, before = [], self.time()
        for file in files:
            path = urllib.parse.quote(f"{file.parent.name}/{file.name}", safe="")
            url = f"http://127.0.0.1:{self.port}/unsafe/{WIDTH}x0/filters:format({form})/{path}"
            results.append(urllib.request.urlopen(url, timeout=60).read())
        return self.time() - before, results


def sources(photos, root):
    """The pictures by format: photographs as JPEG, and what else the folder holds; an AVIF is made of the largest."""
    found = {
        "jpeg": sorted(photos.glob("p*.jpg")), "png": sorted(photos.glob("n*.png")),
        "webp": sorted(photos.glob("w*.webp")),
    }
    folders = {}
    for form, files in found.items():
        folders[form] = []
        for file in files:
            place = root / form / file.name
            place.parent.mkdir(exist_ok=True)
            shutil.copyfile(file, place)
            folders[form].append(place)
    (root / "avif").mkdir()
    largest = max(found["jpeg"], key=lambda file: file.stat().st_size)
    place = root / "avif" / "photograph.avif"
    Image.open(largest).save(place, quality=85, speed=8)
    folders["avif"] = [place]
    return {form: files for form, files in folders.items() if files}


def score(picture, data, folder):
    """The SSIMULACRA2 of a result, on white; `None` for one that is not upright."""
    result = Image.open(io.BytesIO(data))
    if abs(result.height - picture.height * result.width / picture.width) > 2:
        return None
    expected = reference.thumbnail(picture, result.size)
    for image, name in ((expected, "expected"), (result, "result")):
        flat = Image.new("RGBA", image.size, "white")
        flat.alpha_composite(image.convert("RGBA"))
        flat.convert("RGB").save(folder / f"{name}.png")
    return compute_ssimulacra2(str(folder / "expected.png"), str(folder / "result.png"))


def measure(tools, files, form, rounds, root):
    times, results = {tool.name: [] for tool in tools}, {}
    for _ in range(rounds):
        for tool in list(tools):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    seconds, results[tool.name] = tool.run(files, form, folder)
                except Exception as error:  # A tool without a codec of the source or the result.
                    print(f"{tool.name}: no {form} of {files[0].name}: {error}", file=sys.stderr)
                    times.pop(tool.name, None)
                    tools = [other for other in tools if other is not tool]
                    continue
            times[tool.name].append(1000 * seconds / len(files))
    pictures = [reference.full(file) for file in files]
    for name, spent in times.items():
        scores = [score(picture, data, root) for picture, data in zip(pictures, results[name])]
        size = statistics.mean(len(data) for data in results[name])
        quality = "not upright" if None in scores else f"{statistics.mean(scores):.1f}"
        yield name, quality, size, statistics.median(spent)


def write(table, document):
    text = document.read_text()
    before, rest = text.split(MARKERS[0])
    after = rest.split(MARKERS[1])[1]
    document.write_text(f"{before}{MARKERS[0]}\n\n{table}\n\n{MARKERS[1]}{after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calotype", required=True, type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--photos", required=True, type=pathlib.Path)
    parser.add_argument("--thumbor", default="thumbor")
    parser.add_argument("--document", type=pathlib.Path, help="where the table is written; printed without it")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rows = ["| photographs to 400 px | tool | SSIMULACRA2 | bytes | processor time | images a second, one thread |",
            "|---|---|--:|--:|--:|--:|"]
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        root = pathlib.Path(folder)
        tools = [Calotype(options.calotype)]
        for make in (Vips, Pillow, lambda: Thumbor(options.thumbor, root, stack)):
            try:
                tools.append(make())
            except (ImportError, OSError, RuntimeError) as error:
                print(f"left out: {error}", file=sys.stderr)
        pictures = sources(options.photos, root)
        pairs = [("jpeg", form) for form in QUALITIES] + [(form, form) for form in pictures if form != "jpeg"]
        for source, form in pairs:
            title = f"{len(pictures[source])} × {source.upper()} to {form.upper()}"
            for name, quality, size, spent in measure(tools, pictures[source], form, options.rounds, root):
                rows.append(f"| {title} | {name} | {quality} | {size:,.0f} | {spent:.1f} ms | {1000 / spent:.0f} |")
                print(rows[-1], flush=True)
    if options.document:
        write("\n".join(rows), options.document)


if __name__ == "__main__":
    started = time.monotonic()
    main()
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
