"""altair: charts of frames of arrays, as JSON."""

import altair as alt
import numpy as np
import pandas as pd

frame = pd.DataFrame({"x": np.arange(5), "y": np.linspace(0, 1, 5), "k": np.array(list("abaab"))})
chart = alt.Chart(frame).mark_line().encode(x="x:Q", y="y", color="k")
made = chart.to_dict()
print(made["mark"], made["encoding"], list(made["datasets"].values())[0][:2])
print((chart | alt.Chart(frame).mark_bar().encode(x=alt.X("y", bin=True), y="count()").properties(width=int(np.int64(200)))).to_dict()["hconcat"][1]["width"])
print(alt.Chart(alt.Data(values=[{"v": float(v)} for v in np.arange(2)])).mark_point().encode(x="v:Q").to_dict()["data"])
