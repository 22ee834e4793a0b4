"""pillow: images of arrays and arrays of images, filters, formats, palettes."""

import hashlib
import io

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageOps

y, x = np.mgrid[0:64, 0:96]
colors = np.stack([x * 255 // 95, y * 255 // 63, (x + y) % 256], axis=-1).astype(np.uint8)
image = Image.fromarray(colors)
print(image.size, image.mode, image.getpixel((10, 20)), np.array(image).sum(), np.array_equal(np.asarray(image), colors))
gray = np.asarray(image.convert("L"))
print(gray.dtype, gray.shape, gray.mean().round(5), np.asarray(image.resize((20, 10))).mean(axis=(0, 1)).round(4))
for kind in (ImageFilter.GaussianBlur(2), ImageFilter.FIND_EDGES, ImageFilter.MedianFilter(3)):
    print(np.asarray(image.filter(kind)).astype(int).sum())
for form in ("PNG", "BMP", "TIFF"):
    file = io.BytesIO()
    image.save(file, form)
    print(form, hashlib.sha256(file.getvalue()).hexdigest()[:16], np.array_equal(np.asarray(Image.open(io.BytesIO(file.getvalue()))), colors))
draw = ImageDraw.Draw(image)
draw.ellipse((10, 10, 40, 40), fill=tuple(int(v) for v in np.array([255, 0, 0])))
print(np.asarray(image)[25, 25], np.asarray(ImageOps.mirror(image))[0, 0], np.asarray(ImageChops.invert(image)).max())
floats = Image.fromarray((gray / 255.0).astype(np.float32), mode=None)
mask = Image.fromarray(gray > 100)
print(floats.mode, mask.mode, mask.getbbox(), np.asarray(mask).sum(), np.asarray(image.quantize(8)).max(), image.histogram()[:4])
print(Image.fromarray(colors[::2, ::-1]).size, np.asarray(image.rotate(90, expand=True)).shape, np.asarray(Image.merge("RGB", image.split()[::-1]))[0, 5], Image.fromarray(gray.astype(np.int32)).mode)
