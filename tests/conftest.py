"""What every test shares: hypothesis profiles, the case files, a check that nothing is left behind."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# A run in which every example is drawn anew finds faults that nobody can repeat; `deep` is for looking.
settings.register_profile(
    "ci",
    derandomize=True,
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.register_profile(
    "deep", max_examples=3_000, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
