// The three pictures, drawn at the width they have on the page: lengths are in pixels, so letters keep their size.

const MOST_POINTS = 1200; // of the curves: then every other one is forgotten

const number = (x, digits = 3) => (Number.isFinite(x) ? String(Number(x.toPrecision(digits))) : "∞");
const grouped = (n) => n.toLocaleString("en");

// Round numbers from low to high, about `count` of them.
function ticks(low, high, count) {
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((s) => s * power >= rough) * power;
  const found = [];
  for (let j = Math.ceil(low / step - 1e-9); j * step <= high + 1e-9 * step; j++) found.push(j * step);
  return found;
}

function text(x, y, words, { anchor = "start", kind = "" } = {}) {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" class="${kind}">${words}</text>`;
}

const path = (kind, d) => `<path class="${kind}" d="${d}"/>`;

// A horizontal axis at height y, its title below and right of it.
function axis(places, scale, y, top, title, end, label = number) {
  const lines = places.map((at) => path("grid", `M${scale(at)} ${top}V${y}`)
    + text(scale(at), y + 15, label(at), { anchor: "middle", kind: "dim" }));
  return lines.join("") + text(end, y + 31, title, { anchor: "end", kind: "dim" });
}

function put(svg, height, parts) {
  svg.setAttribute("height", height);
  svg.setAttribute("viewBox", `0 0 ${svg.clientWidth} ${height}`);
  svg.innerHTML = parts.join("");
}

// Each arm on a line: truth, mean, interval, last reward, and where the nearest alternative moves it.
function drawArms(svg, run, unit) {
  const [first, last] = run.family === gaussian
    ? [Math.min(...run.truth) - 1.5, Math.max(...run.truth) + 1.5] : [0, 1];
  const left = 12, right = svg.clientWidth - 12, row = 58, bottom = row * run.N.length + 4;
  const scale = (x) => left + (right - left) * (Math.min(Math.max(x, first), last) - first) / (last - first);
  const inside = (x) => first <= x && x <= last;
  const places = ticks(first, last, svg.clientWidth / 110);
  const parts = [axis(places, scale, bottom, 0, unit, right)];
  run.N.forEach((pulls, k) => {
    const y = row * k + 38, at = scale(run.mean[k]), to = scale(run.nearest[k]);
    const standing = k === run.i ? "looks best" : "", pulled = k === run.arm ? "pulled" : "";
    const note = [standing, pulled].filter(Boolean).join(", ");
    parts.push(text(left, y - 20, `arm ${k}${note && ": "}${note}`, { kind: k === run.i ? "strong" : "" }));
    parts.push(path("axis", `M${left} ${y}H${right}`));
    const [a, b] = [scale(run.alpha[k]), scale(run.beta[k])];
    const caps = [run.alpha[k], run.beta[k]].filter(inside).map((end) => `M${scale(end)} ${y - 5}V${y + 5}`);
    parts.push(path("interval", `M${a} ${y}H${b}${caps.join("")}`));
    parts.push(path("truth", `M${scale(run.truth[k])} ${y - 12}V${y + 12}`));
    if (k === run.arm) {
      const x = scale(run.reward), out = run.reward > last ? -6 : 6; // a cross; beyond the end an arrowhead
      parts.push(path("reward", inside(run.reward) ? `M${x - 4} ${y - 4}l8 8M${x + 4} ${y - 4}l-8 8` : `M${x + out} ${y - 5}L${x} ${y}L${x + out} ${y + 5}`));
    }
    if (run.nearest[k] !== run.mean[k]) {
      parts.push(path("move", `M${at} ${y + 12}H${to}`));
      parts.push(path("nearest", `M${to} ${y + 6}L${to + 6} ${y + 12}L${to} ${y + 18}L${to - 6} ${y + 12}Z`));
    }
    parts.push(`<circle class="seen" cx="${at}" cy="${y}" r="6"/>`);
  });
  put(svg, bottom + 38, parts);
}

// The share of each arm of the pulls, and its best share.
function drawPulls(svg, run, best) {
  const left = 56, right = svg.clientWidth - 12, row = 34, bottom = row * run.N.length + 4;
  const most = Math.min(1, 1.2 * Math.max(...run.N.map((pulls) => pulls / run.n), ...best));
  const room = 120; // for the words right of a bar
  const scale = (share) => left + (right - room - left) * share / most;
  const places = ticks(0, most, svg.clientWidth / 160);
  const parts = [axis(places, scale, bottom, 0, "share of the pulls, %", right, (share) => number(100 * share))];
  run.N.forEach((pulls, k) => {
    const y = row * k + 6, end = scale(pulls / run.n), mark = scale(best[k]);
    parts.push(text(left - 8, y + 17, `arm ${k}`, { anchor: "end", kind: k === run.i ? "strong" : "" }));
    parts.push(`<rect class="bar" x="${left}" y="${y}" width="${end - left}" height="24"/>`);
    parts.push(path("best", `M${mark} ${y - 3}V${y + 27}`));
    const words = `${grouped(pulls)} (${number(100 * pulls / run.n)} %)`;
    parts.push(text(Math.max(end, mark) + 8, y + 17, words));
  });
  put(svg, bottom + 38, parts);
}

// What the last picture remembers of a run: samples, statistic, threshold.
class History {
  constructor() {
    Object.assign(this, { points: [], stride: 1, rounds: 0, highest: 0 });
  }

  add({ n, statistic, threshold }) {
    this.highest = Math.max(this.highest, statistic);
    if (this.rounds++ % this.stride === 0) this.points.push([n, statistic, threshold]);
    if (this.points.length > MOST_POINTS) {
      this.points = this.points.filter((_, j) => j % 2 === 0);
      this.stride *= 2;
    }
  }
}

// The statistic and the threshold over the samples.
function drawEvidence(svg, run, past) {
  const left = 44, right = svg.clientWidth - 26, top = 26, bottom = 226, first = run.N.length;
  const last = Math.max(run.n, first + 20), most = 1.15 * Math.max(past.highest, run.threshold);
  const x = (n) => left + (right - left) * (n - first) / (last - first);
  const y = (value) => bottom - (bottom - top) * value / most;
  const points = [...past.points, [run.n, run.statistic, run.threshold]];
  const curve = (j) => points.map((point) => `${x(point[0]).toFixed(1)} ${y(point[j]).toFixed(1)}`).join("L");
  const parts = [axis(ticks(first, last, svg.clientWidth / 80), x, bottom, top, "samples", right, grouped)];
  for (const value of ticks(0, most, 5)) {
    parts.push(path("grid", `M${left} ${y(value)}H${right}`));
    parts.push(text(left - 6, y(value) + 4, number(value), { anchor: "end", kind: "dim" }));
  }
  parts.push(path("axis", `M${left} ${top}V${bottom}H${right}`));
  parts.push(`<clipPath id="plot"><rect x="${left}" y="${top}" width="${right - left}" height="${bottom - top + 2}"/></clipPath>`);
  parts.push(`<g clip-path="url(#plot)">${path("threshold", `M${curve(2)}`)}${path("statistic", `M${curve(1)}`)}</g>`);
  parts.push(`<circle class="end" cx="${x(run.n)}" cy="${y(run.statistic)}" r="5"/>`);
  parts.push(text(2, 14, "evidence, in nats", { kind: "dim" }));
  put(svg, bottom + 38, parts);
}
