"""`python -m threadwise`."""

from threadwise.cli.main import main

if __name__ == "__main__":
    main()
