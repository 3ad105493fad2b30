"""Writes the sample workspace anew: `python -m examples.generator`, from the root of the repository."""

from examples.generator.workspace import WORKSPACE, write_documents


def main() -> None:
    for path in write_documents(WORKSPACE):
        print(path.relative_to(WORKSPACE.parents[1]))


if __name__ == "__main__":
    main()
