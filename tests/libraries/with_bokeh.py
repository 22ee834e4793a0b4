"""bokeh: figures of arrays, data sources, documents."""

import numpy as np
from bokeh.embed import json_item
from bokeh.models import ColumnDataSource
from bokeh.plotting import figure

x = np.linspace(0, 4, 30)
plot = figure(title="weft", x_range=(0, 4))
plot.line(x, np.sin(x))
plot.scatter(x[::3], np.cos(x[::3]), size=np.arange(10) + 2)
plot.image([np.arange(16.0).reshape(4, 4)], x=0, y=0, dw=1, dh=1)
source = ColumnDataSource({"top": np.array([1, 3, 2]), "x": np.arange(3)})
plot.vbar(x="x", top="top", source=source, width=0.5)
source.stream({"top": np.array([5]), "x": np.array([3])})
source.patch({"top": [(0, 9)]})
print(source.data["top"], sorted(source.data), type(source.data["x"]).__name__)
item = json_item(plot, "here")
print(item["root_id"].startswith("p"), len(item["doc"]["roots"]), len(plot.renderers))


def arrays(value):
    if isinstance(value, dict):
        if value.get("type") == "ndarray":
            yield value["dtype"], value["shape"], str(value["array"])[:60]
        for item in value.values():
            yield from arrays(item)
    elif isinstance(value, list):
        for item in value:
            yield from arrays(item)


for found in arrays(item["doc"]):
    print(found)
