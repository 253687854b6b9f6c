"""A sampling rule in numpy: sample what the closest alternative moves."""

from collections.abc import Iterable

from purex.plugins import RuleRecord, hookimpl
from purex.rules import BatchRule


class TowardsTheAlternative(BatchRule):
    """Uniform on the arms that the closest alternative moves; with probability epsilon on all."""

    def __init__(self, epsilon: float = 0.1) -> None:
        self.epsilon = epsilon

    def play(self, now):
        """The weights of each run, from the state of the whole batch."""
        point = now.problem.best_response(now.answer, now.N, now.mu).point
        moved = point != now.mu
        moved[(now.uniforms(0) < self.epsilon) | ~moved.any(axis=1)] = True
        return moved / moved.sum(axis=1, keepdims=True)


@hookimpl
def purex_rules() -> Iterable[RuleRecord]:
    """The rule `towards`."""
    yield RuleRecord(
        name="towards", factory=TowardsTheAlternative, summary="samples what the alternative moves"
    )


if __name__ == "__main__":
    import purex

    problem = purex.Problem.from_names("bernoulli", "best-arm", n_arms=5)
    result = purex.simulate(problem, [0.3, 0.21, 0.2, 0.19, 0.18], TowardsTheAlternative(), runs=20, seed=1)
    print(result.path, result.tau.mean(), result.correct.all())
