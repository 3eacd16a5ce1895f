"""A full decode in sRGB, reduced by Lanczos 3 in linear light, in floating point."""

import io

import numpy
from PIL import Image, ImageCms, ImageOps


def full(file):
    """The whole picture, upright and in sRGB, RGB or RGBA."""
    picture = Image.open(file)
    profile = picture.info.get("icc_profile")
    picture = ImageOps.exif_transpose(picture)
    picture = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    if profile and picture.mode == "RGB":
        picture = ImageCms.profileToProfile(picture, io.BytesIO(profile), ImageCms.createProfile("sRGB"))
    return picture


def light(level):
    return numpy.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)


def level(value):
    value = numpy.clip(value, 0, 1)
    return numpy.where(value <= 0.0031308, value * 12.92, 1.055 * value ** (1 / 2.4) - 0.055)


def weights(count, result):
    """The weights of `count` pixels for each pixel of the result; the outermost are repeated beyond the edge."""
    scale = count / result
    table = numpy.zeros((result, count), numpy.float32)
    for index in range(result):
        center = (index + 0.5) * scale
        places = numpy.arange(numpy.ceil(center - 3 * scale - 0.5), numpy.floor(center + 3 * scale - 0.5) + 1)
        distance = (places + 0.5 - center) / scale
        values = numpy.sinc(distance) * numpy.sinc(distance / 3)
        numpy.add.at(table[index], numpy.clip(places, 0, count - 1).astype(int), values / values.sum())
    return table


def thumbnail(picture, size):
    """The picture at a size of at most its own."""
    pixels = numpy.asarray(picture, numpy.float32) / 255
    alpha = pixels[..., 3:] if pixels.shape[2] == 4 else None
    samples = light(pixels[..., :3]).astype(numpy.float32)
    if alpha is not None:
        samples = numpy.concatenate([samples * alpha, alpha], 2)
    down, across = weights(picture.height, size[1]), weights(picture.width, size[0])
    rows = numpy.tensordot(down, samples, (1, 0))
    result = numpy.tensordot(rows, across, (1, 1)).transpose(0, 2, 1)
    if alpha is not None:
        cover = numpy.clip(result[..., 3:], 0, 1)
        colors = numpy.where(cover > 0, result[..., :3] / numpy.maximum(cover, 1e-6), 0)
        result = numpy.concatenate([level(colors), cover], 2)
    else:
        result = level(result)
    return Image.fromarray(numpy.rint(result * 255).astype(numpy.uint8))
