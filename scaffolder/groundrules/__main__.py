"""`python -m groundrules` is the command `groundrules`."""

import sys

from groundrules.cli import main

sys.exit(main())
