"""What the k-player can be, by number: two learners and two second movers, in one compiled function each.

A k-player's memory is K + 1 numbers, whichever it is. In plain numpy: `purex.reference.k_players`.
"""

from __future__ import annotations

from purex.jit import njit
from purex.learners.adahedge import update as hedge_update
from purex.learners.adahedge import weights as hedge_weights
from purex.learners.mirror_ascent import update as ascent_update
from purex.learners.mirror_ascent import weights as ascent_weights
from purex.rules.game import ADAHEDGE, BEST_RESPONSE


@njit
def weights(player, memory, w):
    """Write the weights of a player that does not wait for the other into w."""
    if player == ADAHEDGE:
        hedge_weights(memory, w)
    else:
        ascent_weights(memory, w)


@njit
def update(player, memory, w, gain, scale):
    """Feed the learner that played w its gains."""
    if player == ADAHEDGE:
        hedge_update(memory, w, gain)
    else:
        ascent_update(memory, w, gain, scale)


@njit
def answer(player, memory, gain, w):
    """Write the basis vector of a second mover into w: the best arm of this round, or of all rounds with it.

    Ties go to the lowest index.
    """
    best = 0
    for k in range(len(w)):
        memory[k] += gain[k]
        of_round, of_all = gain[k] > gain[best], memory[k] > memory[best]
        if of_round if player == BEST_RESPONSE else of_all:
            best = k
        w[k] = 0.0
    w[best] = 1.0


@njit
def play(player, memory, gain, scale, w):
    """One round of the k-player: its weights into w. Only a second mover sees the gains before."""
    if player >= BEST_RESPONSE:
        answer(player, memory, gain, w)
    else:
        weights(player, memory, w)
        update(player, memory, w, gain, scale)


@njit
def weights_rows(player, memory, w):
    """`weights` for a batch: memory (R, K + 1 or more), w (R, K)."""
    for r in range(len(w)):
        weights(player, memory[r, : w.shape[1] + 1], w[r])


@njit
def update_rows(player, memory, w, gain, scale):
    """`update` for a batch."""
    for r in range(len(w)):
        update(player, memory[r, : w.shape[1] + 1], w[r], gain[r], scale)


@njit
def play_rows(player, memory, gain, scale, w):
    """The same for a batch: memory (R, K + 1 or more), gain and w (R, K)."""
    for r in range(len(w)):
        play(player, memory[r, : w.shape[1] + 1], gain[r], scale, w[r])
