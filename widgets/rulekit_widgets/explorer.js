// The front end of the explorer: it draws frames that Python made, in a notebook cell, on a page or in a
// file without a kernel. It picks, draws and writes numbers; it never computes one.
//
// `model` has get, set, save_changes, on, off. Down come `frames` (all tables around one point) and
// `answer` (what the last request led to); up goes `request`. A pair of frames and answer belongs
// together when both carry the same `turn`.

const REST = 150; // ms without a change until the hand is taken to rest
const LATE = 2000; // ms until a missing answer is worth a word
const MODES = ["percent", "fraction", "one_in"];
const SHAPES = ["exactly", "at_least", "at_most"];
const SHAPE_NAMES = { exactly: "Exactly", at_least: "At least", at_most: "At most" };
const MODE_NAMES = { percent: "Percent", fraction: "Fraction", one_in: "1 in N" };

// ---------------------------------------------------------------- how a number is written
// The rules of rulekit/distributions/formatting.py, on decimal digits: {digits, e} is d.ddd x 10^e.

const TWELVE = 12;

function decimal(x, precision) {
  const [mantissa, e] = x.toExponential(60).split("e"); // long enough to hold a tie of a double
  return significant({ digits: mantissa.replace(".", ""), e: Number(e) }, precision);
}

function significant({ digits, e }, n) {
  if (n < 0) return { digits: "0", e: 0 };
  const kept = digits.slice(0, n).padEnd(n, "0"), rest = digits.slice(n);
  const half = rest ? rest[0] + (/[1-9]/.test(rest.slice(1)) ? "1" : "0") : "00";
  const last = n ? Number(kept[n - 1]) : 0;
  if (half < "50" || (half === "50" && last % 2 === 0)) return n ? { digits: kept, e } : { digits: "0", e: 0 };
  const raised = String(BigInt(kept || "0") + 1n).padStart(n, "0");
  return raised.length > n ? { digits: raised, e: e + 1 } : { digits: raised, e };
}

const isZero = (v) => !/[1-9]/.test(v.digits);
const toDecimals = (v, k) => significant(v, v.e + 1 + k);

function plain({ digits, e }, group = false) {
  const all = e < 0 ? "0".repeat(-e) + digits : digits.padEnd(e + 1, "0");
  const whole = e < 0 ? "0" : all.slice(0, e + 1), rest = (e < 0 ? all.slice(1) : all.slice(e + 1)).replace(/0+$/, "");
  return (group ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole) + (rest && "." + rest);
}

function short(v, n, smallest, largest) {
  const r = significant(v, n);
  if (isZero(r)) return "0";
  if (smallest <= r.e && r.e < largest) return plain(r, true);
  return plain({ digits: r.digits, e: 0 }) + "e" + r.e;
}

// A cell travels as float32, which keeps six decimal digits for certain and seven next to 1; for the rest
// rulekit_widgets/cells.py has seen.
const seen = (p, mode) => (p < 0.999 ? 6 : mode === "one_in" ? TWELVE : 7);

function oneInNumber(p, precision) {
  const odds = decimal(1 / p, precision);
  for (let n = 3; n < 8; n++) {
    const r = significant(odds, n);
    if (!(r.e === 0 && /^10*$/.test(r.digits))) return short(odds, n, -6, 9);
  }
  return "";
}

function nearest(p, limit) { // the nearest fraction with a denominator of at most `limit`
  let x = p, h0 = 0, k0 = 1, h1 = 1, k1 = 0;
  for (;;) {
    const a = Math.floor(x), k2 = k0 + a * k1;
    if (k2 > limit) {
      const n = Math.floor((limit - k0) / k1), ha = h0 + n * h1, ka = k0 + n * k1;
      return Math.abs(h1 / k1 - p) <= Math.abs(ha / ka - p) ? [h1, k1] : [ha, ka];
    }
    [h0, k0, h1, k1] = [h1, k1, h0 + a * h1, k2];
    if (x - a < 1e-13 || Math.abs(h1 / k1 - p) < 1e-15) return [h1, k1];
    x = 1 / (x - a);
  }
}

export function formatProbability(p, mode = "percent", precision = TWELVE) {
  if (Number.isNaN(p)) return "n/a";
  if (mode === "percent") {
    if (p === 0) return "0 %";
    if (p === 1) return "100 %";
    const v = decimal(p, precision), percent = { digits: v.digits, e: v.e + 2 };
    if (percent.e < 0) return short(percent, 2, -4, 15) + " %";
    for (let k = 1; k < 5; k++) {
      const r = toDecimals(percent, k);
      if (r.e < 2) return plain(r) + " %";
    }
    return "> 99.9999 %";
  }
  if (mode === "one_in") {
    if (p === 0) return "never";
    if (p === 1) return "always";
    const n = oneInNumber(p, precision);
    return n ? "1 in " + n : "almost 1 in 1";
  }
  if (p === 0 || p === 1) return String(p);
  if (p < 0.001) return "≈ 1/" + oneInNumber(p, precision);
  const rounded = Number(p.toPrecision(precision));
  return rounded > 0.999 ? "> 999/1000" : "≈ " + nearest(rounded, 1000).join("/");
}

const SMALLEST = { percent: "< 1e-28 %", one_in: "rarer than 1 in 1e30", fraction: "< 1/1e30" };

const cells = Object.fromEntries(MODES.map((mode) => [mode, new Map()])); // few odds differ from slider to slider

export function formatCell(p, mode) {
  const known = cells[mode];
  let text = known.get(p);
  if (text === undefined) {
    text = p > 0 && p < 2e-30 ? SMALLEST[mode] : formatProbability(p, mode, seen(p, mode));
    if (known.size > 20000) known.clear();
    known.set(p, text);
  }
  return text;
}

export function formatNumber(x, decimals = 2, signed = false) {
  if (Number.isNaN(x)) return "n/a";
  const sign = x < 0 ? "-" : signed && x > 0 ? "+" : "";
  if (!Number.isFinite(x)) return sign + "infinite";
  if (x === 0) return "0";
  const size = decimal(Math.abs(x), TWELVE);
  if (size.e < 1 - Math.max(decimals, 1)) return sign + short(size, 2, -6, 15);
  if (size.e >= 15) return sign + short(size, 3, -6, 15);
  return sign + plain(toDecimals(size, decimals), true);
}

export function formatDifference(now, then, kind) {
  // The likeliest label may be another one: its odds are not a difference.
  if (kind === "label" || !Number.isFinite(now) || !Number.isFinite(then)) return "";
  const by = now - then;
  if (Math.abs(by) <= 1e-12 * Math.max(Math.abs(now), Math.abs(then))) return "no change"; // a double's last digits
  return kind === "probability" ? formatNumber(by * 100, 1, true) + " points" : formatNumber(by, 2, true);
}

// ---------------------------------------------------------------- reading frames

const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;

export function outcomesOf(o) {
  if (o.keys) return o;
  const numbers = Array.from({ length: o.count }, (_, i) => o.start + i);
  return { whole: true, numbers, keys: numbers.map((n) => (n < 0 ? "−" + -n : String(n))) };
}

// A table: its rows one after another, each the odds exactly, at least and at most for all outcomes.
function unpack(table) {
  if (!table.unpacked) {
    const outcomes = outcomesOf(table.outcomes), n = outcomes.keys.length, all = new Float32Array(bytes(table.rows));
    const heads = new Float64Array(bytes(table.heads));
    table.unpacked = {
      outcomes,
      row: (i) => Object.fromEntries(SHAPES.map((shape, k) => [shape, all.subarray((3 * i + k) * n, (3 * i + k + 1) * n)])),
      heads: (i, tiles) => heads.subarray(i * tiles, (i + 1) * tiles),
      tops: {},
      count: n ? all.length / (3 * n) : 0,
    };
  }
  return table.unpacked;
}

function take(frames, table, i, exact) {
  const u = unpack(table), tiles = frames.tiles.length, stride = 3 * (tiles + 1);
  const text = (k, mode) => frames.texts[table.text[i * stride + 3 * k + MODES.indexOf(mode)]];
  return {
    outcomes: u.outcomes, rows: u.row(i), heads: u.heads(i, tiles), blocked: table.blocked?.[i] ?? "",
    sentence: (mode) => text(0, mode), tile: (k, mode) => text(k + 1, mode), cells: exact ? table.cells : null,
  };
}

// Which frame is right for the controls as they stand: the point's own where none differs from it, a row
// of a slider's table where that slider alone does, else none.
export function pick(frames, now) {
  if (now["@measure"] !== frames.measure) return null;
  const off = Object.keys(frames.values).filter((path) => now[path] !== frames.values[path]);
  if (off.length === 0) return take(frames, frames.point, 0, true);
  if (off.length > 1) return null;
  const table = frames.tables[off[0]], i = table ? table.values.indexOf(now[off[0]]) : -1;
  return i < 0 ? null : take(frames, table, i, false);
}

// The outcomes that the x axis shows: those that the slider under the hand can reach, and the pinned ones.
export function domain(...lists) {
  const all = lists.filter(Boolean);
  if (all.every((o) => o.whole)) {
    const numbers = all.flatMap((o) => [o.numbers[0], o.numbers[o.numbers.length - 1]]);
    const start = Math.min(...numbers);
    return outcomesOf({ start, count: Math.max(...numbers) - start + 1 });
  }
  const by = new Map();
  for (const o of all) o.keys.forEach((key, i) => by.has(key) || by.set(key, o.numbers ? o.numbers[i] : by.size));
  const keys = [...by.keys()].sort((a, b) => by.get(a) - by.get(b));
  return { keys, numbers: all.every((o) => o.numbers) ? keys.map((k) => by.get(k)) : null };
}

export function placed(axis, outcomes) { // for each outcome of the axis its index among others, -1 for none
  const at = new Map(outcomes.keys.map((key, i) => [key, i]));
  return axis.keys.map((key) => at.get(key) ?? -1);
}

export function niceTop(most) { // the end of the y axis and the step of its ticks
  for (let k = -12; k < 1; k++) for (const m of [1, 2, 2.5, 5]) {
    const step = m * 10 ** k, n = Math.ceil(most / step - 1e-9);
    if (n <= 5) return { top: Number((Math.max(n, 1) * step).toPrecision(12)), step };
  }
  return { top: 1, step: 0.2 };
}

export function tickStride(count, room) { // every how many-th outcome is labelled
  for (let k = 1; ; k *= 10) for (const m of [1, 2, 5]) if (count / (k * m) <= room) return k * m;
}

// ---------------------------------------------------------------- what the hand has done and what to ask

const reshapes = (edit) => !["ahead", "pin", "roll"].includes(edit.op); // nothing on the screen is right until it is done

export class Hand {
  constructor(frames, answer, live) {
    Object.assign(this, { live, asked: 0, sent: 0, reshaping: false, refused: "", trouble: null, edits: [] });
    this.touched = new Set();
    this.bad = new Map(); // typed values that are none, by path
    this.now = {};
    this.sync(frames, answer);
  }

  // A pair from Python. False: it is known, older than what was asked, or half of it is still to come.
  sync(frames, answer) {
    if (answer === this.answer || answer.turn !== frames.turn || answer.seq < this.asked) return false;
    const before = this.base, wasAsked = this.asked;
    this.asked = 0;
    this.frames = frames;
    this.answer = answer;
    this.base = { ...frames.values, "@measure": frames.measure, "@shape": answer.look.shape, "@mode": answer.look.mode };
    this.trouble = answer.trouble && answer.seq === this.sent ? answer.trouble : null;
    if (!this.trouble) {
      const kept = {};
      for (const path in this.base) {
        // A value that was refused, or that the hand has moved since, stays the hand's.
        const mine = path in this.now && (this.touched.has(path) || (!wasAsked && before && this.now[path] !== before[path]));
        kept[path] = mine ? this.now[path] : this.base[path];
      }
      this.now = kept;
      this.refused = "";
    }
    return true;
  }

  get off() {
    return Object.keys(this.base).filter((path) => this.now[path] !== this.base[path]);
  }

  get shown() {
    if (this.bad.size || this.trouble || this.edits.some(reshapes) || (this.asked && this.reshaping)) return null;
    return pick(this.frames, this.now);
  }

  move(path, value) {
    if (this.now[path] === value) return;
    this.now[path] = value;
    this.touched.add(path);
    this.trouble = null;
    if (!this.live && !path.startsWith("@")) { // without a kernel only one may be away from the saved point
      for (const other in this.frames.values) if (other !== path) this.now[other] = this.frames.values[other];
      this.bad.clear();
    }
  }

  edit(edit) {
    if (reshapes(edit)) this.trouble = null;
    this.edits.push(edit);
  }

  // What is to be asked now, or null: nothing, or not before the present request is answered.
  ask() {
    if (!this.live || this.bad.size) return null;
    const changes = Object.fromEntries(this.off.map((path) => [path, this.now[path]]));
    const key = JSON.stringify(changes);
    if (!this.edits.length && (key === "{}" || key === this.refused)) return null;
    if (this.asked) return null; // one request is under way; what is newest then is asked when it is answered
    this.reshaping = this.edits.some(reshapes);
    const request = { seq: (this.sent = this.asked = Math.max(this.sent, this.answer.seq) + 1), changes, edits: this.edits };
    this.refused = key; // only a refusal leaves it so
    this.edits = [];
    this.touched.clear();
    return request;
  }
}

// ---------------------------------------------------------------- the document

const SVG = "http://www.w3.org/2000/svg";

function make(tag, attributes = {}, ...children) {
  const e = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) {
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (v !== null && v !== undefined && v !== false) e.setAttribute(k, v === true ? "" : v);
  }
  e.append(...children);
  return e;
}

const write = (e, text) => { if (e.textContent !== text) e.textContent = text; };
const hide = (e, on) => { if (e.hidden !== on) e.hidden = on; };

function rangeText(c) {
  const ends = [c.min, c.max].map((x) => (x === null || x === undefined ? null : formatNumber(x, 12)));
  if (ends[0] !== null && ends[1] !== null) return `${ends[0]} to ${ends[1]}`;
  return ends[0] !== null ? `${ends[0]} or more` : ends[1] !== null ? `${ends[1]} or less` : "";
}

export function readNumber(c, text) { // {value} or {message}
  const allowed = rangeText(c), kind = c.kind === "whole" ? "a whole number" : "a number";
  const wanted = `it must be ${kind}${allowed && ", " + allowed}`;
  const trimmed = String(text).trim(), value = Number(trimmed);
  if (trimmed === "" || !Number.isFinite(value)) return { message: `${c.label}: ${trimmed ? `"${trimmed}" is no number` : "nothing is given"}; ${wanted}` };
  if (c.kind === "whole" && !Number.isInteger(value)) return { message: `${c.label}: ${trimmed} is not whole; ${wanted}` };
  if (c.max !== null && c.max !== undefined && value > c.max) return { message: `${c.label}: ${trimmed} is above ${formatNumber(c.max, 12)}; ${wanted}` };
  if (c.min !== null && c.min !== undefined && value < c.min) return { message: `${c.label}: ${trimmed} is below ${formatNumber(c.min, 12)}; ${wanted}` };
  return { value };
}

// The form: built from the description of the controls, and anew only when that changes its structure.
class Form {
  constructor(uid, on) {
    Object.assign(this, { uid, on, fields: new Map(), made: "", root: make("form", { class: "rk-form", "aria-label": "Stats" }) });
    this.root.addEventListener("submit", (e) => e.preventDefault());
  }

  build(frames, live) {
    const made = JSON.stringify([frames.controls, live]);
    if (made === this.made) return;
    this.made = made;
    const focus = this.root.getRootNode().activeElement?.dataset?.hand;
    this.fields.clear();
    this.frames = frames;
    this.live = live;
    this.root.replaceChildren(...frames.controls.map((c) => this.node(c)));
    this.inputs = new Map();
    for (const e of this.root.querySelectorAll("[data-path]")) {
      this.inputs.set(e.dataset.path, [...(this.inputs.get(e.dataset.path) ?? []), e]);
    }
    if (focus) [...this.root.querySelectorAll("[data-hand]")].find((e) => e.dataset.hand === focus)?.focus();
  }

  node(c) {
    if (c.kind === "group" || c.kind === "list" || c.kind === "part") return this.group(c);
    const id = this.uid + c.path, help = c.help ? make("span", { class: "rk-help", id: id + "-help" }, c.help) : "";
    const still = !this.live && !this.frames.tables[c.path];
    const common = {
      id, "data-hand": c.path, "data-path": c.path, disabled: still, "aria-describedby": c.help ? id + "-help" : null,
      title: still ? "Needs a running kernel" : c.help || null,
    };
    const label = make("label", { for: id, title: c.help || null }, c.label, c.unit ? make("span", { class: "rk-unit" }, " " + c.unit) : "");
    const inputs = this[c.kind](c, common);
    return make("div", { class: "rk-control rk-" + c.kind, "data-control": c.path }, label, ...inputs, help);
  }

  group(c) {
    const id = this.uid + c.path, still = !this.live, name = c.label.toLowerCase();
    const chooser = (text, value, options, attributes) => {
      const select = make("select", {
        id, disabled: still, title: still ? "Needs a running kernel" : c.help || null, "data-lm-suppress-shortcuts": "true", ...attributes,
      }, ...options.map((o) => make("option", { value: o.value }, o.label)));
      select.value = value;
      return [make("div", { class: "rk-control rk-choice" }, make("label", { for: select.id }, text), select), select];
    };
    const head = [];
    if (c.loadouts?.length) {
      const [row, select] = chooser(c.label + " from the list", c.loaded, [{ value: "", label: "Own values" }, ...c.loadouts], {
        id: id + "-load", "data-hand": c.path + "?load", "data-load": c.path,
        onchange: () => select.value && this.on.edit({ op: "load", path: c.path, value: select.value }),
      });
      head.push(row);
    }
    if (c.kind === "part") {
      const [row, select] = chooser(c.label + " kind", c.value, c.options, {
        "data-hand": c.path, "data-path": c.path, onchange: () => this.on.edit({ op: "part", path: c.path, value: select.value }),
      });
      head.push(row);
    }
    const button = (deed, text, edit) => make("button", {
      type: "button", "data-hand": c.path + "?" + deed, disabled: still, title: still ? "Needs a running kernel" : null, onclick: () => this.on.edit(edit()),
    }, text);
    const foot = [];
    if (c.kind === "list") {
      const [row, kind] = c.options ? chooser("Kind to add to " + name, c.value, c.options, { id: id + "-kind", "data-hand": c.path + "?kind" }) : [];
      if (row) foot.push(row);
      foot.push(button("add", "Add to " + name, () => ({ op: "add", path: c.path, value: kind?.value ?? null })));
    }
    if (c.removable) foot.push(button("remove", "Remove " + name, () => ({ op: "remove", path: c.path })));
    return make("fieldset", { "data-group": c.path }, make("legend", { title: c.help || null }, c.label), ...head, ...c.children.map((k) => this.node(k)), ...foot);
  }

  whole(c, common) {
    const step = c.kind === "whole" ? 1 : c.step || "any", slides = c.min !== null && c.max !== null && c.min !== undefined && c.max !== undefined;
    const take = (text) => {
      const read = readNumber(c, text);
      this.on.move(c.path, read);
    };
    const number = make("input", {
      ...common, id: slides ? common.id + "-typed" : common.id, type: "number", "data-hand": c.path + "?typed", min: c.min, max: c.max, step,
      "aria-label": slides ? c.label + ", typed" : null, "data-lm-suppress-shortcuts": "true", oninput: () => take(number.value || (number.validity.badInput ? "that" : "")), onchange: () => this.on.rest(),
    });
    if (!slides) {
      this.fields.set(c.path, (v) => { if (readNumber(c, number.value).value !== v) number.value = v; });
      return [number];
    }
    const range = make("input", {
      ...common, type: "range", min: c.min, max: c.max, step: c.kind === "whole" ? 1 : c.step || c.slide || "any", "data-lm-suppress-shortcuts": "true",
      oninput: () => take(range.value), onpointerup: () => this.on.rest(),
    });
    this.fields.set(c.path, (v) => {
      range.value = v;
      range.setAttribute("aria-valuetext", c.unit ? `${v} ${c.unit}` : String(v));
      if (readNumber(c, number.value).value !== v) number.value = v;
    });
    return [range, number];
  }

  decimal(c, common) { return this.whole(c, common); }

  switch(c, common) {
    const box = make("input", { ...common, type: "checkbox", role: "switch", "data-lm-suppress-shortcuts": "true", onchange: () => this.on.move(c.path, { value: box.checked }) });
    this.fields.set(c.path, (v) => { box.checked = v; });
    return [box];
  }

  choice(c, common) {
    const select = make("select", { ...common, "data-lm-suppress-shortcuts": "true", onchange: () => this.on.move(c.path, { value: c.options[select.selectedIndex].value }) },
      ...c.options.map((o) => make("option", { value: o.value }, o.label)));
    this.fields.set(c.path, (v) => { select.selectedIndex = c.options.findIndex((o) => o.value === v); });
    return [select];
  }

  dice(c, common) {
    const text = make("input", { ...common, type: "text", spellcheck: "false", autocomplete: "off", "data-lm-suppress-shortcuts": "true", oninput: () => { typing = true; },
      onchange: () => { typing = false; this.on.move(c.path, { value: text.value.trim() }); this.on.rest(); } });
    let typing = false; // what is half typed is the hand's
    this.fields.set(c.path, (v) => { if (!typing && text.value !== v) text.value = v; });
    return [text];
  }

  // All controls as they stand, or the one that the hand moved.
  show(hand, only) {
    for (const path of only ? [only] : this.fields.keys()) {
      if (!hand.bad.has(path)) this.fields.get(path)?.(hand.now[path]);
      const wrong = String(hand.trouble?.path === path || hand.bad.has(path));
      for (const e of this.inputs.get(path) ?? []) e.setAttribute("aria-invalid", wrong);
    }
  }
}

// The chart: one path a series, redrawn in place.
class Chart {
  constructor(uid, label) {
    this.height = 280;
    this.left = 54;
    this.grid = make("svg:path", { class: "rk-grid" });
    this.bars = make("svg:path", { class: "rk-bars" });
    this.ghost = make("svg:path", { class: "rk-ghost" });
    this.throws = make("svg:path", { class: "rk-throws" });
    this.ticks = make("svg:g", { class: "rk-ticks" });
    this.title = make("svg:text", { class: "rk-axis", "text-anchor": "middle" });
    this.svg = make("svg:svg", { class: "rk-chart", role: "img", "aria-labelledby": label }, this.grid, this.bars, this.ghost, this.throws, this.ticks, this.title);
    this.width = 640;
  }

  // `series`: {bars, ghost, throws}, each {outcomes, values} or null
  draw(axis, scale, series, tick, name) {
    const { width, height, left } = this, n = axis.keys.length, step = (width - left - 8) / n, base = height - 40;
    const y = (p) => (base - (Math.min(p, scale.top) / scale.top) * (base - 10)).toFixed(2);
    const x = (i) => (left + i * step).toFixed(2);
    const gap = step > 4 ? Math.min(step * 0.12, 3) : 0;
    const each = (s, draw) => { if (!s) return ""; const at = placed(axis, s.outcomes); return axis.keys.map((_, i) => draw(i, at[i] < 0 ? 0 : s.values[at[i]])).join(""); };
    this.bars.setAttribute("d", each(series.bars, (i, p) => (p > 0 ? `M${(left + i * step + gap).toFixed(2)} ${base}V${y(p)}h${(step - 2 * gap).toFixed(2)}V${base}z` : "")));
    this.ghost.setAttribute("d", each(series.ghost, (i, p) => `${i ? "L" : "M"}${x(i)} ${y(p)}H${x(i + 1)}`));
    this.throws.setAttribute("d", each(series.throws, (i, p) => (p > 0 ? `M${(left + (i + 0.5) * step).toFixed(2)} ${y(p)}m-4 0l4-4l4 4l-4 4z` : "")));
    const key = JSON.stringify([width, axis.keys[0], axis.keys[n - 1], n, scale, name, tick(scale.top)]);
    if (key === this.drawn) return;
    this.drawn = key;
    const marks = [], lines = [];
    for (let k = 0; k * scale.step <= scale.top * 1.0001; k++) {
      const p = Number((k * scale.step).toPrecision(12));
      lines.push(`M${left} ${y(p)}H${width - 8}`);
      marks.push(make("svg:text", { x: left - 6, y: Number(y(p)) + 4, "text-anchor": "end" }, tick(p)));
    }
    const longest = Math.max(...axis.keys.map((k) => k.length)), every = tickStride(n, (width - left) / (10 + 7 * Math.min(longest, 14)));
    axis.keys.forEach((label, i) => {
      if (axis.whole ? axis.numbers[i] % every === 0 : i % every === 0) {
        marks.push(make("svg:text", { x: (left + (i + 0.5) * step).toFixed(2), y: base + 16, "text-anchor": "middle" }, label.length > 16 ? label.slice(0, 15) + "…" : label));
      }
    });
    this.grid.setAttribute("d", lines.join(""));
    this.ticks.replaceChildren(...marks);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.title.setAttribute("x", (left + width) / 2);
    this.title.setAttribute("y", height - 6);
    write(this.title, name);
  }
}

// Light, dark or high contrast: as the page says, else as its host does.
function themeOf(wanted) {
  if (wanted) return wanted;
  const body = document.body.dataset, code = body.vscodeThemeKind || "";
  if (code.includes("high-contrast") || matchMedia("(prefers-contrast: more)").matches) return code.includes("light") ? "contrast" : matchMedia("(prefers-color-scheme: dark)").matches || code ? "contrast-dark" : "contrast";
  if (body.jpThemeLight) return body.jpThemeLight === "true" ? "light" : "dark";
  if (code) return code.includes("dark") ? "dark" : "light";
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function render({ model, el }) {
  const live = model.get("live"), uid = "rk" + Math.random().toString(36).slice(2, 8) + "-";
  const hand = new Hand(model.get("frames"), model.get("answer"), live);
  const asked = new Set();
  let timer = null, late = null, under = null, pinned = null, hold = true;

  // ---- parts that never go
  const sentence = make("p", { class: "rk-sentence", id: uid + "sentence" });
  const spoken = make("p", { class: "rk-spoken", role: "status", "aria-live": "polite" });
  const trouble = make("p", { class: "rk-trouble", role: "alert", hidden: true });
  const waiting = make("p", { class: "rk-waiting", hidden: true }, "Waiting for the kernel …");
  const tiles = make("ul", { class: "rk-tiles", "aria-label": "Figures" });
  const notes = make("ul", { class: "rk-notes", "aria-label": "Notes" });
  const legend = make("p", { class: "rk-legend" });
  const thrown = make("div", { class: "rk-thrown", role: "status", hidden: true });
  const chart = new Chart(uid, uid + "sentence");
  const body = make("tbody");
  const columns = SHAPES.map((s) => make("th", { scope: "col" }, SHAPE_NAMES[s]));
  const ofThrows = make("th", { scope: "col", hidden: true });
  const caption = make("caption");
  const table = make("table", {}, caption, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Outcome"), ...columns, ofThrows)), body);
  const figure = make("figure", { class: "rk-figure" }, chart.svg, legend);
  const view = make("div", { class: "rk-view" }, sentence, tiles, figure);
  const scroll = make("div", { class: "rk-scroll", tabindex: 0, role: "region", "aria-label": "Table of the distribution" }, table);
  const rest = make("div", { class: "rk-rest" }, make("details", { open: true }, make("summary", {}, "Table"), scroll));

  const measure = make("select", { id: uid + "measure", "data-hand": "@measure", disabled: !live, title: live ? null : "Needs a running kernel", onchange: () => moved("@measure", { value: measure.value }) });
  const radios = (name, legendText, names, values) => make("fieldset", { class: "rk-radios" }, make("legend", {}, legendText), ...values.map((v) => {
    const input = make("input", { type: "radio", name: uid + name, value: v, id: uid + v, "data-hand": "@" + name + v, "data-lm-suppress-shortcuts": "true", onchange: () => moved("@" + name, { value: v }) });
    return make("span", {}, input, make("label", { for: uid + v }, names[v]));
  }));
  const shapes = radios("shape", "Chart", SHAPE_NAMES, SHAPES), modes = radios("mode", "Numbers", MODE_NAMES, MODES);
  const holding = make("input", { type: "checkbox", id: uid + "hold", checked: true, onchange: () => { hold = holding.checked; draw(); } });
  const pin = make("button", { type: "button", "aria-pressed": "false", class: "rk-pin", onclick: () => togglePin() }, "Pin");
  const throwIt = make("button", { type: "button", class: "rk-roll", disabled: !live, title: live ? null : "Needs a running kernel", onclick: () => { hand.edit({ op: "roll" }); send(); } }, "Roll it");
  const tools = make("div", { class: "rk-tools", role: "group", "aria-label": "View" },
    make("span", {}, make("label", { for: uid + "measure" }, "Measure "), measure), shapes, modes,
    make("span", {}, holding, make("label", { for: uid + "hold" }, " Hold the axes")), make("span", { class: "rk-buttons" }, pin, throwIt));
  const title = make("h3", { class: "rk-title" }), about = make("p", { class: "rk-about" });
  const saved = make("p", { class: "rk-about", hidden: live }, "A saved page: every slider works, one at a time; what is greyed needs a running kernel.");
  const form = new Form(uid, { move: moved, edit: (e) => { hand.edit(e); dim(); send(); }, rest: () => timer && rested() });
  const still = model.get("instead_of"); // the class of its picture in the notebook, for where nothing is live
  const root = make("section", { class: "rk-explorer", "aria-labelledby": uid + "title" },
    still ? make("style", {}, `.${still} { display: none; }`) : "",
    make("header", {}, title, about, saved),
    make("div", { class: "rk-columns" }, form.root, make("div", { class: "rk-main" }, tools, trouble, waiting, view, thrown, notes, spoken), rest));
  title.id = uid + "title";

  // ---- drawing
  let tileCells = [], rowCells = [], built = null, axisKey = "";

  function structure() { // what depends on the frames' description, not on their numbers
    const f = hand.frames;
    if (built === f.turn) return;
    built = f.turn;
    write(title, f.rule.title);
    write(about, [f.rule.doc, f.rule.sources.join(", ")].filter(Boolean).join(" · "));
    form.build(f, live);
    const options = JSON.stringify(f.measures);
    if (measure.dataset.options !== options) {
      measure.dataset.options = options;
      measure.replaceChildren(...f.measures.map((m) => make("option", { value: m.name, title: m.help || null }, m.label)));
    }
    const names = JSON.stringify(f.tiles);
    if (tiles.dataset.names !== names) {
      tiles.dataset.names = names;
      tileCells = f.tiles.map((t) => {
        const cells = { value: make("strong"), difference: make("span", { class: "rk-difference" }) };
        tiles.append(make("li", { "data-tile": t.name, title: t.help || null }, make("span", {}, t.label), cells.value, cells.difference));
        return cells;
      });
      while (tiles.children.length > f.tiles.length) tiles.firstChild.remove();
    }
    if (notes.dataset.notes !== JSON.stringify(f.notes)) {
      notes.dataset.notes = JSON.stringify(f.notes);
      notes.replaceChildren(...f.notes.map((n) => make("li", {}, n)));
    }
  }

  function dim(message = "") {
    const on = !hand.shown || !!message;
    root.dataset.state = on ? "dim" : "right";
    for (const part of [view, rest]) part.setAttribute("aria-busy", String(on));
    trouble.hidden = !message;
    write(trouble, message);
    return on;
  }

  function draw(only) {
    structure();
    form.show(hand, only);
    const shape = hand.now["@shape"], mode = hand.now["@mode"], f = hand.frames;
    measure.value = hand.now["@measure"];
    for (const [set, value] of [[shapes, shape], [modes, mode]]) for (const r of set.querySelectorAll("input")) r.checked = r.value === value;
    const frame = hand.shown, message = [...hand.bad.values()][0] ?? hand.trouble?.message ?? frame?.blocked ?? "";
    if (dim(message) || !frame) return;
    const about = f.measures.find((m) => m.name === f.measure), ordered = about.kind === "number", series = ordered ? shape : "exactly";
    shapes.disabled = !ordered;
    write(sentence, frame.sentence(mode));
    tileCells.forEach((cells, k) => {
      write(cells.value, frame.tile(k, mode));
      const then = pinned?.heads[pinned.tiles.indexOf(f.tiles[k].name)];
      write(cells.difference, pinned && then !== undefined ? formatDifference(frame.heads[k], then, f.tiles[k].kind) : "");
    });
    // The axis spans what the slider under the hand can reach, so that nothing shifts beneath it.
    const sweep = hold && (f.tables[under] ?? f.tables[f.first]), whole = sweep && unpack(sweep);
    const ghost = pinned?.measure === f.measure ? pinned : null;
    const throws = thrownNow(frame);
    const axis = domain(frame.outcomes, whole?.outcomes, ghost?.outcomes);
    let most = Math.max(...frame.rows[series], ...(ghost ? ghost.rows[series] : []));
    if (whole) {
      whole.tops[series] ??= Array.from({ length: whole.count }, (_, i) => Math.max(...whole.row(i)[series])).reduce((a, b) => (b > a ? b : a), 0);
      most = Math.max(most, whole.tops[series]);
    }
    const tick = (p) => formatProbability(p, mode).replace("≈ ", "");
    chart.draw(axis, niceTop(most), {
      bars: { outcomes: frame.outcomes, values: frame.rows[series] },
      ghost: ghost && { outcomes: ghost.outcomes, values: ghost.rows[series] },
      throws: throws && { outcomes: throws.outcomes, values: throws.rows[series] },
    }, tick, about.label + (about.unit ? `, ${about.unit}` : "") + (ordered ? `: ${SHAPE_NAMES[series].toLowerCase()}` : ""));
    write(legend, [ghost && "dashed line: pinned", throws && `diamonds: ${formatNumber(throws.n)} throws`].filter(Boolean).join(" · "));
    rows(axis, frame, throws, mode, ordered, about);
  }

  function rows(axis, frame, throws, mode, ordered, about) {
    const key = axis.keys.length + "|" + axis.keys[0] + "|" + axis.keys[axis.keys.length - 1];
    if (key !== axisKey) {
      axisKey = key;
      rowCells = axis.keys.map((name) => ({ row: make("tr"), name: make("th", { scope: "row" }, name), cells: [make("td"), make("td"), make("td"), make("td")] }));
      for (const r of rowCells) r.row.append(r.name, ...r.cells);
      body.replaceChildren(...rowCells.map((r) => r.row));
    }
    write(caption, "Chance of each outcome: " + about.label + (about.unit ? ", " + about.unit : ""));
    columns.slice(1).forEach((c) => { c.hidden = !ordered; });
    ofThrows.hidden = !throws;
    if (throws) write(ofThrows, `Of ${formatNumber(throws.n)} throws`);
    const at = placed(axis, frame.outcomes), there = at.map((i) => i >= 0 && frame.rows.exactly[i] > 0);
    const first = there.indexOf(true), last = there.lastIndexOf(true), thrownAt = throws && placed(axis, throws.outcomes);
    rowCells.forEach((r, i) => {
      hide(r.row, i < first || i > last);
      if (r.row.hidden) return;
      SHAPES.forEach((s, k) => {
        hide(r.cells[k], k > 0 && !ordered);
        const j = at[i];
        write(r.cells[k], j < 0 ? "" : mode === "fraction" && frame.cells ? frame.cells[s][j] : formatCell(frame.rows[s][j], mode));
      });
      hide(r.cells[3], !throws);
      if (throws) write(r.cells[3], thrownAt[i] < 0 ? "0" : formatNumber(throws.counts[thrownAt[i]]));
    });
  }

  function thrownNow(frame) { // throws belong to the point at which they were made
    const t = hand.answer.throws, fits = t && frame.cells && t.measure === hand.frames.measure;
    thrown.hidden = !fits;
    if (!fits) return null;
    if (thrown.dataset.made !== String(hand.answer.seq)) {
      thrown.dataset.made = String(hand.answer.seq);
      thrown.replaceChildren(make("h4", {}, "One throw"), make("dl", {}, ...t.one.flatMap(([name, value, kind]) => [make("dt", { "data-kind": kind }, name), make("dd", {}, value)])));
    }
    return { n: t.n, counts: t.counts, measure: t.measure, outcomes: unpack(t).outcomes, rows: unpack(t).row(0) };
  }

  function pinFrom(answer) {
    if (!answer.pinned) return null;
    const u = unpack(answer.pinned);
    return { measure: answer.pinned.measure, tiles: answer.pinned.tiles, heads: u.heads(0, answer.pinned.tiles.length), outcomes: u.outcomes, rows: u.row(0) };
  }

  function togglePin() {
    const frame = hand.shown;
    if (pinned) pinned = null;
    else if (frame) pinned = { measure: hand.frames.measure, tiles: hand.frames.tiles.map((t) => t.name), heads: frame.heads, outcomes: frame.outcomes, rows: frame.rows };
    else return;
    if (live) hand.edit({ op: "pin", value: !!pinned });
    showPin();
    send();
    draw();
  }

  function showPin() {
    pin.setAttribute("aria-pressed", String(!!pinned));
    write(pin, pinned ? "Unpin" : "Pin");
  }

  // ---- the hand and the kernel
  function moved(path, read) {
    if ("message" in read) {
      hand.bad.set(path, read.message);
      clearTimeout(timer);
      timer = null;
      draw();
      return;
    }
    hand.bad.delete(path);
    if (hand.frames.tables[path]) under = path;
    hand.move(path, read.value);
    draw(live && !path.startsWith("@") ? path : undefined);
    clearTimeout(timer);
    // What the page cannot show it asks for at once; else it waits for the hand to rest.
    if (hand.shown && !path.startsWith("@")) timer = setTimeout(rested, REST);
    else rested();
    settled();
  }

  function rested() {
    clearTimeout(timer);
    timer = null;
    send();
    settled();
    speak();
  }

  // Whether a stat is away from the point that the kernel knows; whether the hand rests and nothing is asked:
  // for what stands beside, and whoever drives the page.
  const settled = () => {
    root.dataset.away = String(hand.off.some((p) => !p.startsWith("@")));
    root.dataset.rest = String(timer === null && !hand.asked);
  };

  function speak() {
    if (root.dataset.state === "right" && timer === null) write(spoken, sentence.textContent);
  }

  function send() {
    const request = hand.ask();
    if (!request) return;
    performance.mark("rulekit:sent"); // measured by benchmarks/explorer.py, as is what arrives
    clearTimeout(late);
    late = setTimeout(() => { waiting.hidden = !hand.asked; }, LATE);
    model.set("request", request);
    model.save_changes();
    settled();
  }

  function arrived() {
    const asked = hand.asked;
    if (!hand.sync(model.get("frames"), model.get("answer"))) return;
    performance.mark(asked ? "rulekit:answer" : "rulekit:ahead");
    waiting.hidden = true;
    if (!hand.edits.some((e) => e.op === "pin")) pinned = pinFrom(hand.answer);
    showPin();
    draw();
    if (timer === null) send(); // what the hand did meanwhile
    settled();
    speak();
  }

  model.on("change:frames", arrived);
  model.on("change:answer", arrived);
  form.root.addEventListener("focusin", (e) => {
    if (timer) rested(); // the hand goes on: no need to wait out the rest
    const path = e.target.dataset.path;
    const slides = form.fields.has(path) && e.target.type !== "text";
    if (live && slides && !hand.frames.tables[path] && !asked.has(hand.frames.key + path)) {
      asked.add(hand.frames.key + path); // a slider whose table was left out for the time it takes
      hand.edit({ op: "ahead", path });
      send();
    }
  });

  // ---- its surroundings
  const restyle = () => { root.dataset.theme = themeOf(model.get("theme")); };
  const dark = matchMedia("(prefers-color-scheme: dark)"), contrast = matchMedia("(prefers-contrast: more)");
  const watch = new MutationObserver(restyle);
  watch.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] });
  for (const m of [dark, contrast]) m.addEventListener("change", restyle);
  const sized = new ResizeObserver(([entry]) => {
    const width = Math.round(entry.contentRect.width);
    if (width && width !== chart.width) { chart.width = width; if (hand.shown) draw(); }
  });
  restyle();
  el.append(root);
  sized.observe(figure);
  pinned = pinFrom(hand.answer);
  showPin();
  draw();
  settled();

  return () => {
    clearTimeout(timer);
    clearTimeout(late);
    model.off("change:frames", arrived);
    model.off("change:answer", arrived);
    watch.disconnect();
    sized.disconnect();
    for (const m of [dark, contrast]) m.removeEventListener("change", restyle);
    root.remove();
  };
}

export default { render };
