"""Entry point of `python -m raddle`, which is the same as the command `raddle`."""

from raddle.cli import main

if __name__ == "__main__":
    main()
