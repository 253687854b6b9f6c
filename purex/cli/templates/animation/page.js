// The page: settings, playback, numbers. The settings are kept in the address, after the #.

const { settings: DEFAULTS, limits: LIMITS } = JSON.parse(document.getElementById("given").textContent);
const RATES = [2, 10, 50, 250, 1000, Infinity]; // samples a second
const BUDGET = 12; // milliseconds of a picture in which samples may be taken
const byId = (id) => document.getElementById(id);

let settings, run, past, best, playing = null, next = 0;

// ---- settings ----------------------------------------------------------------------------------------------

// The settings that a text such as family=gaussian&means=1,0 asks for, and what is wrong with it.
function read(address) {
  const asked = new URLSearchParams(address), wrong = [], found = { ...DEFAULTS, samples: 0 };
  const take = (name, parse, allowed) => {
    if (!asked.has(name)) return;
    const value = parse(asked.get(name));
    if (allowed(value)) found[name] = value;
    else wrong.push(`${name}=${asked.get(name)}`);
  };
  take("family", String, (name) => Object.hasOwn(LIMITS.means, name));
  if (found.family !== DEFAULTS.family) found.means = LIMITS.means[found.family].usual;
  const [low, high] = LIMITS.means[found.family].ends;
  take("means", (list) => list.split(",").map(Number), (means) => (means.length === 2 || means.length === 3)
    && means.every((mean) => mean >= low && mean <= high));
  take("delta", Number, (delta) => delta >= LIMITS.delta[0] && delta <= LIMITS.delta[1]);
  take("rule", String, (name) => Object.hasOwn(RULES, name));
  take("threshold", String, (name) => Object.hasOwn(THRESHOLDS, name));
  take("seed", Number, (seed) => Number.isInteger(seed) && seed >= 0 && seed <= LARGEST_SEED);
  take("samples", Number, (samples) => Number.isInteger(samples) && samples >= 0);
  return [found, wrong];
}

function keepInAddress() {
  const { family, means, delta, rule, threshold, seed } = settings;
  const parts = { family, means: means.join(","), delta, rule, threshold, seed };
  if (!playing && run.n > means.length) parts.samples = run.n;
  const words = Object.entries(parts).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  try {
    history.replaceState(null, "", `#${words.join("&").replaceAll("%2C", ",")}`);
  } catch { // Safari allows a hundred of these in half a minute: the next one keeps the settings
  }
}

function showSettings() {
  const { ends: [low, high], step } = LIMITS.means[settings.family];
  byId("family").value = settings.family;
  byId("number").value = settings.means.length;
  byId("rule").value = settings.rule;
  byId("threshold").value = settings.threshold;
  byId("seed").value = settings.seed;
  byId("means").innerHTML = settings.means.map((mean, k) => `<label>Mean of arm ${k} <output for="mean-${k}">`
    + `${mean}</output><input type="range" id="mean-${k}" min="${low}" max="${high}" step="${step}" value="${mean}"></label>`).join("");
  const far = (delta) => Math.abs(Math.log(delta / settings.delta));
  const place = LIMITS.deltas.reduce((nearest, delta, j) => (far(delta) < far(LIMITS.deltas[nearest]) ? j : nearest), 0);
  byId("delta").value = place;
  showDelta();
}

function showDelta() {
  byId("delta-shown").value = settings.delta;
  byId("delta").setAttribute("aria-valuetext", settings.delta);
}

// ---- playback ----------------------------------------------------------------------------------------------

function restart() {
  run = new Experiment(settings);
  best = bestWeights(run.family, argmax(settings.means), settings.means).w;
  past = new History();
  past.add(run);
}

const ended = () => run.stopped || run.n >= LIMITS.samples;

function advance() {
  run.step();
  past.add(run);
}

function play(rate) {
  playing = { rate, time: null, due: 0 };
  byId("announcement").textContent = "";
  cancelAnimationFrame(next);
  next = requestAnimationFrame(frame);
  show();
}

function pause() {
  playing = null;
  show();
  byId("announcement").textContent = byId("verdict").textContent;
}

function frame(time) {
  if (!playing) return;
  const passed = playing.time === null ? 0 : Math.min(time - playing.time, 100) / 1000;
  playing.time = time;
  playing.due += playing.rate < Infinity ? passed * playing.rate : 1e6;
  const until = performance.now() + BUDGET;
  while (playing.due >= 1 && !ended() && performance.now() < until) {
    advance();
    playing.due -= 1;
  }
  if (ended()) {
    pause();
    return;
  }
  show();
  next = requestAnimationFrame(frame);
}

const speed = () => RATES[byId("speed").value];

const COMMANDS = {
  play() {
    if (playing) {
      pause();
      return;
    }
    if (ended()) restart();
    play(speed());
  },
  step() {
    if (!ended()) advance();
    pause();
  },
  finish: () => ended() || play(Infinity),
  reset() {
    restart();
    pause();
  },
};
const KEYS = { " ": "play", ArrowRight: "step", End: "finish", Home: "reset" };

// ---- what is seen ------------------------------------------------------------------------------------------

const datum = (value, words = grouped(value)) => `<data value="${value}">${words}</data>`;

function showVerdict() {
  const { n, i, statistic, threshold, truth } = run, top = Math.max(...truth);
  const risk = STATUS[settings.threshold] === "proved" ? `risk at most ${settings.delta}, proved` : `meant for a risk of ${settings.delta}, not proved`;
  const tied = truth.filter((mean) => mean === top).length > 1;
  let words = `After ${grouped(n)} samples arm ${i} looks best, with evidence ${number(statistic)} where ${number(threshold)} is needed.`;
  let kind = "";
  if (run.stopped) {
    const right = truth[i] === top;
    words = `Stopped after ${grouped(n)} samples: arm ${i} is the best (${risk}). The answer is ${right ? "right" : "wrong, this time"}.`;
    kind = right ? "right" : "wrong";
  } else if (ended()) {
    words = `Cut off after ${grouped(n)} samples: no answer is certain.`;
    kind = "cut";
  }
  if (tied) words += " The best means tie: either arm is a right answer, and to be sure of one may take forever.";
  byId("verdict").textContent = words;
  byId("verdict").className = kind;
}

function showNumbers() {
  const facts = [
    ["Samples n", datum(run.n)],
    ["Answer so far", `arm ${datum(run.i)}`],
    ["Evidence Z", datum(run.statistic, run.statistic.toFixed(3))],
    ["Threshold β", datum(run.threshold, run.threshold.toFixed(3))],
    ["Stopped", run.stopped ? "yes" : "no"],
  ];
  byId("facts").innerHTML = `<tbody>${facts.map(([name, value]) => `<tr><th scope="row">${name}</th><td>${value}</td></tr>`).join("")}</tbody>`;
  const mean = (x) => datum(x, x.toFixed(3));
  const rows = run.N.map((pulls, k) => [datum(run.truth[k], run.truth[k]), datum(pulls), mean(run.mean[k]), mean(run.nearest[k])]);
  byId("per-arm").innerHTML = `<thead><tr>${["Arm", "true", "pulls", "mean", "nearest"].map((name) => `<th scope="col">${name}</th>`).join("")}</tr></thead>`
    + `<tbody>${rows.map((row, k) => `<tr><th scope="row">${k}</th>${row.map((value) => `<td>${value}</td>`).join("")}</tr>`).join("")}</tbody>`;
  const { family, means, delta, rule, threshold, seed } = settings;
  const options = [`--family ${family}`, "--query best-arm", `--means=${means.join(",")}`, `--rule ${rule}`, `--delta ${delta}`,
    `--threshold ${threshold}`, `--seed ${seed}`, "--runs 1"];
  byId("command").innerHTML = ["purex simulate", ...options].map((part) => `<span>${part}</span>`).join(" ");
}

function show() {
  const unit = run.family === gaussian ? "mean reward, in standard deviations" : "mean reward: probability of success";
  drawArms(byId("arms"), run, unit);
  drawPulls(byId("pulls"), run, best);
  drawEvidence(byId("evidence"), run, past);
  showVerdict();
  showNumbers();
  byId("play").textContent = playing ? "Pause" : ended() ? "Replay" : "Play";
  if (ended() && ["step", "finish"].includes(document.activeElement.id)) byId("play").focus(); // not on a button that is off
  for (const id of ["step", "finish"]) byId(id).disabled = ended();
  if (!playing) keepInAddress();
}

// ---- what is done ------------------------------------------------------------------------------------------

// New settings begin a new run, which goes on playing if the old one did.
function change(what) {
  settings = { ...settings, ...what };
  restart();
  show();
}

function openAddress() {
  const [asked, wrong] = read(location.hash.slice(1));
  playing = null;
  settings = asked;
  byId("complaint").hidden = wrong.length === 0;
  byId("complaint").textContent = `The address asks for what this page does not have, which is left out: ${wrong.join(", ")}.`;
  restart();
  while (run.n < asked.samples && !ended()) advance();
  showSettings();
  show();
}

function begin() {
  const words = (rate) => (rate === Infinity ? "as fast as possible" : `${rate} samples a second`);
  byId("speed").innerHTML = RATES.map((rate, j) => `<option value="${j}">${words(rate)}</option>`).join("");
  byId("speed").value = 1;
  byId("delta").max = LIMITS.deltas.length - 1;
  for (const [id, command] of Object.entries(COMMANDS)) byId(id).addEventListener("click", command);
  byId("speed").addEventListener("change", () => {
    if (playing) playing = { ...playing, rate: speed(), due: 0 };
  });
  for (const name of ["rule", "threshold"]) byId(name).addEventListener("change", (event) => change({ [name]: event.target.value }));
  byId("family").addEventListener("change", (event) => {
    change({ family: event.target.value, means: LIMITS.means[event.target.value].usual.slice(0, settings.means.length) });
    showSettings();
  });
  byId("number").addEventListener("change", (event) => {
    const usual = LIMITS.means[settings.family].usual;
    change({ means: event.target.value === "2" ? settings.means.slice(0, 2) : [...settings.means, usual[2]] });
    showSettings();
  });
  byId("means").addEventListener("input", (event) => {
    const means = settings.means.slice();
    means[Number(event.target.id.slice(5))] = Number(event.target.value);
    event.target.parentElement.querySelector("output").value = event.target.value;
    change({ means });
  });
  byId("delta").addEventListener("input", (event) => {
    change({ delta: LIMITS.deltas[event.target.value] });
    showDelta();
  });
  const seeded = (seed) => {
    if (!(Number.isInteger(seed) && seed >= 0 && seed <= LARGEST_SEED)) seed = settings.seed;
    change({ seed });
    byId("seed").value = seed;
  };
  byId("seed").addEventListener("change", (event) => seeded(event.target.value === "" ? NaN : Number(event.target.value)));
  byId("another").addEventListener("click", () => seeded(settings.seed + 1));
  byId("settings").addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    const busy = event.target.closest("input, select, button, a, summary") || event.ctrlKey || event.metaKey || event.altKey;
    if (busy || !(event.key in KEYS)) return;
    event.preventDefault();
    COMMANDS[KEYS[event.key]]();
  });
  window.addEventListener("hashchange", openAddress);
  window.addEventListener("resize", show);
  openAddress();
}

begin();
