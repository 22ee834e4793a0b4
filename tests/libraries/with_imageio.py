"""imageio: images and films written to memory and read again."""

import io

import imageio.v3 as iio
import numpy as np

y, x = np.mgrid[0:32, 0:48]
image = np.stack([x * 5, y * 7, (x ^ y) * 3], axis=-1).astype(np.uint8)
for form in (".png", ".bmp", ".tiff"):
    data = iio.imwrite("<bytes>", image, extension=form)
    again = iio.imread(data, extension=form)
    print(form, again.shape, again.dtype, np.array_equal(again, image), isinstance(again, np.ndarray))
film = np.stack([np.roll(image, k, axis=1) for k in range(4)])
data = iio.imwrite("<bytes>", film, extension=".gif", duration=50)
print(iio.imread(data, index=None).shape, iio.improps(data).shape, sum(1 for _ in iio.imiter(data)))
print(iio.imread(iio.imwrite("<bytes>", image[..., 0], extension=".png")).sum(), iio.immeta(io.BytesIO(iio.imwrite("<bytes>", image, extension=".png")))["mode"])
