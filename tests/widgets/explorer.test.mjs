// The parts of the explorer's module that need no document: which frame to show, what to ask, the axes.
import assert from "node:assert/strict";
import { test } from "node:test";

const { Hand, pick, domain, outcomesOf, placed, niceTop, tickStride, readNumber, formatDifference } = await import(process.env.EXPLORER);

const base64 = (array) => Buffer.from(array.buffer).toString("base64");

// One event, one number, two sliders; the row of a table says in its odds for which value it was made.
function table(values, odds) {
  const rows = odds.flatMap((p) => [1 - p, p, 1, p, 1 - p, 1]);
  return {
    values,
    outcomes: { start: 0, count: 2 },
    rows: base64(Float32Array.from(rows)),
    heads: base64(Float64Array.from(odds)),
    text: odds.flatMap((_, i) => [0, 0, 0, i + 1, i + 1, i + 1]),
  };
}

function frames({ turn = 1, attack = 2, defense = 10, measure = "hit" } = {}) {
  return {
    turn,
    values: { attack, defense, die: "d6" },
    measure,
    tiles: [{ name: "hit", label: "Hit", kind: "probability" }],
    texts: ["said", "first", "second", "third"],
    point: { ...table([null], [0.5]), cells: {} },
    tables: { attack: table([1, 2, 3], [0.25, 0.5, 0.75]), defense: table([9, 10, 11], [0.625, 0.5, 0.375]) },
  };
}

const answer = (seq, turn = 1, more = {}) => ({ seq, turn, look: { shape: "exactly", mode: "percent" }, trouble: null, ...more });
const fresh = (live = true) => new Hand(frames(), answer(0), live);

test("the point's own frame is shown where nothing has moved", () => {
  const shown = fresh().shown;
  assert.equal(shown.heads[0], 0.5);
  assert.notEqual(shown.cells, null);
});

test("one slider alone is answered from its table, a second is not", () => {
  const hand = fresh();
  hand.move("attack", 3);
  assert.equal(hand.shown.heads[0], 0.75);
  assert.deepEqual([...hand.shown.rows.at_least], [1, 0.75]);
  assert.equal(hand.shown.tile(0, "percent"), "third");
  hand.move("defense", 11);
  assert.equal(hand.shown, null);
  hand.move("attack", 2);
  assert.equal(hand.shown.heads[0], 0.375);
});

test("a value outside of the table, a control without one and another measure are not shown", () => {
  for (const [path, value] of [["attack", 4], ["die", "d8"], ["@measure", "damage"]]) {
    const hand = fresh();
    hand.move(path, value);
    assert.equal(hand.shown, null, path);
  }
  const hand = fresh();
  hand.move("@shape", "at_least");
  hand.move("@mode", "one_in");
  assert.notEqual(hand.shown, null);
});

test("one request is under way and the newest waits", () => {
  const hand = fresh();
  hand.move("attack", 3);
  assert.deepEqual(hand.ask(), { seq: 1, changes: { attack: 3 }, edits: [] });
  hand.move("defense", 11);
  assert.equal(hand.ask(), null);
  hand.move("defense", 9);
  assert.equal(hand.ask(), null);
  assert.equal(hand.sync(frames({ turn: 2, attack: 3 }), answer(1, 2)), true);
  assert.deepEqual(hand.now.defense, 9, "the hand's newer value stays");
  assert.deepEqual(hand.ask(), { seq: 2, changes: { defense: 9 }, edits: [] });
});

test("an answer older than what was asked is dropped, and so is half a pair", () => {
  const hand = fresh();
  hand.move("die", "d8");
  hand.ask();
  assert.equal(hand.sync(frames({ turn: 2 }), answer(0, 2)), false, "made before the request was seen");
  assert.equal(hand.sync(frames({ turn: 3 }), answer(1, 2)), false, "frames without their answer");
  assert.equal(hand.shown, null);
});

test("what Python sets moves the controls, except the one that the hand is on", () => {
  const hand = fresh();
  hand.move("attack", 3);
  assert.equal(hand.sync(frames({ turn: 2, attack: 1, defense: 9 }), answer(0, 2)), true);
  assert.equal(hand.now.attack, 3);
  assert.equal(hand.now.defense, 9);
  assert.deepEqual(hand.ask().changes, { attack: 3 });
});

test("a value comes back as Python writes it", () => {
  const hand = fresh();
  hand.move("die", "1D6");
  hand.ask();
  hand.sync({ ...frames({ turn: 2 }), values: { attack: 2, defense: 10, die: "d6" } }, answer(1, 2));
  assert.equal(hand.now.die, "d6");
  assert.equal(hand.ask(), null);
});

test("a refusal greys the picture until the value is right, and is not asked again", () => {
  const hand = fresh();
  hand.move("die", "2d");
  hand.ask();
  hand.sync(frames(), answer(1, 1, { trouble: { path: "die", message: "no" } }));
  assert.equal(hand.shown, null);
  assert.equal(hand.now.die, "2d", "what was typed stays to be mended");
  assert.equal(hand.ask(), null);
  hand.move("die", "d6");
  assert.equal(hand.shown.heads[0], 0.5);
  assert.equal(hand.trouble, null);
});

test("a bad typed value greys the picture and holds every request back", () => {
  const hand = fresh();
  hand.bad.set("attack", "above 30");
  hand.move("defense", 11);
  assert.equal(hand.shown, null);
  assert.equal(hand.ask(), null);
  hand.bad.delete("attack");
  assert.deepEqual(hand.ask().changes, { defense: 11 });
});

test("without a kernel one control at a time is away from the saved point", () => {
  const hand = fresh(false);
  hand.move("attack", 3);
  hand.move("defense", 11);
  assert.equal(hand.now.attack, 2);
  assert.equal(hand.shown.heads[0], 0.375);
  assert.equal(hand.ask(), null);
});

test("loading or adding something greys the picture until it is answered; pinning does not", () => {
  const hand = fresh();
  hand.edit({ op: "pin", value: true });
  assert.notEqual(hand.shown, null);
  assert.deepEqual(hand.ask().edits, [{ op: "pin", value: true }]);
  hand.edit({ op: "load", path: "attacker", value: "brawn" });
  assert.equal(hand.shown, null);
  hand.sync(frames(), answer(1));
  assert.equal(hand.shown, null, "still to be asked");
  assert.equal(hand.ask().seq, 2);
  assert.equal(hand.shown, null);
  hand.sync(frames({ turn: 2 }), answer(2, 2));
  assert.notEqual(hand.shown, null);
});

test("a place where the rule does not apply carries its reason", () => {
  const f = frames();
  f.tables.attack.blocked = { 2: "AE-08: cannot be targeted" };
  assert.equal(pick(f, { ...f.values, "@measure": "hit", attack: 3 }).blocked, "AE-08: cannot be targeted");
});

test("axes cover every list of outcomes, whole numbers without gaps, labels in their order", () => {
  const axis = domain(outcomesOf({ start: 2, count: 2 }), outcomesOf({ start: -1, count: 1 }), undefined);
  assert.deepEqual(axis.numbers, [-1, 0, 1, 2, 3]);
  assert.deepEqual(placed(axis, outcomesOf({ start: 2, count: 2 })), [-1, -1, -1, 0, 1]);
  assert.deepEqual(domain({ keys: ["No", "Yes"] }, { keys: ["Yes", "Maybe"] }).keys, ["No", "Yes", "Maybe"]);
  assert.deepEqual(domain({ keys: ["1/2", "3/2"], numbers: [0.5, 1.5] }, { keys: ["1"], numbers: [1] }).keys, ["1/2", "1", "3/2"]);
});

test("the y axis ends on a round number with at most five steps", () => {
  assert.deepEqual(niceTop(0.17), { top: 0.2, step: 0.05 });
  assert.deepEqual(niceTop(1), { top: 1, step: 0.2 });
  assert.deepEqual(niceTop(0.05), { top: 0.05, step: 0.01 });
  for (let p = 1e-9; p <= 1; p *= 1.07) {
    const { top, step } = niceTop(p);
    assert.ok(top >= p * (1 - 1e-9) && top / step <= 5.001, `${p}: ${top}, ${step}`);
  }
  assert.equal(tickStride(60, 20), 5);
  assert.equal(tickStride(8, 20), 1);
});

test("typed numbers are held against the field, and the line says what is allowed", () => {
  const whole = { kind: "whole", label: "Attack", min: -5, max: 30 };
  assert.deepEqual(readNumber(whole, "-5"), { value: -5 });
  assert.match(readNumber(whole, "31").message, /^Attack: 31 is above 30; it must be a whole number, -5 to 30$/);
  assert.match(readNumber(whole, "1.5").message, /not whole/);
  assert.match(readNumber(whole, "").message, /nothing is given/);
  assert.match(readNumber(whole, "x").message, /"x" is no number/);
  assert.deepEqual(readNumber({ kind: "decimal", label: "p", min: 0 }, "0.25"), { value: 0.25 });
  assert.match(readNumber({ kind: "decimal", label: "p", min: 0 }, "-1").message, /0 or more/);
});

test("a difference says its direction, and points are told from numbers", () => {
  assert.equal(formatDifference(0.55, 0.5, "probability"), "+5 points");
  assert.equal(formatDifference(3.9, 4.15, "number"), "-0.25");
  assert.equal(formatDifference(0.1 + 0.2, 0.3, "probability"), "no change");
  assert.equal(formatDifference(NaN, 0.5, "probability"), "");
  assert.equal(formatDifference(0.5, 0.4, "label"), "");
});
