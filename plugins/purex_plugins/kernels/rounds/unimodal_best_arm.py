"""Best arm under unimodal means inside a compiled round."""

from __future__ import annotations

from purex_plugins.kernels.rounds import best_arm
from purex_plugins.kernels.unimodal import unimodal_best_arm_row, unimodal_project, unimodal_size

scratch_size = unimodal_size
project = unimodal_project
answer = best_arm.answer
best_response_in = unimodal_best_arm_row
