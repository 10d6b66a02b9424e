// The gallery: every game with its rules, and a search. Written beneath the explorer's module (see page.py).
// Down comes `entries`: groups of rules as JSON; `trouble` says why a link did not open.

function renderGallery({ model, el }) {
  const uid = "rg" + Math.random().toString(36).slice(2, 8) + "-", groups = JSON.parse(model.get("entries"));
  const trouble = make("p", { class: "rk-trouble", role: "alert", hidden: !model.get("trouble") }, model.get("trouble"));
  const search = make("input", { type: "search", id: uid + "search", autocomplete: "off", oninput: () => sift() });
  const found = make("p", { class: "rk-about", role: "status" });
  const all = [];
  const entry = (group) => (rule) => {
    const item = make("li", {}, rule.link ? make("a", { href: rule.link }, rule.title) : make("strong", {}, rule.title),
      rule.sources ? make("span", { class: "rk-unit" }, " " + rule.sources) : "", make("span", { class: "rk-about" }, rule.doc));
    all.push({ item, text: [group.title, rule.title, rule.doc, rule.sources, rule.words].join(" ").toLowerCase() });
    return item;
  };
  const sections = groups.map((group, i) => make("section", { "aria-labelledby": uid + i }, make("h2", { id: uid + i }, group.title),
    make("p", { class: "rk-about" }, group.doc), make("ul", { class: "rk-rules" }, ...group.rules.map(entry(group)))));
  const root = make("div", { class: "rk-page rk-gallery" }, make("h1", {}, "Rules"), trouble,
    make("p", { role: "search" }, make("label", { for: uid + "search" }, "Search "), search), found, ...sections);

  function sift() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { item, text } of all) item.hidden = !words.every((w) => text.includes(w));
    for (const s of sections) s.hidden = ![...s.querySelectorAll("li")].some((li) => !li.hidden);
    const n = all.filter(({ item }) => !item.hidden).length;
    write(found, words.length ? `${n} of ${all.length} rules` : `${all.length} rules`);
  }

  const restyle = () => {
    root.dataset.theme = themeOf("");
    document.body.style.background = getComputedStyle(root).getPropertyValue("--rk-ground").trim();
  };
  const dark = matchMedia("(prefers-color-scheme: dark)"), contrast = matchMedia("(prefers-contrast: more)");
  for (const m of [dark, contrast]) m.addEventListener("change", restyle);
  sift();
  el.append(root);
  restyle();
  return () => { for (const m of [dark, contrast]) m.removeEventListener("change", restyle); root.remove(); };
}
