"""Ctrl-C that arrives: kept in mind, since libraries below may lose it or take it for an error."""

from __future__ import annotations

import signal
import threading
from types import FrameType

__all__ = ["Interrupt"]

AGAIN = 0.5
"""Seconds after which we ask again: long enough to tidy up, short enough to feel prompt."""
SOON = 0.1


class Interrupt:
    """While this is on, Ctrl-C raises KeyboardInterrupt, and again and again until it is off."""

    def __init__(self) -> None:
        self.asked = False
        self._is_on = False

    def on(self) -> None:
        usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if not usual or threading.current_thread() is not threading.main_thread():
            return  # somebody else decides
        self._is_on = True
        signal.signal(signal.SIGINT, self._stop)
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, self._stop)

    def off(self) -> None:
        if not self._is_on:
            return
        self._is_on = False
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        later = hasattr(signal, "setitimer")
        importing = later and _imports(frame)
        if later:
            signal.setitimer(signal.ITIMER_REAL, SOON if importing else AGAIN)
        if not importing:
            raise KeyboardInterrupt


def _imports(frame: FrameType | None) -> bool:
    """Compiled modules may not survive an exception while they are being imported."""
    while frame is not None:
        if "importlib._bootstrap" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False
