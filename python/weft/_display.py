"""Arrays in notebooks: what NumPy prints of them, and below it in small print their shape, dtype and place."""

import html
import json

from ._units import SIZES, amount

# JupyterLab's theme gives a <pre> its letters and colors; its size is that of other outputs. Behind the commas stands what other
# front ends and saved pages show.
VALUES = "margin:var(--jp-code-padding,0) 0;background:none;white-space:pre;overflow-x:auto;font-size:var(--jp-code-font-size,inherit)"
ABOUT = "color:var(--jp-ui-font-color2,gray)"


def bundle(array):
    """What a front end may choose from to show an array, as MIME types with their data.

    NumPy prints the array once for both: where it lies in the memory of a device, printing moves what is printed.
    """
    small = about(array)  # before anything is moved
    text = repr(array)
    page = f'<pre style="{VALUES}">{html.escape(text, quote=False)}</pre><small style="{ABOUT}">{html.escape(small)}</small>'
    return {"text/plain": text, "text/html": page}


def about(array):
    """Shape, dtype, bytes and which memories hold how much: "shape (3, 4), float64, 96 B on host"."""
    size = amount(array.nbytes, SIZES)
    held = {memory: amount(n, SIZES) for memory, n in json.loads(array._placed).items()} if array.size else {}
    if list(held.values()) == [size]:
        place = f" on {next(iter(held))}"
    else:  # parts or copies in several memories, or a view, whose memory is that of all of the array it is a part of
        place = ("; " if held else "") + ", ".join(f"{n} on {memory}" for memory, n in held.items())
    return f"shape {array.shape}, {array.dtype}, {size}{place}"
