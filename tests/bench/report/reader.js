// A reader of the page: clicks, counts the clicks, and tells the frame around the page what there is.
let clicks = 0;
const saved = [];
const wait = ms => new Promise(done => setTimeout(done, ms));
const visible = node => node.getClientRects().length > 0;
const all = selector => [...document.querySelectorAll(selector)].filter(visible);
const one = (selector, text = "") => {
  const node = all(selector).find(n => n.textContent.trim().startsWith(text));
  if (!node) throw new Error(`nothing to click: ${selector} ${text}`);
  return node;
};
async function click(selector, text) { clicks += 1; one(selector, text).click(); await wait(60); }
// A drop-down takes two: to open it, and to choose.
async function choose(name, value) {
  clicks += 2;
  const select = document.getElementById(`filter-${name}`);
  select.value = value;
  select.dispatchEvent(new Event("change"));
  await wait(60);
}
const texts = (selector, root = document) => [...root.querySelectorAll(selector)].filter(visible).map(n => n.textContent.trim());
const column = (table, name) => {
  const root = document.getElementById(`table-${table}`), i = texts("th", root).indexOf(name);
  return [...root.querySelectorAll("tbody tr")].map(row => row.cells[i].textContent);
};
const tell = what => parent.postMessage(JSON.stringify(what), "*");
HTMLAnchorElement.prototype.click = function () { if (this.download) saved.push(this); else HTMLElement.prototype.click.call(this); };
const make = URL.createObjectURL, blobs = {};
URL.createObjectURL = blob => { const url = make.call(URL, blob); blobs[url] = blob; return url; };
const files = () => Promise.all(saved.map(async link => ({ name: link.download, text: await blobs[link.href].text() })));
async function read(act) {
  while (!document.body.dataset.readyMs) await wait(20);
  try { tell({ told: await act(), clicks, address: location.hash }); } catch (error) { tell({ error: String(error.stack) }); }
}
