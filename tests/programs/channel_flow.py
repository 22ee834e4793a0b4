"""Flow through a periodic channel, in small steps of many small operations; prints the fields' figures."""

import numpy as np

NX = NY = 41
STEPS, PRESSURE_STEPS = 10, 20
DX, DY, DT, RHO, NU, FORCE = 2 / (NX - 1), 2 / (NY - 1), 0.01, 1.0, 0.1, 1.0


def around(a):
    """The neighbours of all points but the first and last rows: west, east, north, south."""
    periodic = np.concatenate([a[:, -1:], a, a[:, :1]], axis=1)
    return periodic[1:-1, :-2], periodic[1:-1, 2:], a[:-2], a[2:]


def source(u, v):
    uw, ue, un, us = around(u)
    vw, ve, vn, vs = around(v)
    ux, uy, vx, vy = (ue - uw) / (2 * DX), (us - un) / (2 * DY), (ve - vw) / (2 * DX), (vs - vn) / (2 * DY)
    return RHO * ((ux + vy) / DT - ux**2 - 2 * uy * vx - vy**2)


def press(p, b):
    for _ in range(PRESSURE_STEPS):
        w, e, n, s = around(p.copy())
        p[1:-1] = ((e + w) * DY**2 + (s + n) * DX**2 - DX**2 * DY**2 * b) / (2 * (DX**2 + DY**2))
        p[-1, :] = p[-2, :]
        p[0, :] = p[1, :]


def move(a, u, v, change):
    w, e, n, s = around(a)
    c = a[1:-1]
    a[1:-1] = (
        c
        - u[1:-1] * DT / DX * (c - w)
        - v[1:-1] * DT / DY * (c - n)
        + NU * (DT / DX**2 * (e - 2 * c + w) + DT / DY**2 * (s - 2 * c + n))
        + change
    )
    a[0] = a[-1] = 0


u, v, p = np.zeros((NY, NX)), np.zeros((NY, NX)), np.ones((NY, NX))
for step in range(STEPS):
    before = u.copy(), v.copy()
    press(p, source(u, v))
    w, e, n, s = around(p)
    move(u, *before, FORCE * DT - DT / (2 * RHO * DX) * (e - w))
    move(v, *before, -DT / (2 * RHO * DY) * (s - n))
    difference = (np.sum(u) - np.sum(before[0])) / np.sum(u)
    print("step", step, float(difference), float(np.abs(v).max()))
    if difference < 0.001:
        break
for name, field in {"u": u, "v": v, "p": p}.items():
    print(name, field.dtype, field.shape, *(float(x) for x in (field.mean(), field.min(), field.max())), *field[::10, 20].tolist())
