/**
 * The step graph in the page: pan, zoom, keyboard, selection, what-if, download.
 *
 *   <div id="graph" data-url="/…/graph.json" data-link="?step=" data-strip="strip">
 *     {{ svg }}                                   up to 400 boxes, else left out
 *   </div>
 *   <div id="strip"></div>                        optional: the score strip
 *   {{ columns|json_script:"graph-data" }}        with data-json="graph-data", optional
 *
 *   import { mountGraph } from "…/graph.bundle.js";
 *   const graph = await mountGraph(document.getElementById("graph"), { selected: key });
 *
 * The data is what traces/domain/layout/columnar.py gives, from `options.data`, from
 * the json_script element that `data-json` names, or fetched from `data-url`. Without
 * any, null is returned and the server's drawing stays as it is: complete, its
 * boxes are links.
 *
 * Options (data attributes of the element stand for url, json, link, strip, prefix):
 *   data      columns, parsed
 *   url       where columns come from; also asked with `opened=INDEX,INDEX` to unfold
 *   load      (opened: number[]) => Promise<columns>, instead of url
 *   link      address of a step without its key ("" for none), default "?step="
 *   strip     element (or id) for the score strip
 *   prefix    first part of element ids, default "n"
 *   selected  key of the step selected at first
 *   opened    indices of steps that are unfolded at first
 *
 * Methods:
 *   select(key, {center, focus, quiet, index})  select a step, null for none; true if
 *             it is drawn. center: into the middle; focus: move the focus; quiet: no
 *             event; index: of the step, so that a folded one can be unfolded
 *   path(keys)         draw the attribution path, root first; [] for none
 *   highlight(keys)    dim all others; null ends it
 *   ancestors(key)     dim all that the step doesn't depend on; null ends it
 *   update(map)        what-if: Map or object from key to {score, state, failed, role,
 *                      onPath, pathStep, pathLength, category}, each optional; boxes
 *                      in the page change, nothing moves
 *   setScores(map)     key -> score or null
 *   setThreshold(t)    failed = score below t: a number, or an object by step type
 *   reload()           ask for the columns again, keep selection and place
 *   folded             true if some box stands for several steps
 *   fit(), zoom(factor), reveal(key, center)
 *   unfold(index, {center, focus, quiet})  draw a folded step by itself and select it;
 *             resolves when drawn; of several asked for meanwhile the last one counts
 *   exportSVG(), exportPNG()   resolve to a Blob; save("svg" | "png", name) downloads
 *   on(name, handler)  "select": {key, index}; "unfold": {index, opened}; "error":
 *             {message}, when a step could not be unfolded; returns off()
 *   keys()             keys of the drawn boxes, in topological order
 *   destroy()
 *
 * Events: the element dispatches `graph:select`, `graph:unfold` and `graph:error`
 * (bubbling, the same details), is `aria-busy` while it unfolds, and listens to `graph:highlight` with detail {keys} or {ancestors: key} or
 * null. Keys, while a box has the focus: arrows along edges and rows, Home, End,
 * Enter or Space select (or unfold), + - 0 zoom, Escape ends highlighting.
 */
import { MOVES, target } from "./keys.js";
import { label } from "./marks.js";
import { FLAG, Model } from "./model.js";
import { download, toPng, toSvg } from "./save.js";
import { Stage } from "./stage.js";
import { Strip } from "./strip.js";

const ZOOM = 1.25;

class GraphView {
  constructor(element, options, load) {
    this.element = element;
    this.options = options;
    this.load = load;
    this.opened = [...(options.opened ?? [])];
    this.handlers = new Map();
    this.stage = new Stage(element, { ...options, recoloured: () => this.strip?.recolour(), looked: (places) => this.#looked(places) });
    this.status = document.createElement("p");
    this.status.className = "g-said";
    this.status.setAttribute("role", "status");
    element.append(this.status);
    const host = typeof options.strip === "string" ? document.getElementById(options.strip) : options.strip;
    if (host) this.strip = new Strip(host, (index) => this.#fromStrip(index), (index) => this.#describe(index));
    this.#listen();
  }

  show(columns) {
    this.model = new Model(columns);
    this.stage.show(this.model);
    this.strip?.show(columns.strip);
    this.element.dataset.boxes = this.model.count;
  }

  begin(selected) {
    this.stage.camera.start();
    const place = selected ? this.model.places.get(selected) : undefined;
    const root = this.model.columns.nodes.flags.findIndex((flags) => flags & FLAG.root);
    if (place !== undefined) this.select(selected, { center: true, quiet: true });
    else if (root >= 0 && !this.#seen(root)) this.stage.reveal(root, true);
    this.stage.draw();
  }

  #seen(place) {
    const [x, y] = this.model.position(place);
    const [x0, y0, x1, y1] = this.stage.camera.view(-40);
    return x >= x0 && y >= y0 && x <= x1 && y <= y1;
  }

  #listen() {
    const { svg } = this.stage;
    svg.addEventListener("click", (event) => this.#click(event));
    svg.addEventListener("keydown", (event) => this.#key(event));
    svg.addEventListener("focusin", (event) => this.#focused(event));
    svg.addEventListener("pointerover", (event) => this.stage.hover(this.stage.under(event) ?? -1));
    svg.addEventListener("pointerleave", () => this.stage.hover(-1));
    this.element.addEventListener("graph:highlight", (event) => this.#asked(event.detail));
    // A focused box out of sight makes the browser scroll; the camera moves instead.
    this.element.addEventListener("scroll", () => this.element.scrollTo(0, 0));
  }

  #asked(detail) {
    if (detail?.ancestors) this.ancestors(detail.ancestors);
    else this.highlight(detail?.keys ?? null);
  }

  #click(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const place = this.stage.under(event);
    if (place === undefined) return;
    if (this.#activate(place)) event.preventDefault();
  }

  // Whether the graph has dealt with it; else the link is followed.
  #activate(place) {
    if (this.model.columns.nodes.count[place] > 1) {
      if (!this.load) return false;
      this.#open(this.model.index(place));
      return true;
    }
    return this.select(this.model.key(place), { focus: true });
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const zooms = { "+": ZOOM, "=": ZOOM, "-": 1 / ZOOM };
    const place = this.stage.current;
    if (MOVES.has(event.key)) this.#go(target(this.model, place, event.key));
    else if (event.key === "Enter" || event.key === " ") {
      if (!this.#activate(place)) return;
    } else if (event.key in zooms) this.zoom(zooms[event.key]);
    else if (event.key === "0") this.fit();
    else if (event.key === "Escape") this.highlight(null);
    else return;
    event.preventDefault();
  }

  #go(place) {
    if (place === undefined) return;
    this.stage.rove(place);
    this.stage.reveal(place);
    this.stage.nodes.get(place).focus({ preventScroll: true });
  }

  #focused(event) {
    const element = event.target.closest(".g-n");
    if (!element) return;
    const place = Number(element.dataset.i);
    if (place !== this.stage.current) this.stage.rove(place);
    this.stage.reveal(place);
  }

  select(key, { center = false, focus = false, quiet = false, index } = {}) {
    const place = key === null ? -1 : this.model.places.get(key);
    if (place === undefined || this.#hides(place, index)) {
      if (index !== undefined) this.#open(index, { center, focus, quiet });
      return false;
    }
    this.meant = undefined;
    this.stage.choose(place);
    this.strip?.select(place < 0 ? -1 : this.model.index(place));
    if (place < 0) return true;
    this.stage.rove(place);
    this.stage.reveal(place, center);
    if (focus) this.stage.nodes.get(place).focus({ preventScroll: true });
    if (!quiet) this.#tell("select", { key, index: this.model.index(place) });
    return true;
  }

  // Whether the box is a fold that begins with the step meant.
  #hides(place, index) {
    return index !== undefined && place >= 0 && this.model.columns.nodes.count[place] > 1;
  }

  #tell(name, detail) {
    for (const handler of this.handlers.get(name) ?? []) handler(detail);
    this.element.dispatchEvent(new CustomEvent(`graph:${name}`, { detail, bubbles: true }));
  }

  path(keys) {
    const places = keys.map((key) => this.model.places.get(key));
    const step = new Map(places.map((place, k) => [place, k + 1]));
    this.model.pathEdges = new Set(
      places.slice(1).map((place, k) => this.model.edgeBetween(places[k], place)).filter((edge) => edge !== undefined),
    );
    const { flags } = this.model.columns.nodes;
    for (let place = 0; place < this.model.count; place += 1) {
      const pathStep = step.get(place) ?? 0;
      const change = { onPath: pathStep > 0, pathStep, pathLength: pathStep ? places.length : 0 };
      if (pathStep || flags[place] & FLAG.onPath) this.#change(place, change);
    }
    this.stage.refreshEdges();
    this.#markStrip();
  }

  highlight(keys) {
    if (keys === null) return this.stage.light(null);
    const nodes = new Set(keys.map((key) => this.model.places.get(key)).filter((place) => place !== undefined));
    const edges = new Set();
    for (const place of nodes) {
      for (const parent of this.model.parents[place]) {
        if (nodes.has(parent)) edges.add(this.model.edgeBetween(parent, place));
      }
    }
    return this.stage.light({ nodes, edges });
  }

  ancestors(key) {
    const place = key === null ? undefined : this.model.places.get(key);
    this.stage.light(place === undefined ? null : this.model.ancestors([place]));
  }

  update(changes) {
    const entries = changes instanceof Map ? changes.entries() : Object.entries(changes);
    let paths = false;
    for (const [key, change] of entries) {
      const place = this.model.places.get(key);
      if (place !== undefined && this.model.columns.nodes.count[place] === 1) this.#change(place, change);
      paths ||= change.onPath !== undefined;
    }
    if (paths) this.#joinPath();
    this.#markStrip();
    if (this.stage.far) this.stage.draw();
  }

  #change(place, change) {
    if (this.model.change(place, change)) this.stage.refresh(place);
  }

  // Edges between neighbours on the path, where only the boxes were named.
  #joinPath() {
    const { nodes, edges } = this.model.columns;
    const on = (place) => nodes.flags[place] & FLAG.onPath;
    this.model.pathEdges = new Set(
      [...edges.source.keys()].filter((edge) => {
        const [from, to] = [edges.source[edge], edges.target[edge]];
        return on(from) && on(to) && (!nodes.step[from] || nodes.step[to] === nodes.step[from] + 1);
      }),
    );
    this.stage.refreshEdges();
  }

  #markStrip() {
    if (this.strip) this.strip.show(this.model.markStrip());
  }

  setScores(scores) {
    const entries = scores instanceof Map ? [...scores] : Object.entries(scores);
    this.update(new Map(entries.map(([key, score]) => [key, { score, state: score === null ? "unscored" : "scored" }])));
  }

  setThreshold(threshold) {
    const changes = new Map();
    const { count, score, type } = this.model.columns.nodes;
    const { words } = this.model.columns;
    for (let place = 0; place < this.model.count; place += 1) {
      const limit = typeof threshold === "number" ? threshold : threshold[words[type[place]]];
      if (count[place] === 1 && score[place] !== null && limit !== undefined) {
        changes.set(this.model.key(place), { failed: score[place] < limit });
      }
    }
    this.update(changes);
  }

  fit() {
    this.stage.camera.fit();
  }

  zoom(factor) {
    this.stage.camera.by(factor);
  }

  reveal(key, center = false) {
    const place = this.model.places.get(key);
    if (place !== undefined) this.stage.reveal(place, center);
  }

  #open(index, how) {
    this.unfold(index, how).catch(({ message }) => {
      this.status.textContent = message;
      this.#tell("error", { message });
    });
  }

  unfold(index, how = {}) {
    if (!this.load) return Promise.resolve();
    this.meant = { index, how };
    this.unfolding ??= this.#unfoldMeant();
    return this.unfolding;
  }

  async #unfoldMeant() {
    this.element.setAttribute("aria-busy", "true");
    try {
      while (this.meant) await this.#unfoldOne(this.meant);
    } finally {
      this.meant = this.unfolding = undefined;
      this.element.removeAttribute("aria-busy");
    }
  }

  // What was selected meanwhile stays selected.
  async #unfoldOne(meant) {
    const { index, how } = meant;
    if (this.model.columns.nodes.count[this.model.columns.strip.box[index]] > 1) await this.#unfolded(index);
    if (this.meant !== meant) return;
    this.meant = undefined;
    const place = this.model.columns.strip.box[index];
    this.select(this.model.key(place), { focus: true, ...how });
  }

  /** Whether some box stands for several steps. */
  get folded() {
    return this.model.count < this.model.columns.strip.box.length;
  }

  /** Ask for the drawing again; what is selected stays selected, and in its place. */
  async reload() {
    if (!this.load) return;
    const kept = this.model.index(Math.max(0, this.stage.selected));
    if (!(await this.#redraw(this.opened, kept))) return;
    const place = this.model.columns.strip.box[kept];
    this.stage.choose(place);
    this.stage.rove(place);
  }

  async #unfolded(index) {
    const steps = this.model.columns.nodes.count[this.model.columns.strip.box[index]];
    const before = this.opened;
    this.opened = [...before, index];
    try {
      if (!(await this.#redraw(this.opened, index))) return;
    } catch (error) {
      this.opened = before;
      throw error;
    }
    this.status.textContent = `Unfolded ${steps} steps.`;
    this.#tell("unfold", { index, opened: this.opened });
  }

  // Whether it was drawn: a drawing that was asked for later goes before. The box of
  // one step stays where it is.
  async #redraw(opened, index) {
    this.turn = (this.turn ?? 0) + 1;
    const mine = this.turn;
    const columns = await this.load(opened);
    if (mine !== this.turn) return false;
    const [x0, y0] = this.model.position(this.model.columns.strip.box[index]);
    const { k, x, y } = this.stage.camera.transform;
    this.show(columns);
    const [x1, y1] = this.model.position(this.model.columns.strip.box[index]);
    this.stage.camera.to(k, x + (x0 - x1) * k, y + (y0 - y1) * k);
    this.stage.draw();
    return true;
  }

  #fromStrip(index) {
    const place = this.model.columns.strip.box[index];
    if (this.model.columns.nodes.count[place] > 1) this.#open(index);
    else this.select(this.model.key(place), { center: true });
  }

  // Where all is in sight, nothing is marked.
  #looked(places) {
    const { box } = this.model.columns.strip;
    const seen = new Set(places.length < this.model.count ? places : []);
    this.strip?.look(() => [...box.keys()].filter((index) => seen.has(box[index])));
  }

  #describe(index) {
    const place = this.model.columns.strip.box[index];
    const node = this.model.node(place);
    const words = label(node, [], this.model.constants);
    return node.count > 1 ? `step ${index}, in ${words}` : words;
  }

  async exportSVG() {
    return toSvg(this.model, this.options.prefix);
  }

  async exportPNG() {
    return toPng(this.model, this.element);
  }

  async save(kind, name) {
    download(await (kind === "png" ? this.exportPNG() : this.exportSVG()), name);
  }

  on(name, handler) {
    if (!this.handlers.has(name)) this.handlers.set(name, new Set());
    this.handlers.get(name).add(handler);
    return () => this.handlers.get(name).delete(handler);
  }

  keys() {
    return [...this.model.columns.nodes.key];
  }

  destroy() {
    this.stage.destroy();
    this.strip?.destroy();
  }
}

function loader({ url, load }) {
  if (load) return load;
  if (!url) return null;
  return async (opened) => {
    const address = new URL(url, document.baseURI);
    if (opened.length) address.searchParams.set("opened", opened.join(","));
    const answer = await fetch(address, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(`The graph could not be loaded (${answer.status}).`);
    return answer.json();
  };
}

/** Make a graph live; resolves to its handle, or to null where there is no data. */
export async function mountGraph(element, given = {}) {
  const { url, json, link = "?step=", strip, prefix = "n" } = element.dataset;
  const options = { url, link, strip, prefix, ...given };
  const load = loader(options);
  const inline = json ? document.getElementById(json) : null;
  const columns =
    options.data ?? (inline ? JSON.parse(inline.textContent) : load ? await load([...(options.opened ?? [])]) : null);
  if (!columns?.nodes?.key?.length) return null;
  const view = new GraphView(element, options, load);
  view.show(columns);
  view.begin(options.selected);
  return view;
}
