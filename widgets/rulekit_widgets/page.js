// The page around the explorer: its tools above it, and beside it what follows the point at rest. Written
// beneath the explorer's own module (see page.py), whose functions it uses.
//
// Down come texts of JSON: `frames` and `answer` for the explorer; `bar`, `map`, `worth`, `readings` and `why`,
// each with the `key` of what it was made for, and `file` to be saved. Up go `request` (the explorer's), `deed`
// (what was done around it) and `shade` (the theme that is seen). The child `picture` is the map.

const THEMES = { "": "As the system", light: "Light", dark: "Dark", contrast: "High contrast", "contrast-dark": "High contrast, dark" };
const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "text-anchor"];

// The chart as a picture of its own: what the style sheet says is written into it.
function svgOf(svg, ground) {
  const copy = svg.cloneNode(true), from = [svg, ...svg.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((e, i) => {
    const style = getComputedStyle(e);
    for (const name of STYLES) to[i].style.setProperty(name, style.getPropertyValue(name));
  });
  const [, , width, height] = svg.getAttribute("viewBox").split(" ");
  for (const [k, v] of [["xmlns", SVG], ["width", width], ["height", height]]) copy.setAttribute(k, v);
  copy.removeAttribute("aria-labelledby");
  copy.prepend(make("svg:rect", { width, height, fill: ground }));
  return new XMLSerializer().serializeToString(copy);
}

function pngOf(svg, scale = 2) {
  return new Promise((done, failed) => {
    const image = new Image();
    image.onerror = failed;
    image.onload = () => {
      const canvas = make("canvas", { width: image.width * scale, height: image.height * scale });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(done, "image/png");
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
  });
}

function save(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// The figure that draws the map, among all views of the page; there is none where nothing is drawn yet.
function figureIn(slot) {
  const found = [];
  const walk = (view) => {
    if (!view) return;
    if (view.export && view.el && view.model?.type === "Figure") found.push(view);
    for (const child of view.child_views ?? []) walk(child);
  };
  for (const view of Object.values(window.Bokeh?.index ?? {})) walk(view);
  const hosts = (e) => { for (let n = e; n; n = n.parentNode ?? n.host) if (n === slot) return true; return false; };
  return found.find((view) => hosts(view.el)) ?? null;
}

async function copyText(text, box) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // not allowed here: select it, so that a key copies it
    box.focus();
    box.select();
    return false;
  }
  return true;
}

function renderPage({ model, el }) {
  const live = model.get("live"), uid = "rp" + Math.random().toString(36).slice(2, 8) + "-";
  const parsed = new Map();
  const json = (name) => {
    const text = model.get(name);
    if (parsed.get(name)?.text !== text) parsed.set(name, { text, value: text ? JSON.parse(text) : null });
    return parsed.get(name).value;
  };
  const still = live ? null : "Needs a running kernel";
  const button = (text, attributes = {}) => make("button", { type: "button", ...attributes }, text);
  const kernelButton = (text, onclick) => button(text, { onclick, disabled: !live, title: still });
  let seq = 0, again = null;

  // ---- the tools
  const deed = (what) => {
    model.set("deed", { seq: ++seq, ...what });
    model.save_changes();
    dimAll();
  };
  const rested = (then) => { // what is copied or saved is what the kernel has seen
    if (!explorer() || explorer().dataset.rest === "true") then();
    else waiting.push(then);
  };
  const waiting = [];
  const undo = kernelButton("Undo", () => rested(() => deed({ op: "undo" })));
  const redo = kernelButton("Redo", () => rested(() => deed({ op: "redo" })));
  const said = make("p", { class: "rk-said", role: "status" });
  const wrong = make("p", { class: "rk-trouble", role: "alert", hidden: true });
  const box = make("textarea", { class: "rk-taken", readonly: true, rows: 8, spellcheck: "false", "aria-label": "To copy", hidden: true });
  const takeAway = (text, name) => {
    box.value = text;
    box.hidden = false;
    copyText(text, box).then((done) => write(said, done ? `${name} is copied; it stands below too.` : `${name} stands below: copy it from there.`));
  };
  const linkText = () => (model.get("address") ? location.origin + location.pathname + "?view=" + json("bar").link : json("bar").link);
  const link = button("Copy link", { onclick: () => rested(() => takeAway(linkText(), "The link")) });
  const python = button("Copy as Python", { onclick: () => rested(() => takeAway(json("bar").python, "The code")) });
  const file = (what, label) => button(label, { onclick: () => rested(() => { if (live) deed({ op: "csv", what }); else keep(json("files")[what]); }) });
  const keep = (f) => f && save(f.name, f.text, "text/csv");
  const ground = () => getComputedStyle(root).getPropertyValue("--rk-ground").trim();
  const chartName = () => json("bar").name + "-" + json("frames").measure;
  const chart = () => svgOf(left.querySelector(".rk-chart"), ground());
  const pictures = (name, what) => make("span", { class: "rk-buttons", role: "group", "aria-label": `Save the ${name}` },
    button("PNG", { "aria-label": `${name}, PNG`, onclick: () => what("png") }), button("SVG", { "aria-label": `${name}, SVG`, onclick: () => what("svg") }));
  const saveChart = async (kind) => save(`${chartName()}.${kind}`, kind === "svg" ? chart() : await pngOf(chart()), "image/svg+xml");
  const saveMap = (kind) => {
    const view = figureIn(slot);
    if (!view) return;
    if (kind === "png") return view.export("png").canvas.toBlob((made) => save(`${chartName()}-map.png`, made));
    save(`${chartName()}-map.svg`, view.export("svg").ctx.get_serialized_svg(true), "image/svg+xml");
  };
  const themes = make("select", { id: uid + "theme", onchange: () => { chosen = themes.value; restyle(); } }, ...Object.entries(THEMES).map(([value, text]) => make("option", { value }, text)));
  let chosen = model.get("theme") || "";
  themes.value = chosen;
  const home = model.get("home") ? make("a", { href: model.get("home"), class: "rk-home" }, "All rules") : "";
  const bar = make("div", { class: "rk-bar", role: "group", "aria-label": "Page" }, home, undo, redo, link, python,
    make("span", { class: "rk-buttons", role: "group", "aria-label": "Save the chart and its table" }, make("span", { class: "rk-what" }, "Chart"), file("table", "CSV"), pictures("chart", saveChart)),
    make("span", { class: "rk-theme" }, make("label", { for: uid + "theme" }, "Theme "), themes));
  const left = make("div", { class: "rk-left" });

  // ---- beside the explorer
  const card = (name, title, ...parts) => make("section", { class: "rk-card rk-card-" + name, "aria-labelledby": uid + name },
    make("h4", { id: uid + name }, title), ...parts);
  const slot = make("div", { class: "rk-picture" });
  const mapText = make("p", { class: "rk-about", id: uid + "map-text" });
  const axis = (k, label) => make("select", { id: uid + "axis" + k, "data-axis": k, disabled: !live, title: still, onchange: () => {
    const axes = selects.map((s) => s.value);
    if (axes[0] === axes[1]) axes[1 - k] = json("map").axes[k]; // the two change places
    rested(() => deed({ op: "axes", value: axes }));
  } });
  const selects = [axis(0), axis(1)];
  const axes = make("div", { class: "rk-axes" }, ...["Across", "Up"].map((text, k) => make("span", {}, make("label", { for: uid + "axis" + k }, text + " "), selects[k])));
  const mapTools = make("div", { class: "rk-buttons" }, file("map", "CSV"), pictures("map", saveMap));
  const map = card("map", "Map", axes, make("div", { class: "rk-holds", role: "group", "aria-labelledby": uid + "map-text" }, slot), mapText, mapTools);
  const worthBody = make("tbody"), worthCaption = make("caption");
  const worth = card("worth", "What a point is worth",
    make("div", { class: "rk-scroll", tabindex: 0, role: "region", "aria-label": "What a point of each stat is worth" },
      make("table", {}, worthCaption, make("thead", {}, make("tr", {}, ...["Stat", "Now", "One less", "One more"].map((t) => make("th", { scope: "col" }, t)))), worthBody)),
    make("div", { class: "rk-buttons" }, file("worth", "CSV")));
  const readingsList = make("div"), readings = card("readings", "Readings", make("p", { class: "rk-about" }, "Where the rulebook can be read two ways, and the difference each reading makes."), readingsList);
  const whyList = make("ul", { class: "rk-tree" }), whyText = make("p", { class: "rk-about" });
  const why = card("why", "Why", whyText, whyList);
  const cards = { map, worth, readings, why };
  const beside = make("div", { class: "rk-beside" }, map, worth, readings, why);
  const root = make("div", { class: "rk-page" }, bar, wrong, said, box, make("div", { class: "rk-wide" }, left, beside));

  const explorer = () => left.firstElementChild;
  const control = (path) => [...left.querySelectorAll(".rk-control")].find((e) => e.dataset.control === path);
  const goTo = (path) => control(path)?.querySelector("input, select")?.focus();

  const draw = {
    map(m) {
      map.hidden = !m.axes.length && !m.trouble;
      axes.hidden = slot.hidden = mapTools.hidden = !m.axes.length;
      const made = JSON.stringify(m.options);
      if (axes.dataset.made !== made) {
        axes.dataset.made = made;
        for (const s of selects) s.replaceChildren(...m.options.map((o) => make("option", { value: o.value }, o.label)));
      }
      selects.forEach((s, k) => { s.value = m.axes[k]; });
      write(mapText, m.text || m.trouble);
    },
    worth(w) {
      write(worthCaption, w.text || w.trouble);
      worthBody.replaceChildren(...w.rows.map((r) => make("tr", { "data-worth": r.path },
        make("th", { scope: "row" }, button(r.label, { class: "rk-go", title: "Go to its control", onclick: () => goTo(r.path) })), make("td", {}, r.now), make("td", {}, r.less), make("td", {}, r.more))));
      beControls(w);
    },
    readings(r) {
      readings.hidden = !r.groups.length;
      const focus = root.getRootNode().activeElement?.id;
      const group = (g) => make("fieldset", { "data-reading": g.path }, make("legend", { title: g.help || null }, g.label), ...g.choices.map((c, i) => {
        const id = `${uid}${g.path}.${i}`;
        return make("span", { class: "rk-reading" }, make("input", {
          type: "radio", name: uid + g.path, id, checked: c.on, disabled: !live, title: still, onchange: () => rested(() => deed({ op: "set", changes: { [g.path]: c.value } })),
        }), make("label", { for: id }, c.label), make("span", { class: "rk-change" }, c.difference));
      }));
      const matters = (g) => g.choices.some((c) => c.difference && c.difference !== "no change"), idle = r.groups.filter((g) => !matters(g));
      const open = readingsList.querySelector("details")?.open;
      readingsList.replaceChildren(...r.groups.filter(matters).map(group));
      if (idle.length) readingsList.append(make("details", { open }, make("summary", {}, idle.length === r.groups.length ? "None changes anything here" : `${idle.length} more change nothing here`), ...idle.map(group)));
      if (focus) [...readingsList.querySelectorAll("input")].find((e) => e.id === focus)?.focus();
    },
    why(y) {
      write(whyText, y.text || y.trouble);
      const node = (n) => make("li", { "data-kind": n.kind }, make("strong", {}, n.name), ": " + n.odds, n.text ? make("code", {}, n.text) : "", ...(n.children.length ? [make("ul", {}, ...n.children.map(node))] : []));
      whyList.replaceChildren(...y.trees.map(node));
    },
    bar(b) {
      undo.disabled = !live || !b.undo;
      redo.disabled = !live || !b.redo;
      wrong.hidden = !b.trouble;
      write(wrong, b.trouble);
      if (model.get("address") && live) history.replaceState(null, "", "?view=" + b.link);
    },
    file: keep,
  };

  // Beside each control what a point of it is worth.
  function beControls(w) {
    for (const e of left.querySelectorAll(".rk-worth")) e.remove();
    for (const r of w.rows) {
      const told = [r.less && `−: ${r.less}`, r.more && `+: ${r.more}`].filter(Boolean).join(", ");
      control(r.path)?.append(make("span", { class: "rk-worth" }, told));
    }
  }

  // What was made for another point, or while the hand moves, is dimmed.
  function dimAll() {
    const state = explorer()?.dataset ?? {}, done = seq === (json("bar")?.deed ?? 0), atRest = state.rest === "true" && state.state === "right" && state.away !== "true" && done;
    const key = json("bar").key;
    for (const name in cards) cards[name].setAttribute("aria-busy", String(!atRest || json(name)?.key !== key));
    for (const e of left.querySelectorAll(".rk-worth")) e.setAttribute("aria-busy", worth.getAttribute("aria-busy"));
    // What does not come is asked for again: in a notebook a message can get lost.
    const missing = live && atRest && Object.keys(cards).some((name) => json(name)?.key !== key);
    if (!missing) { clearTimeout(again); again = null; }
    else again ??= setTimeout(() => { again = null; deed({ op: "again" }); }, LATE);
    root.dataset.rest = String(Object.values(cards).every((c) => c.getAttribute("aria-busy") === "false"));
    if (state.rest === "true") while (waiting.length) waiting.shift()();
  }

  const take = (name) => {
    const value = json(name);
    if (value) draw[name](value);
    dimAll();
  };

  // ---- its surroundings
  const inner = {
    get: (name) => (name === "frames" || name === "answer" ? json(name) : name === "theme" ? chosen : model.get(name)),
    set: (name, value) => model.set(name, value),
    save_changes: () => model.save_changes(),
    on: (event, call) => (event === "change:theme" ? undefined : model.on(event, call)),
    off: (event, call) => model.off(event, call),
  };
  const restyle = () => {
    const theme = themeOf(chosen);
    root.dataset.theme = theme;
    if (explorer()) explorer().dataset.theme = theme;
    if (model.get("address")) document.body.style.background = ground();
    if (live && model.get("shade") !== theme) { model.set("shade", theme); model.save_changes(); }
  };
  const dark = matchMedia("(prefers-color-scheme: dark)"), contrast = matchMedia("(prefers-contrast: more)");
  for (const m of [dark, contrast]) m.addEventListener("change", restyle);
  const keys = (e) => {
    if (!(e.ctrlKey || e.metaKey) || e.altKey || e.key.toLowerCase() !== "z" || /^(text|number)$/.test(e.composedPath()[0].type)) return;
    const which = e.shiftKey ? redo : undo;
    e.preventDefault();
    if (!which.disabled) which.click();
  };
  const tapped = (e) => {
    if (live && figureIn(slot)?.model.id === e.detail.figure) rested(() => deed({ op: "go", at: [e.detail.x, e.detail.y] }));
  };
  window.addEventListener("rulekit:tap", tapped);
  const ears = model.get("address") ? window : root; // in a notebook the keys are its own
  ears.addEventListener("keydown", keys);
  el.append(root);
  restyle();
  const close = render({ model: inner, el: left });
  restyle();
  const watch = new MutationObserver(dimAll);
  watch.observe(explorer(), { attributes: true, attributeFilter: ["data-rest", "data-state"] });
  const child = model.get_child?.("picture");
  if (child) slot.append(child);
  const heard = Object.keys(draw).map((name) => ["change:" + name, () => take(name)]);
  heard.push(["change:frames", () => { const w = json("worth"); if (w) beControls(w); dimAll(); }]);
  for (const [event, call] of heard) model.on(event, call);
  for (const name of ["bar", ...Object.keys(cards)]) take(name);

  return () => {
    for (const [event, call] of heard) model.off(event, call);
    for (const m of [dark, contrast]) m.removeEventListener("change", restyle);
    ears.removeEventListener("keydown", keys);
    window.removeEventListener("rulekit:tap", tapped);
    clearTimeout(again);
    watch.disconnect();
    close();
    root.remove();
  };
}
