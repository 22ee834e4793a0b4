"""seaborn: statistical plots of frames and arrays, saved to memory and compared by their bytes."""

import hashlib
import io

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns


def saved(figure):
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    plt.close("all")
    return hashlib.sha256(file.getvalue()).hexdigest()


rng = np.random.default_rng(6)
frame = pd.DataFrame({"x": np.arange(60) % 6, "y": rng.normal(size=60).round(3), "kind": np.where(np.arange(60) % 2, "odd", "even")})
sns.set_theme(palette="deep")
print(saved(sns.histplot(rng.normal(size=300).round(4), bins=np.linspace(-3, 3, 13)).figure))
print(saved(sns.lineplot(data=frame, x="x", y="y", hue="kind", errorbar=None).figure))
print(saved(sns.heatmap(np.arange(12).reshape(3, 4), annot=True).figure))
print(saved(sns.boxplot(data=frame, x="kind", y="y").figure), saved(sns.violinplot(x=np.repeat(np.arange(2), 30), y=frame["y"].to_numpy()).figure) != "")
print(saved(sns.scatterplot(x=np.linspace(0, 1, 20), y=np.linspace(0, 1, 20) ** 2).figure))
print(saved(sns.kdeplot(x=np.linspace(-1, 1, 50)).figure) != "", saved(sns.catplot(data=frame, x="x", y="y", col="kind", kind="bar", errorbar=None).figure))
print(np.round(sns.color_palette("viridis", 3), 4).tolist())
