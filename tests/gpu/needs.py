"""Print the files of the distributions that are named and of all that they need, one on a line, from site-packages on."""

import importlib.metadata
import pathlib
import re
import sys


def needs(names):
    """All distributions that those of the names come to on this machine."""
    found, waiting = {}, list(names)
    while waiting:
        name = re.split(r"[ ;<>=!~\[(]", waiting.pop())[0]
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in found:
            continue
        try:
            found[key] = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # of another system
        waiting += [need for need in found[key].requires or [] if "extra ==" not in need]
    return found.values()


if __name__ == "__main__":
    for distribution in needs(sys.argv[1:]):
        for file in distribution.files or []:
            if pathlib.Path(distribution.locate_file(file)).is_file() and ".." not in file.parts:
                print(file)
