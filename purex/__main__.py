"""`python -m purex` is the program `purex`."""

from purex.cli.main import main

if __name__ == "__main__":
    main()
