"""Instrumentation: turns source into probed code and a list of its sites.

It handles modules as they are imported and modules that are already loaded. The next stage, `execute`, runs the code.
"""

from __future__ import annotations

from raddle.instrument.generated import probe_new_dataclasses
from raddle.instrument.hook import Hook, install_hook
from raddle.instrument.inplace import Undo, instrument_module, instrument_modules
from raddle.instrument.labels import label_of
from raddle.instrument.rewrite import Rewritten, rewrite, site_base
from raddle.instrument.selection import Selection, Verdict
from raddle.refusal import NotInstrumented

__all__ = [
    "Hook",
    "NotInstrumented",
    "Rewritten",
    "Selection",
    "Undo",
    "Verdict",
    "install_hook",
    "instrument_module",
    "instrument_modules",
    "label_of",
    "probe_new_dataclasses",
    "rewrite",
    "site_base",
]
