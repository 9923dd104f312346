"""``python -m harness.cli`` is ``windtunnel``."""

import sys

from harness.cli import main

sys.exit(main())
