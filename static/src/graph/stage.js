// What is in the page: every box of a small drawing, of a large one only what the
// camera sees, and rectangles on a canvas where labels could not be read.
import { Camera } from "./camera.js";
import { coloursOf } from "./colours.js";
import { classes, clean, content, definitions, edgeMarkup, escape, label, laneMarkup, nodeMarkup } from "./marks.js";
import { paintFar } from "./painter.js";

/** Steps up to which the whole drawing is in the page: the server has drawn it. */
export const WHOLE = 400;
const FAR = 0.4;
const MOST_NODES = 150;
const MOST_EDGES = 240;
const MARGIN = 120;
const SVG = "http://www.w3.org/2000/svg";

export class Stage {
  /**
   * @param {HTMLElement} frame
   * @param {{prefix: string, link: string}} options
   */
  constructor(frame, options) {
    this.frame = frame;
    this.options = options;
    this.nodes = new Map();
    this.edges = new Map();
    this.selected = -1;
    this.current = 0;
    this.lit = null;
    this.far = false;
    frame.classList.add("g-frame", "g-live");
    this.canvas = document.createElement("canvas");
    this.canvas.className = "g-canvas";
    this.canvas.setAttribute("aria-hidden", "true");
    this.svg = frame.querySelector("svg.g-graph") ?? this.#empty();
    frame.prepend(this.canvas);
    for (const name of ["viewBox", "width", "height"]) this.svg.removeAttribute(name);
    this.camera = new Camera(this.svg, () => this.#schedule());
    this.observer = new ResizeObserver(() => this.#schedule());
    this.observer.observe(frame);
    this.themes = matchMedia("(prefers-color-scheme: dark)");
    this.themed = () => this.#recolour();
    this.themes.addEventListener("change", this.themed);
    this.watcher = new MutationObserver(this.themed);
    this.watcher.observe(document.documentElement, { attributeFilter: ["data-theme", "class"] });
  }

  #empty() {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", "g-graph");
    svg.setAttribute("role", "tree");
    svg.innerHTML =
      definitions(this.options.prefix) +
      '<g class="g-view" role="none"><g class="g-lanes" aria-hidden="true"></g>' +
      `<g class="g-edges" aria-hidden="true" marker-end="url(#${this.options.prefix}-arrow)"></g>` +
      '<g class="g-nodes" role="none"></g></g>';
    // What stood there instead of a drawing is not needed any more.
    this.frame.replaceChildren(svg);
    return svg;
  }

  /** Show a drawing; boxes that the server has drawn are kept as they are. */
  show(model) {
    const first = !this.model;
    this.model = model;
    [this.viewGroup, this.laneGroup, this.edgeGroup, this.nodeGroup] = ["view", "lanes", "edges", "nodes"].map(
      (name) => this.svg.querySelector(`.g-${name}`),
    );
    this.nodes.clear();
    this.edges.clear();
    this.whole = model.columns.strip.cells.length <= WHOLE;
    this.camera.bound(model.size);
    this.svg.setAttribute("aria-label", summary(model));
    if (!(first && this.whole && this.#adopt())) this.#replace();
    this.current = Math.min(this.current, model.count - 1);
    this.#schedule();
  }

  #adopt() {
    for (const element of this.nodeGroup.children) {
      const place = Number(element.dataset.i);
      this.nodes.set(place, element);
      if (element.getAttribute("tabindex") === "0") this.current = place;
      if (element.getAttribute("aria-selected")) this.selected = place;
    }
    for (const element of this.edgeGroup.children) {
      const place = this.model.edgeBetween(Number(element.dataset.s), Number(element.dataset.t));
      this.edges.set(place, element);
    }
    return this.nodes.size === this.model.count && this.edges.size === this.model.columns.edges.source.length;
  }

  #replace() {
    const { model } = this;
    this.nodes.clear();
    this.edges.clear();
    for (const group of [this.laneGroup, this.edgeGroup, this.nodeGroup]) group.replaceChildren();
    if (model.lanes.length > 1) this.laneGroup.innerHTML = model.lanes.map(laneMarkup).join("");
    if (!this.whole) return;
    const edges = Array.from(model.columns.edges.source.keys());
    edges.sort((a, b) => Number(model.pathEdges.has(a)) - Number(model.pathEdges.has(b)));
    this.#mount(this.edges, this.edgeGroup, edges, (place) => edgeMarkup(model, place));
    this.#mount(this.nodes, this.nodeGroup, Array.from({ length: model.count }, (_, i) => i), (place) =>
      this.#nodeMarkup(place),
    );
  }

  #nodeMarkup(place) {
    const chosen = place === this.selected ? ' aria-selected="true"' : "";
    const { link } = this.options;
    const key = encodeURIComponent(clean(this.model.key(place)));
    const href = link ? ` href="${escape(link + key)}"` : "";
    const tab = ` tabindex="${place === this.current ? 0 : -1}"`;
    return nodeMarkup(this.model, place, this.options.prefix, tab + chosen + href);
  }

  #mount(mounted, group, places, markup) {
    if (!places.length) return;
    const before = group.childElementCount;
    group.insertAdjacentHTML("beforeend", places.map(markup).join(""));
    places.forEach((place, k) => {
      const element = group.children[before + k];
      mounted.set(place, element);
      this.#light(mounted === this.nodes ? "node" : "edge", place, element);
    });
  }

  #schedule() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = undefined;
      this.draw();
    });
  }

  /** Bring the page in line with the camera, now. */
  draw() {
    if (!this.model) return;
    const { k, x, y } = this.camera.transform;
    this.viewGroup.setAttribute("transform", `translate(${x} ${y}) scale(${k})`);
    if (this.whole) {
      this.frame.classList.toggle("g-far", k < FAR);
      return;
    }
    const visible = this.#visible();
    this.options.looked?.(visible.nodes);
    this.far = k < FAR || visible.nodes.length > MOST_NODES || visible.edges.length > MOST_EDGES;
    this.frame.classList.toggle("g-painted", this.far);
    this.#want(this.far ? { nodes: [], edges: [] } : visible);
    this.#paint(this.far ? visible : null);
    this.#stickLanes();
  }

  #visible() {
    const [width, height] = this.model.constants.grid;
    const [x0, y0, x1, y1] = this.camera.view(MARGIN);
    const { nodes, edges } = this.model.between(y0, y1);
    const within = (place) => {
      const [x, y] = this.model.position(place);
      return x + width >= x0 && x <= x1 && y + height >= y0 && y <= y1;
    };
    const meets = (place) => {
      const { source, target, gutter } = this.model.edge(place);
      const [[ax, ay], [bx, by]] = [this.model.position(source), this.model.position(target)];
      const xs = [ax + width / 2, bx + width / 2, gutter ?? ax + width / 2];
      return ay <= y1 && by >= y0 && Math.min(...xs) <= x1 && Math.max(...xs) >= x0;
    };
    return { nodes: nodes.filter(within), edges: [...edges].filter(meets) };
  }

  #want({ nodes, edges }) {
    const focused = this.svg.contains(document.activeElement) ? this.current : -1;
    const wanted = new Set(nodes);
    for (const place of [this.selected, focused, this.current]) if (place >= 0) wanted.add(place);
    this.#exchange(this.nodes, this.nodeGroup, wanted, (place) => this.#nodeMarkup(place));
    this.#exchange(this.edges, this.edgeGroup, new Set(edges), (place) => edgeMarkup(this.model, place));
  }

  #exchange(mounted, group, wanted, markup) {
    for (const [place, element] of mounted) {
      if (!wanted.has(place)) {
        element.remove();
        mounted.delete(place);
      }
    }
    const missing = [...wanted].filter((place) => !mounted.has(place));
    if (mounted === this.edges) {
      missing.sort((a, b) => Number(this.model.pathEdges.has(a)) - Number(this.model.pathEdges.has(b)));
    }
    this.#mount(mounted, group, missing, markup);
  }

  #paint(visible) {
    const context = this.canvas.getContext("2d");
    const [width, height] = this.camera.screen();
    const ratio = devicePixelRatio || 1;
    const size = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== size[0] || this.canvas.height !== size[1]) {
      [this.canvas.width, this.canvas.height] = size;
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, ...size);
    if (!visible) return;
    this.colours ??= coloursOf(this.frame);
    const { k, x, y } = this.camera.transform;
    context.setTransform(ratio * k, 0, 0, ratio * k, ratio * x, ratio * y);
    const { selected, lit } = this;
    paintFar(context, this.model, visible, this.colours, { selected, lit: lit?.nodes ?? null, scale: k });
  }

  // The name of a tall lane stays in sight while its steps are.
  #stickLanes() {
    const [, y0] = this.camera.view();
    for (const [place, text] of [...this.laneGroup.querySelectorAll(".g-lane-name")].entries()) {
      const [, , y, , height] = this.model.lanes[place];
      text.setAttribute("y", Math.max(y + 5, Math.min(y0 + 10, y + height - 10)));
    }
  }

  #recolour() {
    this.colours = undefined;
    this.options.recoloured?.();
    this.#schedule();
  }

  /** Redraw a box whose data has changed, if it is in the page. */
  refresh(place) {
    const element = this.nodes.get(place);
    if (!element) return;
    const { model } = this;
    const node = model.node(place);
    element.setAttribute("class", classes(node, model.constants));
    const parents = model.parents[place].map((p) => model.index(p));
    element.setAttribute("aria-label", label(node, parents, model.constants));
    element.innerHTML = content(node, this.options.prefix, model.constants);
    this.#light("node", place, element);
  }

  /** Redraw which edges lie on the path; those on it lie on top. */
  refreshEdges() {
    for (const [place, element] of this.edges) {
      const on = this.model.pathEdges.has(place);
      if (element.classList.toggle("g-on", on)) this.edgeGroup.append(element);
    }
    if (!this.whole) this.#schedule();
  }

  /** Dim all but the given boxes and edges; null ends it. */
  light(lit) {
    this.lit = lit;
    this.frame.classList.toggle("g-dim", lit !== null);
    for (const [place, element] of this.nodes) this.#light("node", place, element);
    for (const [place, element] of this.edges) this.#light("edge", place, element);
    if (this.far) this.#schedule();
  }

  #light(kind, place, element) {
    const found = kind === "node" ? this.lit?.nodes : this.lit?.edges;
    element.classList.toggle("g-hl", found?.has(place) ?? false);
    if (kind === "node") element.classList.toggle("g-sel", place === this.selected);
  }

  /** Mark a box as selected, -1 for none. */
  choose(place) {
    const before = this.selected;
    this.selected = place;
    for (const each of [before, place]) {
      const element = this.nodes.get(each);
      if (!element) continue;
      if (each === place) element.setAttribute("aria-selected", "true");
      else element.removeAttribute("aria-selected");
      this.#light("node", each, element);
    }
    this.#schedule();
  }

  /** Make a box the one that Tab reaches; it stays in the page. */
  rove(place) {
    this.nodes.get(this.current)?.setAttribute("tabindex", "-1");
    this.current = place;
    if (!this.nodes.has(place)) this.#mount(this.nodes, this.nodeGroup, [place], (p) => this.#nodeMarkup(p));
    this.nodes.get(place).setAttribute("tabindex", "0");
  }

  /** Show a box, moving as little as needed, or in the middle. */
  reveal(place, center = false) {
    const [width, height] = this.model.constants.grid;
    const [x, y] = this.model.position(place);
    if (center) this.camera.center(x + width / 2, y + height / 2);
    else this.camera.reveal(x, y, width, height);
  }

  /** Box under a pointer event, undefined if there is none. */
  under(event) {
    const element = event.target.closest?.(".g-n");
    if (element) return Number(element.dataset.i);
    return this.far ? this.model.at(...this.camera.point(event)) : undefined;
  }

  /** Highlight the edges of one box, -1 for none. */
  hover(place) {
    for (const element of this.edgeGroup.querySelectorAll(".g-near")) element.classList.remove("g-near");
    if (place < 0) return;
    const { parents, kids } = this.model;
    const near = [
      ...parents[place].map((p) => this.model.edgeBetween(p, place)),
      ...kids[place].map((k) => this.model.edgeBetween(place, k)),
    ];
    for (const edge of near) this.edges.get(edge)?.classList.add("g-near");
  }

  destroy() {
    this.observer.disconnect();
    this.watcher.disconnect();
    this.themes.removeEventListener("change", this.themed);
  }
}

function summary(model) {
  const steps = model.columns.strip.cells.length;
  const failed = model.columns.strip.failed.length;
  const noun = steps === 1 ? "step" : "steps";
  return `Step graph: ${steps.toLocaleString("en-US")} ${noun}, ${failed.toLocaleString("en-US")} failed`;
}
