// Pan and zoom: drag or wheel moves, Ctrl and wheel or pinch zooms.
import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";

const SMALLEST = 0.002;
const LARGEST = 3;
const READABLE = 0.85;
const MARGIN = 24;
const LEEWAY = 160;

export class Camera {
  /**
   * @param {SVGSVGElement} svg what listens
   * @param {(transform: {k: number, x: number, y: number}) => void} changed
   */
  constructor(svg, changed) {
    this.svg = svg;
    this.transform = zoomIdentity;
    this.size = [1, 1];
    this.selection = select(svg);
    this.zoom = zoom()
      .scaleExtent([SMALLEST, LARGEST])
      .extent(() => [[0, 0], this.screen()])
      .filter((event) => !event.button && (event.type !== "wheel" || event.ctrlKey || event.metaKey))
      .on("zoom", ({ transform }) => {
        this.transform = transform;
        changed(transform);
      });
    this.selection.call(this.zoom).on("dblclick.zoom", null);
    svg.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  screen() {
    return [this.svg.clientWidth || 1, this.svg.clientHeight || 1];
  }

  /** The size of the drawing bounds how far one can move. */
  bound([width, height]) {
    this.size = [width, height];
    this.zoom.translateExtent([[-LEEWAY, -LEEWAY], [width + LEEWAY, height + LEEWAY]]);
  }

  #wheel(event) {
    if (event.ctrlKey || event.metaKey) return;
    const line = event.deltaMode === 1 ? 16 : 1;
    const { k, x, y } = this.transform;
    const [dx, dy] = event.shiftKey && !event.deltaX ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
    this.pan(-dx * line, -dy * line);
    // Where the drawing ends, the page may scroll.
    if (this.transform.k !== k || this.transform.x !== x || this.transform.y !== y) event.preventDefault();
  }

  pan(dx, dy) {
    const { k } = this.transform;
    this.selection.call(this.zoom.translateBy, dx / k, dy / k);
  }

  by(factor) {
    this.selection.call(this.zoom.scaleBy, factor);
  }

  to(k, x, y) {
    this.selection.call(this.zoom.transform, zoomIdentity.translate(x, y).scale(k));
  }

  /** The whole drawing, at most at its own size. */
  fit() {
    const [width, height] = this.screen();
    const room = 2 * MARGIN;
    const k = Math.min(1, (width - room) / this.size[0], (height - room) / this.size[1]);
    this.to(k, (width - this.size[0] * k) / 2, (height - this.size[1] * k) / 2);
  }

  /** First sight: all of it where that is readable, else the top at its own size. */
  start() {
    const [width, height] = this.screen();
    const room = 2 * MARGIN;
    if (Math.min((width - room) / this.size[0], (height - room) / this.size[1]) >= READABLE) this.fit();
    else this.center(0, 0, Math.max(READABLE, Math.min(1, (width - room) / this.size[0])));
  }

  /** Bring a point into the middle, or as near as the drawing reaches. */
  center(x, y, k = Math.max(this.transform.k, READABLE)) {
    const [width, height] = this.screen();
    const place = (at, end, side) => {
      if (side * k <= end - 2 * MARGIN) return (end - side * k) / 2;
      return Math.min(MARGIN, Math.max(end - MARGIN - side * k, end / 2 - at * k));
    };
    this.to(k, place(x, width, this.size[0]), place(y, height, this.size[1]));
  }

  /** Move as little as needed to show the rectangle. */
  reveal(x, y, width, height) {
    const { k, x: tx, y: ty } = this.transform;
    const [w, h] = this.screen();
    const shift = (low, high, end) => {
      if (high - low > end - 2 * MARGIN || low < MARGIN) return MARGIN - low;
      return high > end - MARGIN ? end - MARGIN - high : 0;
    };
    const dx = shift(x * k + tx, (x + width) * k + tx, w);
    const dy = shift(y * k + ty, (y + height) * k + ty, h);
    if (dx || dy) this.pan(dx, dy);
  }

  /** What is visible, in units of the drawing, with a margin in pixels. */
  view(margin = 0) {
    const { k, x, y } = this.transform;
    const [width, height] = this.screen();
    return [(-x - margin) / k, (-y - margin) / k, (width - x + margin) / k, (height - y + margin) / k];
  }

  /** A point of the screen in units of the drawing. */
  point(event) {
    const { left, top } = this.svg.getBoundingClientRect();
    return this.transform.invert([event.clientX - left, event.clientY - top]);
  }
}
