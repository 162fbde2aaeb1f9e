"""`python -m toolsearch`."""

from .cli import main

main()
