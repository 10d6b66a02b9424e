"""The clock by which patience is measured: seconds of processor time of this thread, or of the whole process
where Python has no clock for a thread, as in a kernel inside a browser.
"""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["processor_time"]

processor_time: Callable[[], float] = getattr(time, "thread_time", time.process_time)
