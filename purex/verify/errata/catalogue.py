"""The errata of the paper, R1 to R38, in its order of proof."""

from __future__ import annotations

from purex.verify.errata import confidence, proof, stopping
from purex.verify.errata.erratum import Erratum

ERRATA: tuple[Erratum, ...] = (
    Erratum(
        "R1", "the oracle allocation is called a minimiser",
        "typo", "section 1, below equation 1",
        r"a *minimiser* of $D_\mu(w)$ is called the oracle allocation",
        r"$w^*$ is a maximiser", "`Problem.equilibrium` maximises",
        stopping.minimiser,
    ),
    Erratum(
        "R2", "the statistic itself crosses every threshold, not only when the answer is wrong",
        "false", "section 1, thresholds",
        r"$P(\exists t: Z_t \ge \beta(t, \delta)) \le \delta$",
        r"the event is $\exists t: Z_t > \beta$ *and* $i^*(\hat\mu_t) \ne i^*(\mu)$, or $GLR_t(\{\mu\}) "
        r"> \beta$",
        "thresholds state which of the two events their proof bounds (`Threshold.event`)",
        stopping.statistic_crosses,
    ),
    Erratum(
        "R3", "a threshold that is valid at each fixed time does not bound the error",
        "false", "theorem 1",
        r"$P(GLR_t(\{\mu\}) > \beta(t, \delta)) \le \delta$, for a fixed t, makes the algorithm "
        r"delta-correct",
        r"$P(\exists t: GLR_t(\{\mu\}) > \beta(t, \delta)) \le \delta$, and $\beta$ nondecreasing in t",
        "proved thresholds are uniform in time, and nondecreasing (a contract of `Threshold`)",
        stopping.fixed_time_threshold,
    ),
    Erratum(
        "R4", "two forms of f, one undefined below 1",
        "gap", "section 2.3 and appendix B",
        r"f has $x + \ln x + 1/2$ in the body and $\overline W(x)$ in the appendix, undefined where x < 1",
        r"both are valid, since $\overline W(x) \le x + \ln x + 1/2$; $\overline W = 1$ below 1",
        '`Bonus("lambert")` and, for the body\'s form, `Bonus("body")`',
        confidence.body_against_appendix,
    ),
    Erratum(
        "R5", "the deviation lemma is false for small alpha",
        "false", "appendix B, deviation lemma",
        r"$P(\exists s \le t: s\,d(\bar Y_s, \mu) \ge \alpha) \le 2e\ln(t)\,\alpha e^{-\alpha}$ for "
        r"$\alpha > 0$",
        r"for $\alpha > 1$ and $t \ge 2$; it is used at $\alpha \ge \overline W(\ln 3) > 1$ only",
        "claim S17 has the hypotheses",
        confidence.small_alpha,
    ),
    Erratum(
        "R6", "a sum is compared with an integral where its terms still increase",
        "gap", r"appendix B, $\sum_t P(E_t^c)$",
        r"the sum over $t \ge 3$ is compared with an integral, though $\ln x/x^{1+a}$ increases up to "
        r"$e^{1/(1+a)}$",
        r"the claim holds: the sum is $-\zeta'(1+a) - 2^{-1-a}\ln 2 \le 1/a^2$",
        "claim S19 computes the sum",
        confidence.integral_test,
    ),
    Erratum(
        "R7", "the expectation lacks its first term, and the bound a sample",
        "false", "lemma 1",
        r"$E\tau = \sum_{t \ge 1} P(\tau > t)$; and $T_0 = \max\{t: \ldots\}$ satisfies the lemma's "
        r"hypothesis",
        r"the sum starts at t = 0, and the hypothesis holds for $t > T_0$ only: $E\tau \le T_0 + 1 + "
        r"2eK/a^2$",
        "`purex bound` adds the one",
        stopping.expectation_from_one,
    ),
    Erratum(
        "R8", "a count may exceed the sum of its weights by one",
        "false", "section 2.2, tracking",
        r"$N_t^k \le \sum_{s \le t} w_s^k$",
        r"$N_t^k \le \sum_{s \le t} w_s^k + 1$, as in the appendix",
        "claim S27",
        proof.one_more_pull,
    ),
    Erratum(
        "R9", "a tracking bound of ln K is asserted for the wrong rule",
        "gap", "the authors' code",
        r"asserts $N \ge W - \ln K$",
        r"true for the difference rule $\arg\min N - W$, false for the paper's ratio rule, where it is "
        r"$W - (K-1)$",
        "both rules, each with its own bound (claims S27 to S29)",
        proof.logarithm_for_ratios,
    ),
    Erratum(
        "R10", "the intervals of round s have the level of round s - 1",
        "false", "appendix D, linear increase; equation number_rounds",
        r"for $s \ge \lceil t_b \rceil$, on $E_t$, $\mu$ lies in the intervals of round s; and $\sum_i "
        r"n_i(t) = t$",
        r"the intervals have the level f(s-1): it takes $s - 1 \ge t_b$; and $\sum_i n_i(t) = t - K$",
        r"$t_b$ becomes $\max(t_b + 1, K)$ in claims S10, S49 to S53",
        confidence.late_interval,
    ),
    Erratum(
        "R11", "the statistic is taken after a round that was not over",
        "false", "appendix D, when the candidate is correct",
        r"not stopping in round t' gives $\beta(t', \delta) \ge \inf_\lambda \sum_k N_{t'}^k "
        r"d(\hat\mu_{t'}^k, \lambda^k)$",
        r"it gives this with $N_{t'-1}$ and $\hat\mu_{t'-1}$",
        "the chain of the path monitor ends at n = t' - 1; one more round in the sharp T_0",
        stopping.last_round,
    ),
    Erratum(
        "R12", "a lemma on sums is used where its proof does not reach",
        "gap", r"appendix D, $\sum w/N$",
        r"the sum is used, and its proof by the lemma on $\sum w/\sqrt N$ would need $-\ln(W_{t_0-1} - "
        r"(K-1))$ bounded",
        r"true with $t_0$ the first time that $W_{t_0-1} > K$",
        "claim S32",
        proof.diverging_logarithm,
    ),
    Erratum(
        "R13", "s samples are bounded as if they were t",
        "false", r"appendix E.2, event $E_t'$",
        r"the deviation of the s samples of round s is at most $D\sqrt{3\ln t/(2t)}$",
        r"$D\sqrt{3\ln t/(2s)}$; the sum over s is $D\sqrt{6t\ln t}$, and $\xi$ is $\hat\mu_{s-1}$",
        "claim S47 and the monitor of FTPL",
        confidence.empirical_mixture,
    ),
    Erratum(
        "R14", "the bound on FTPL divides by zero before the first pull",
        "gap", "appendix E.2, FTPL",
        r"$\eta_t^k = \sqrt{N_{t-1}^k}$ is 0 before the first pull, and the bound divides by it",
        "start after one pull of each arm, or add KD",
        "FTPL starts after the initial pulls",
    ),
    Erratum(
        "R15", "two signs are reversed in the induction",
        "typo", "appendix E.2, first display of the induction",
        r"the signs of the two sums are reversed",
        r"as in $A_t(u)$, a few lines below",
        "claim S46",
    ),
    Erratum(
        "R16", "the concentration event does not give the hypothesis of a lemma",
        "false", "appendix D, lemma on different answers",
        r"hypothesis $d(\hat\mu_{t-1}^k, \mu^k) \le \ln(t-1)/N_{t-1}^k$, applied on $E_t$",
        r"$d(\hat\mu_{t-1}^k, \mu^k) \le f(t-1)/N_{t-1}^k$; the printed lemma is true, but $E_t$ does "
        r"not give its hypothesis",
        "claim S49 uses f",
        confidence.lemma_hypothesis,
    ),
    Erratum(
        "R17", "a large U is taken for a large f/N",
        "false", "appendix D, linear increase",
        r"let j be such that $U_{t'}^j \ge \varepsilon/2$: then $f(s-1)/N_{s-1}^j \ge C_b\varepsilon/2$ "
        r"before",
        r"let j be such that $f(t'-1)/N_{t'-1}^j \ge \varepsilon/2$; and $t' > t_b$ instead of $\sqrt t$",
        "claim S51 uses f/N",
        confidence.bonus_or_gain,
    ),
    Erratum(
        "R18", "a factor L is counted once too often",
        "loose", "appendix D, when the candidate is correct",
        r"$2L\sqrt{2\sigma^2 f}\,S_1$ after a line with L",
        r"L suffices: $A_t$ has 3L instead of 4L",
        "`purex bound --algorithm sharp`",
        proof.four_or_three,
    ),
    Erratum(
        "R19", "two forms of h look different and are the same",
        "consistent", "section 3.3 and appendix E.1",
        "h(t) of Optimistic Track-and-Stop has two forms",
        "they are the same for b = 1 (the body's reference to the appendix is wrong)",
        "one form",
        proof.two_forms_of_h,
    ),
    Erratum(
        "R20", "a Lipschitz bound is used outside the box",
        "false", "appendix E.1",
        r"$\hat\mu_{s-1}$ and $\mu_s^+$ lie in $C_s \subset \Theta^K$, so divergences differ by at most "
        r"L times the distance; sums over s >= 1",
        r"$C_s$ must be cut to the box, a sum over k is missing, and sums start at s = K + 1 ($N_0 = 0$)",
        "intervals are cut to the box",
        confidence.outside_the_box,
    ),
    Erratum(
        "R21", "the confidence intervals are not cut to the box",
        "false", "algorithm 1, line 3",
        r"$[\alpha, \beta] = \{\xi: N d(\hat\mu, \xi) \le f\}$, without the box",
        r"intersect it with $[\mu_{min}, \mu_{max}]$, as the appendix does; else $U \le \max(D, f/N)$ "
        r"and the lemma on $C_s^k$ fail",
        "intervals are cut to the box",
        confidence.unclipped_bonus,
    ),
    Erratum(
        "R22", "the likelihood ratio is a difference of arguments instead of minima",
        "typo", "appendix A",
        "the GLR is a difference of two argmin",
        "of two minima", "`statistic=\"model\"` of `simulate`",
    ),
    Erratum(
        "R23", "means in an interval do not make laws sub-Gaussian",
        "false", "section 2.1",
        "assumption 1 (all laws sub-Gaussian) is implied by assumption 2 (means in a closed interval)",
        r"what is implied, and used, is $d(x, y) \ge (x-y)^2/(2\sigma^2)$ for x, y in the interval",
        r"$\sigma^2$ is the largest variance on the box (`Family.constants`)",
        confidence.heavy_tail,
    ),
    Erratum(
        "R24", "the regret of AdaHedge has a logarithm too few",
        "false", "appendix D, stopping time upper bound",
        r"$R_t^k + R_t^\lambda \le R\sqrt{Kt}$, hence $h(t) = O(\sqrt{t\ln t})$",
        r"AdaHedge's bound is $O(\sqrt t\,\ln t)$, because $b_s \le \max(D, f(s))$; so is h",
        "T_0 takes the explicit regret bound",
        proof.regret_rate,
    ),
    Erratum(
        "R25", "a constant of 1/3 where 0.63 holds",
        "loose", "appendix D, linear increase",
        r"$f(t^{1/(1+b)})/f(t) \ge 1/(3(1+b))$",
        r"at least $(1 - 1/e)/(1+b)$ for t > e, and $1/(1+b)$ as soon as $(1+a)\ln t \ge e - 1$",
        "`purex bound --algorithm sharp`",
        proof.third_of_the_ratio,
    ),
    Erratum(
        "R26", "it is not said that T_0 is finite, and it is",
        "consistent", "theorem 2",
        r"$T_0$ is a maximum: is the set finite?",
        r"yes, if $D_\mu > 0$, b > 0, and $\beta$ and R are o(t)",
        "`purex bound` refuses otherwise",
    ),
    Erratum(
        "R27", "optimism is said to cost less than it does",
        "false", "section 2.3, sketch",
        r"$U_s^k \le E d(\xi^k, \lambda^k) + O(1/\sqrt s)$",
        r"the excess is $O(\sqrt{f/N_{s-1}^k})$; the sum is $O(\sqrt{t\ln t})$. The sketch says of "
        r"itself that it is inexact",
        "the monitor's link L6",
        confidence.neglected_arm,
    ),
    Erratum(
        "R28", "a bound on the Chernoff information is half of what holds",
        "loose", "appendix D, Chernoff information",
        r"$ch(x, y) \ge (x-y)^2/(8\sigma^2)$",
        r"$(x-y)^2/(4\sigma^2)$, which is sharp",
        r"$\varepsilon$ is computed from ch itself",
        proof.four_or_eight,
    ),
    Erratum(
        "R29", "the closing lemma lacks its hypotheses",
        "gap", "section 2.3, closing lemma",
        "no hypotheses",
        r"$T^* > 1$ and $C(1 + \ln T^*)/(2\sqrt{T^*\ln T^*}) < 1$",
        "infinite where the denominator is not positive",
        proof.closing_lemma,
    ),
    Erratum(
        "R30", "wrong indices around the saddle points",
        "typo", "appendix D, saddle points",
        r"$C_s^k$ with $\hat\mu_{t-1}$, $w_s$ in $\ell_t$, $\sum_{k=K+1}^K$, $[a_t^t, b_t^k]$, "
        r"$N_{s-1}^t$, $i_s \neg i^*$",
        r"$\hat\mu_{s-1}$, $w_t$, $\sum_{k=1}^K$ over s > K, $[a_t^k, b_t^k]$, $N_{s-1}^k$, $i_s \ne i^*$",
        "-",
    ),
    Erratum(
        "R31", "gradient descent is said to need best responses, and needs projections",
        "typo", "section 3.2, online gradient descent",
        "J best-response calls a round",
        "J gradient steps and J Euclidean projections, which are best responses to unit weights of "
        "Gaussian arms",
        "claim S58 counts projections",
        proof.projection_or_response,
    ),
    Erratum(
        "R32", "many tests in the text and one in the algorithm, which agree",
        "consistent", "section 2.2 and algorithm 1",
        "the text has |I| tests, the algorithm one",
        r"equivalent: if any test succeeds, so does that of $i_t$ (claim S42)",
        r"the test of $i_t$",
    ),
    Erratum(
        "R33", "raw or projected means, which are both correct",
        "consistent", "section 2.1",
        "the GLRT may use projected means or not, indifferently",
        "both are delta-correct; the raw statistic is the larger and stops no later",
        "`statistic=` of `simulate`",
        stopping.projected_statistic,
    ),
    Erratum(
        "R34", "an event is supposed that is not needed",
        "loose", r"appendix D, lemma on $C_s^k$",
        r"under the event $E_t$",
        "the event is not needed, if the intervals are cut to the box",
        "claim S23 is pathwise",
    ),
    Erratum(
        "R35", "two orders of arguments, and a proportionality that is an equality",
        "typo", "throughout",
        r"$\beta(\delta, t)$ and $\beta(t, \delta)$; $d\nu/d\nu_0 \propto e^{\eta x - \psi(\eta)}$",
        r"one order; = instead of $\propto$", "-",
    ),
    Erratum(
        "R36", "tracking is charged for K arms instead of K - 1",
        "loose", "appendix D, tracking in value",
        "tracking costs KD",
        "(K-1)D, since the positive parts of W - N sum to at most K - 1",
        "claim S34; `purex bound --algorithm sharp`",
        proof.loss_of_tracking,
    ),
    Erratum(
        "R37", "the regret over the answers is added up without its root",
        "loose", "appendix D, regret over the answers",
        r"$(|I| - 1) R_t$",
        r"by concavity the main part grows with $\sqrt{|I| - 1}$ only, as the paper remarks",
        "`purex bound --algorithm sharp`",
        proof.split_regret,
    ),
    Erratum(
        "R38", "a Lipschitz bound leaves out the other arms",
        "false", "appendix F, the upper bound assumption",
        r"with $L_\mu$ M-Lipschitz for the maximum norm, $|\mu - \xi|L_\mu \le |\mu - \xi|L_\xi + M(\mu "
        r"- \xi)^2$ for each coordinate",
        r"$|\mu^k - \xi^k|L_\mu \le |\mu^k - \xi^k|(L_\xi + M\|\mu - \xi\|_\infty)$: the other arms "
        r"count too",
        "claim S14",
        confidence.other_arms,
    ),
)  # fmt: skip


def erratum(id: str) -> Erratum:
    """The entry of this id.

    >>> erratum("R8").demonstration().true.__round__(3)
    0.999
    """
    return {entry.id: entry for entry in ERRATA}[id]
