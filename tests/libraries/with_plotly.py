"""plotly: figures of arrays as JSON and HTML."""

import hashlib
import json

import numpy as np
import pandas as pd
import plotly.express as px
import plotly.graph_objects as go
from plotly.subplots import make_subplots

x = np.linspace(0, 1, 20).round(3)
figure = go.Figure([go.Scatter(x=x, y=(x**2).round(4), name="squares"), go.Bar(x=np.arange(3), y=np.array([1, 3, 2]))])
figure.add_trace(go.Heatmap(z=np.arange(12).reshape(3, 4)))
figure.update_layout(title="weft", xaxis_range=np.array([0, 1]))
print(hashlib.sha256(figure.to_json().encode()).hexdigest(), json.loads(figure.to_json())["data"][0]["type"], figure.data[0].y[:3], type(figure.data[0].x).__name__)
frame = pd.DataFrame({"x": np.arange(6), "y": np.arange(6) ** 2, "k": np.array(list("ababab"))})
print(hashlib.sha256(px.line(frame, x="x", y="y", color="k").to_json().encode()).hexdigest())
print(len(px.imshow(np.arange(6).reshape(2, 3)).to_json()), len(px.scatter(x=np.arange(4), y=np.arange(4) * 2).to_json()), len(px.histogram(x=np.arange(10) % 3).to_json()))
both = make_subplots(rows=1, cols=2)
both.add_trace(go.Box(y=np.arange(5)), row=1, col=1)
both.add_trace(go.Histogram(x=np.arange(8) % 4), row=1, col=2)
print(hashlib.sha256(both.to_json().encode()).hexdigest(), go.Surface(z=np.ones((2, 2))).z.shape, "plotly" in figure.to_html(include_plotlyjs=False, div_id="d"))
