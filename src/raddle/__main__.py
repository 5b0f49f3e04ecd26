"""Entry point of `python -m raddle`, which is equivalent to the `raddle` command."""

from raddle.cli import main

if __name__ == "__main__":
    main()
