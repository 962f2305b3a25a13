// The outline: all steps in order. Short runs are written out by the server;
// of long ones only the lines in view are in the page.
import { rowElement } from "./row.js";

const HEIGHT = 28;
const MARGIN = 12;

export function startOutline(page) {
  const box = document.getElementById("outline");
  const model = { rows: [], byKey: new Map() };
  const list = box && page.root.dataset.whole ? written(box, model) : virtual(box, model, page);
  if (box) {
    box.addEventListener("click", (event) => {
      const row = event.target.closest("[data-key]");
      if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      page.select(row.dataset.key);
    });
    box.addEventListener("keydown", (event) => moved(event, page, model));
  }
  list.show(page.state.selected);

  return {
    select: (key) => list.show(key),
    diagnosis: (found) => {
      for (const row of model.rows) judge(row, found.outcomes[row.key]);
      list.redraw();
    },
    neighbour: (by, wanted = () => true) => neighbour(model, page.state.selected, by, wanted),
    index: (key) => model.byKey.get(key)?.index,
    find: (wanted) => model.rows.find((row) => row.key && wanted(row))?.key,
    search: (text) => {
      const words = text.trim().toLowerCase();
      const hits = words ? model.rows.filter((row) => row.key && row.text.includes(words)) : [];
      for (const row of model.rows) row.found = false;
      for (const row of hits) row.found = true;
      list.redraw();
      return hits.map((row) => row.key);
    },
  };
}

function judge(row, outcome) {
  if (!row.key || row.state === "boundary") return;
  [row.score, row.failed, row.role] = outcome ? [outcome[0], Boolean(outcome[1]), outcome[2]] : [row.score, false, ""];
}

function neighbour(model, key, by, wanted) {
  let at = (model.byKey.get(key)?.place ?? -1) + by;
  while (at >= 0 && at < model.rows.length && !(model.rows[at].key && wanted(model.rows[at]))) at += by;
  return model.rows[at]?.key;
}

function moved(event, page, model) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  const key = neighbour(model, page.state.selected, by, () => true);
  if (!key) return;
  event.preventDefault();
  page.select(key);
  document.querySelector(`#outline [data-key="${key}"]`)?.focus({ preventScroll: true });
}

/** Rows that the server wrote: kept, only their classes change. */
function written(box, model) {
  for (const element of box.querySelectorAll(".row")) {
    const row = {
      element,
      key: element.dataset.key || "",
      index: element.dataset.key ? Number(element.querySelector(".row-index").textContent) : -1,
      failed: element.classList.contains("row-failed"),
      role: element.querySelector(".row-role") ? "root" : "",
      state: element.querySelector(".score-boundary") ? "boundary" : "",
      score: null,
      text: element.textContent.toLowerCase(),
      place: model.rows.length,
    };
    model.rows.push(row);
    if (row.key) model.byKey.set(row.key, row);
  }
  let current = null;
  return {
    show(key) {
      current?.element.setAttribute("aria-selected", "false");
      if (current) current.element.tabIndex = -1;
      current = model.byKey.get(key) || null;
      if (!current) return;
      current.element.setAttribute("aria-selected", "true");
      current.element.tabIndex = 0;
      reveal(box, current.element.offsetTop);
    },
    redraw() {
      for (const row of model.rows) {
        row.element.classList.toggle("row-failed", row.failed);
        row.element.classList.toggle("row-found", Boolean(row.found));
        mark(row);
      }
    },
  };
}

function mark(row) {
  const old = row.element.querySelector(".row-role");
  if (row.role === "root" && !old) {
    const sign = document.createElement("span");
    sign.className = "row-role";
    sign.textContent = "root";
    row.element.querySelector(".row-name").after(sign);
  } else if (row.role !== "root") old?.remove();
  const chip = row.element.querySelector(".score");
  chip?.classList.toggle("score-failed", row.failed);
}

function reveal(box, top) {
  if (top < box.scrollTop + HEIGHT) box.scrollTop = top - HEIGHT * 2;
  else if (top > box.scrollTop + box.clientHeight - HEIGHT * 2) box.scrollTop = top - box.clientHeight + HEIGHT * 3;
}

/** Rows as columns from the server; only what is in view has an element. */
function virtual(box, model, page) {
  const space = document.createElement("div");
  space.className = "outline-space";
  space.setAttribute("role", "presentation");
  const shown = new Map();
  let waiting = page.state.selected;

  function draw() {
    if (!model.rows.length) return;
    const first = Math.max(0, Math.floor(box.scrollTop / HEIGHT) - MARGIN);
    const last = Math.min(model.rows.length, Math.ceil((box.scrollTop + box.clientHeight) / HEIGHT) + MARGIN);
    for (const [place, element] of shown) {
      if (place < first || place >= last) {
        element.remove();
        shown.delete(place);
      }
    }
    for (let place = first; place < last; place++) {
      if (shown.has(place)) continue;
      const element = rowElement(model.rows[place], page, place, model.rows.length);
      element.style.top = `${place * HEIGHT}px`;
      shown.set(place, element);
      space.append(element);
    }
  }

  function redraw() {
    for (const element of shown.values()) element.remove();
    shown.clear();
    draw();
  }

  function show(key) {
    const row = model.byKey.get(key);
    waiting = key;
    if (!row) return;
    reveal(box, row.place * HEIGHT);
    redraw();
  }

  async function load() {
    const response = await fetch(`${page.state.url}outline/?${page.query()}`);
    if (!response.ok) return;
    fill(model, await response.json());
    space.style.height = `${model.rows.length * HEIGHT}px`;
    if (box) {
      box.replaceChildren(space);
      box.parentElement.querySelector(".outline-note")?.remove();
      box.addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
      new ResizeObserver(draw).observe(box);
      show(waiting);
    }
  }

  load();
  return box ? { show, redraw } : { show() {}, redraw() {} };
}

function fill(model, columns) {
  columns.key.forEach((key, place) => {
    const row = { place };
    for (const name of Object.keys(columns)) row[name] = columns[name][place];
    row.failed = Boolean(row.failed);
    row.text = `${row.index} ${row.type} ${row.name} ${row.agent}`.toLowerCase();
    model.rows.push(row);
    if (key) model.byKey.set(key, row);
  });
}
