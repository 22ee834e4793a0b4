"""Kernels for each row of what programs for CUDA may use: see rows.py."""
