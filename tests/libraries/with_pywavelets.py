"""PyWavelets: decompositions, composed again, in one and two dimensions."""

import numpy as np
import pywt

x = np.sin(np.linspace(0, 8 * np.pi, 128)) + np.random.default_rng(15).normal(0, 0.1, 128)
parts = pywt.wavedec(x, "db4", level=3)
print([p.size for p in parts], parts[0][:3].round(6), np.allclose(pywt.waverec(parts, "db4"), x))
a, d = pywt.dwt(x, "haar")
print(a.sum().round(6), d.std().round(6), pywt.idwt(a, d, "haar")[:3].round(6), pywt.threshold(d, 0.1, "soft")[:4].round(5), pywt.dwt_max_level(128, "db4"))
image = np.outer(np.hanning(32), np.hanning(32))
low, (h, v, g) = pywt.dwt2(image, "bior1.3")
print(low.shape, low.sum().round(6), np.abs(h).sum().round(6), np.allclose(pywt.idwt2((low, (h, v, g)), "bior1.3")[:32, :32], image))
matrix, frequencies = pywt.cwt(x, np.arange(1, 8), "morl")
print(matrix.shape, np.abs(matrix).max(axis=1).round(4), frequencies.round(4), pywt.swt(x, "db2", level=2)[0][0][:2].round(5))
flat, slices = pywt.coeffs_to_array(pywt.wavedec2(image, "db1", level=2))
print(flat.shape, flat.sum().round(5), pywt.WaveletPacket(x, "db1", maxlevel=2)["aa"].data[:3].round(5))
