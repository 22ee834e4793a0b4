"""matplotlib: lines, images, histograms, surfaces, an animation, saved to memory and compared by their bytes."""

import hashlib
import io

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import animation


def saved(figure, form="png"):
    file = io.BytesIO()
    figure.savefig(file, format=form, metadata={"Software": None} if form == "png" else {"Date": None})
    plt.close(figure)
    return hashlib.sha256(file.getvalue()).hexdigest() if form == "png" else len(file.getvalue())


x = np.linspace(0, 2 * np.pi, 200)
figure, axes = plt.subplots(2, 3, figsize=(9, 5))
axes[0, 0].plot(x, np.sin(x), "r--", label="sin")
axes[0, 0].fill_between(x, 0, np.cos(x), where=np.cos(x) > 0, alpha=0.3)
axes[0, 0].legend()
axes[0, 1].imshow(np.outer(np.sin(x), np.cos(x)).round(6), cmap="viridis", extent=(0, 1, 0, 1))
counts, edges, _ = axes[0, 2].hist(np.random.default_rng(0).normal(size=1000), bins=np.arange(-3, 3.5, 0.5))
a, b = np.meshgrid(np.linspace(-2, 2, 40), np.linspace(-2, 2, 40))
axes[1, 0].contourf(a, b, a**2 - b**2, levels=8)
axes[1, 1].quiver(a[::8, ::8], b[::8, ::8], -b[::8, ::8], a[::8, ::8])
axes[1, 2].scatter(x[::9], np.sin(x[::9]), c=x[::9], s=20 * (1 + np.arange(x[::9].size)))
axes[1, 2].errorbar(x[::20], np.cos(x[::20]), yerr=np.full(10, 0.1))
print(saved(figure), counts, edges)
figure = plt.figure()
space = figure.add_subplot(projection="3d")
space.plot_surface(a, b, np.exp(-(a**2) - b**2).round(6))
print(saved(figure))
figure, axis = plt.subplots()
(line,) = axis.plot(x, np.sin(x))
moving = animation.FuncAnimation(figure, lambda i: line.set_data(x, np.sin(x + i)), frames=3, blit=False)
moving._draw_frame(2)
print(np.round(line.get_ydata()[:3], 6), saved(figure))
figure, axis = plt.subplots()
axis.boxplot([np.arange(10), np.arange(20)])
axis.bar(np.arange(3), np.array([1, 4, 2]))
axis.set_xlim(np.array([0, 4]))
print(saved(figure), plt.cm.plasma(np.array([0.0, 0.5])).round(4))
