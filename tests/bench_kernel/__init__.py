"""make bench-kernel: weft's Jupyter kernel beside ipykernel and xeus-python, with the same clients in the same run."""
