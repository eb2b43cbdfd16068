// Runs the script of a report page on a small document, opens every section, and says what is there.
import { readFileSync } from "node:fs";

class Element {
  constructor(name) { Object.assign(this, { name, children: [], listeners: {}, dataset: {}, attributes: {} }); }
  append(...nodes) { this.children.push(...nodes); }
  prepend(...nodes) { this.children.unshift(...nodes); }
  replaceChildren(...nodes) { this.children = nodes; }
  setAttribute(key, value) { this.attributes[key] = value; }
  addEventListener(event, act) { this.listeners[event] = act; }
  get text() { return (this.textContent ?? "") + this.children.map(c => c.text ?? String(c)).join("\n"); }
  querySelector(name) { return this.find(e => e.name === name)[0] ?? null; }
  scrollIntoView() {}
  focus() {}
  find(test) { return [...(test(this) ? [this] : []), ...this.children.flatMap(c => c.find ? c.find(test) : [])]; }
}

const page = readFileSync(process.argv[2], "utf-8");
const between = (start, end) => page.split(start)[1].split(end)[0];
const body = new Element("body"), byId = {};
for (const id of ["menu", "contents", "quick", "how", "filters", "status", "part-claims", "part-start", "part-experiments", "part-published", "part-failed", "part-tables", "provenance"]) body.append(byId[id] = Object.assign(new Element("div"), { id }));
globalThis.document = {
  body,
  title: "mvclust: toy",
  createElement: name => new Element(name),
  createElementNS: (_, name) => new Element(name),
  getElementById: id => id === "data" ? { textContent: between('id="data">', "</script>") } : body.find(e => e.id === id)[0] ?? null,
};
globalThis.location = { hash: "" };
globalThis.history = { pushState() {}, replaceState() {} };
globalThis.addEventListener = () => {};
URL.createObjectURL = () => "blob:";
await import("data:text/javascript," + encodeURIComponent(between('<script type="module">', "</script>")));

const sections = body.find(e => e.name === "details");
for (const section of sections) { section.open = true; section.listeners.toggle(); }
// The start view is made from the same rows as the experiments.
const best = body.find(e => e.id === "best")[0], inBest = new Set(best?.find(() => true));
const found = test => body.find(e => test(e) && !inBest.has(e));
const counted = name => found(e => e.name === name).length;
console.log(JSON.stringify({
  sections: sections.map(s => s.id),
  badges: sections.filter(s => s.find(e => e.className === "badge").length).map(s => s.id),
  best: best?.text ?? "",
  charts: found(e => e.attributes.class === "chart").map(c => c.find(e => e.name === "text")[0].text),
  rankings: (best?.find(e => e.attributes.class === "chart") ?? []).map(c => ({
    words: c.find(e => e.name === "text").map(e => e.text),
    dots: c.find(e => e.name === "circle").map(e => e.text),
  })),
  rows: counted("tr"), images: counted("img"), heads: found(e => e.name === "th").map(e => e.text),
  text: body.text,
}));
