"""Kernels beside Numba: what make bench-kernels runs."""
