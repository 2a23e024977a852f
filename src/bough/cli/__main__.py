"""`python -m bough.cli`"""

from bough.cli import main

main()
