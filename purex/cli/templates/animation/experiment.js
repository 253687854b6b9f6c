// An experiment, round by round: Algorithm 1 of Degenne, Koolen & Menard (2019) for best arm.
// To be read beside purex/reference, which says the same in numpy.

const FIRST_GAP = 0.01; // AdaHedge's
const PRECISION = 4; // of the normal mixtures of the threshold `auto`, in rewards
const SHIFT = 16; // below this Stirling's series are moved up

// AdaHedge: weights proportional to exp(-rate * losses), with a rate that tunes itself.
class AdaHedge {
  constructor(K) {
    this.losses = new Array(K).fill(0);
    this.gap = FIRST_GAP;
  }

  get rate() {
    return log(this.losses.length) / this.gap;
  }

  play() {
    const least = Math.min(...this.losses), rate = this.rate;
    const w = this.losses.map((loss) => (loss > least ? exp(-rate * (loss - least)) : 1));
    const total = w.reduce((sum, x) => sum + x, 0);
    return w.map((x) => x / total);
  }

  learn(w, gains) {
    const most = Math.max(...gains), rate = this.rate;
    let loss = 0, total = 0;
    gains.forEach((gain, k) => {
      loss -= w[k] * gain;
      total += w[k] * exp(rate * (gain - most));
      this.losses[k] -= gain;
    });
    const mix = -most - log(total) / rate;
    this.gap += Math.max(0, loss - mix);
  }
}

// The rules: `play(now)` gives the weights of a round (lines 7 to 10). Each tracks their sums (line 11).
class Hedge { // D: AdaHedge against the nearest alternative, a learner for each candidate answer
  constructor() {
    this.learners = new Map();
  }

  play({ family, N, mu, f, i, alpha, beta }) {
    if (!this.learners.has(i)) this.learners.set(i, new AdaHedge(N.length));
    const learner = this.learners.get(i), w = learner.play();
    const lam = bestResponse(family, i, w, mu).point;
    const gains = lam.map((x, k) => Math.max(f / N[k], family.d(alpha[k], x), family.d(beta[k], x)));
    learner.learn(w, gains);
    return w;
  }
}

class TrackAndStop { // T: the best weights at the means seen, and forced exploration
  play({ family, N, mu, n, i }) {
    const starved = N.map((pulls) => pulls <= Math.sqrt(n) - N.length / 2);
    const number = starved.filter(Boolean).length;
    if (number > 0) return starved.map((is) => (is ? 1 / number : 0));
    return bestWeights(family, i, mu).w;
  }
}

class Optimist { // O: the best weights at the most optimistic means in the intervals
  play({ family, alpha, beta }) {
    return optimisticWeights(family, alpha, beta);
  }
}

class Fixed { // RR: equal weights; opt: the best ones, as if the truth were known
  constructor(w) {
    this.w = w;
  }

  play() {
    return this.w;
  }
}

const RULES = {
  "D-C": () => new Hedge(),
  "T-C": () => new TrackAndStop(),
  "O-C": () => new Optimist(),
  "opt-C": (family, means) => new Fixed(bestWeights(family, argmax(means), means).w),
  RR: (family, means) => new Fixed(means.map(() => 1 / means.length)),
};

// Thresholds beta: a run stops when its statistic is larger.
const THRESHOLDS = {
  stylised: ({ n }, delta) => Math.log1p(log(n)) - log(delta),
  // ln(m/delta), m = K - 1, and the prices of the candidate and of the rival that pays most
  auto({ family, N, mean, i }, delta) {
    const x = log((N.length - 1) / delta);
    const price = N.map((n, k) => (family === gaussian ? 0.5 * Math.log1p(n / PRECISION) : priceOfCoin(n, mean[k])));
    const factor = (j) => (family === gaussian ? 1 + PRECISION / Math.min(N[i], N[j]) : 1);
    const rivals = N.map((_, j) => j).filter((j) => j !== i);
    return Math.max(...rivals.map((j) => (x + price[i] + price[j]) * factor(j)));
  },
};
const STATUS = { stylised: "heuristic", auto: "proved" };

// What a Bernoulli arm of n rewards pays for a proof: that of Krichevsky and Trofimov at this mean.
function priceOfCoin(n, mean) {
  const inside = gammaRemainder(n * mean) + gammaRemainder(n * (1 - mean));
  return krichevskyTrofimov(n) - (inside + 0.5 * Math.LN2 - gammaRemainder(n));
}

// ln(pi)/2 + ln Gamma(n + 1) - ln Gamma(n + 1/2), by Stirling's series.
function krichevskyTrofimov(n) {
  const few = n < SHIFT, z = few ? n + SHIFT : n, q = 1 / (z * z);
  const series = (1 / 8 - q * (1 / 192 - q * (1 / 640 - q * (17 / 14336 - q * (31 / 18432))))) / z;
  let product = 1;
  for (let j = 1; few && j <= SHIFT; j++) product *= 1 + 0.5 / (n + (j - 0.5));
  return 0.5 * log(z) + series + 0.5 * log(Math.PI) - log(product);
}

// ln Gamma(s + 1/2) - s ln s + s - ln(2 pi)/2, likewise.
function gammaRemainder(s) {
  const few = s < SHIFT, y = few ? s + SHIFT : s, q = 1 / (y * y);
  const value = -(1 / 24 - q * (7 / 2880 - q * (31 / 40320 - q * (127 / 215040 - q * (511 / 608256))))) / y;
  if (!few) return value;
  let rising = s + 0.5;
  for (let j = 1; j < SHIFT; j++) rising *= s + (j + 0.5);
  const own = s > 0 ? s * log(s) - s : 0;
  return y * log(y) - y - own + value - log(rising);
}

// One run. `look` is what a round sees (lines 3 to 6), `step` plays it and pulls an arm (lines 7 to 12).
class Experiment {
  constructor({ family, means, delta, rule, threshold, seed, run = 0 }) {
    const key = streamKey(seed);
    this.family = FAMILIES[family];
    this.truth = means;
    this.delta = delta;
    this.rule = RULES[rule](this.family, means);
    this.beyond = THRESHOLDS[threshold];
    this.uniforms = means.map((_, k) => new Uniforms(key, run, k));
    this.N = means.map(() => 0); // pulls
    this.sums = means.map(() => 0); // of the rewards
    this.W = means.map(() => 1); // sums of the weights played; the first pulls count as basis vectors
    means.forEach((_, k) => this.pull(k));
    this.look();
  }

  pull(k) {
    this.reward = this.family.reward(this.truth[k], this.uniforms[k].next());
    this.arm = k;
    this.N[k] += 1;
    this.sums[k] += this.reward;
  }

  look() {
    const { family, N } = this;
    this.n = N.reduce((sum, pulls) => sum + pulls, 0);
    this.mean = this.sums.map((sum, k) => sum / N[k]);
    this.mu = this.mean.map((x, k) => family.clip(x, N[k])); // what the sampling rule sees
    this.f = log(this.n);
    this.alpha = this.mu.map((x, k) => family.clip(family.lower(x, this.f / N[k]), N[k]));
    this.beta = this.mu.map((x, k) => family.clip(family.upper(x, this.f / N[k]), N[k]));
    this.i = argmax(this.mean); // the candidate
    const nearest = bestResponse(family, this.i, N, this.mean);
    this.statistic = nearest.value;
    this.nearest = nearest.point;
    this.threshold = this.beyond(this, this.delta);
    this.stopped = this.threshold < this.statistic;
  }

  step() {
    if (this.stopped) return;
    const w = this.rule.play(this);
    this.W = this.W.map((sum, k) => sum + w[k]);
    this.w = w;
    this.pull(argmax(this.N.map((pulls, k) => -pulls / this.W[k])));
    this.look();
  }
}
