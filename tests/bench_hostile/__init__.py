"""make bench-hostile: weft's Jupyter kernel beside ipykernel while connections without a key attack them (tests/strangers.py)."""
