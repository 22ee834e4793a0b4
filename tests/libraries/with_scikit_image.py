"""scikit-image: filters, segmentation, measures, transforms, features."""

import numpy as np
from skimage import (
    color,
    exposure,
    feature,
    filters,
    measure,
    morphology,
    restoration,
    segmentation,
    transform,
    util,
)

rng = np.random.default_rng(7)
y, x = np.mgrid[0:80, 0:100]
image = ((np.hypot(x - 30, y - 40) < 15) | (np.hypot(x - 70, y - 30) < 10)).astype(float)
noisy = np.clip(image + rng.normal(0, 0.1, image.shape), 0, 1)
smooth = filters.gaussian(noisy, 2)
limit = filters.threshold_otsu(smooth)
labels = measure.label(smooth > limit)
print(round(float(limit), 5), labels.max(), [(r.label, int(r.area), tuple(np.round(r.centroid, 2))) for r in measure.regionprops(labels)])
print(morphology.remove_small_objects(labels > 0, max_size=400).sum(), morphology.closing(image, morphology.disk(3)).sum(), morphology.skeletonize(image > 0).sum())
print(filters.sobel(image).sum().round(5), feature.canny(noisy, sigma=2).sum(), np.round(measure.find_contours(image, 0.5)[0][:2], 4))
print(transform.resize(image, (20, 25)).sum().round(4), transform.rotate(image, 30).sum().round(3), transform.rescale(image, 0.5).shape)
print(segmentation.slic(np.dstack([noisy] * 3), n_segments=10, start_label=1).max(), segmentation.clear_border(labels).max(), segmentation.find_boundaries(labels).sum())
print(exposure.equalize_hist(noisy).mean().round(5), exposure.rescale_intensity(np.arange(5), out_range=(0, 1)), util.img_as_ubyte(image).max())
print(color.rgb2gray(np.dstack([image, image / 2, image / 4])).sum().round(4), color.rgb2hsv(np.array([[[0.2, 0.4, 0.6]]])).round(5), restoration.denoise_tv_chambolle(noisy).mean().round(5))
print(feature.peak_local_max(smooth, min_distance=10), measure.shannon_entropy(image).round(5), transform.hough_line(image > 0)[0].shape)
print(measure.block_reduce(image, (20, 20), np.max), util.view_as_windows(np.arange(10), 4)[2], morphology.dilation(image > 0).sum())
