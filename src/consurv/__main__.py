"""``python -m consurv``: the same as the command ``consurv``."""

from consurv.cli import main

if __name__ == "__main__":
    main()
