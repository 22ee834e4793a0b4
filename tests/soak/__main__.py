"""The command behind make soak."""

import argparse
import time

from . import load


def main():
    parser = argparse.ArgumentParser(prog="make soak", description="Keep a kernel busy for long, and check that nothing is lost.")
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--interrupts", type=int, default=1000)
    parser.add_argument("--restarts", type=int, default=20)
    parser.add_argument("--reconnects", type=int, default=100)
    parser.add_argument("--neighbours", type=int, default=100, help="cells under each attack of a process without the key")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--kernel", default="weft")
    options = parser.parse_args()
    print("seed", options.seed, flush=True)
    kernel = load.Soaked(options.kernel, options.seed)
    try:
        for name, work, amount in (
            ("cells", load.cells, options.cells),
            ("flood", load.flood, options.megabytes * 1_000_000),
            ("interrupts", load.interrupts, options.interrupts),
            ("neighbours", load.neighbours, options.neighbours),
            ("reconnects", load.reconnects, options.reconnects),
            ("restarts", load.restarts, options.restarts),
        ):
            begun, before = time.monotonic(), kernel.memory()
            found = work(kernel, amount)
            print(
                f"{name:10} {amount:>13,}  {time.monotonic() - begun:7.1f} s  memory {before / 1e6:.0f} -> {kernel.memory() / 1e6:.0f} MB  {found}",
                flush=True,
            )
    finally:
        kernel.close()


if __name__ == "__main__":
    main()
