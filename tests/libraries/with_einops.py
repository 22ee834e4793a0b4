"""einops: rearranged, reduced and repeated arrays by patterns."""

import numpy as np
from einops import asnumpy, einsum, pack, parse_shape, rearrange, reduce, repeat, unpack

a = np.arange(24).reshape(2, 3, 4)
print(rearrange(a, "b h w -> (b h) w").shape, rearrange(a, "b (h p) w -> b p h w", p=3)[1, 2], reduce(a, "b h w -> b w", "max"), reduce(a / 2, "b (h q) w -> h", "mean", q=3).round(4))
print(repeat(a[0, 0], "w -> w k", k=2), einsum(a, np.ones((4, 2), int), "b h w, w k -> b h k")[0], parse_shape(a, "b h _"), isinstance(rearrange(a, "b h w -> w h b"), np.ndarray))
packed, shapes = pack([a[0], a[0, 0]], "* w")
print(packed.shape, shapes, [part.shape for part in unpack(packed, shapes, "* w")], asnumpy(a).sum(), reduce(a.astype(float), "b h w -> ", np.sum))
