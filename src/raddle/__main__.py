"""`python -m raddle` is `raddle`."""

from raddle.cli import main

if __name__ == "__main__":
    main()
