// The score strip: one cell a step, wrapped, failures and the path marked. It is a
// slider for the keyboard and for screen readers.
import { coloursOf } from "./colours.js";

const SIZES = [12, 10, 8, 6, 5, 4, 3];
const TALLEST = 64;
const STILL = 120;
const TINT = 0.35;

export class Strip {
  /**
   * @param {HTMLElement} host empty element the strip is put into
   * @param {(index: number) => void} chosen called with the index of a step
   * @param {(index: number) => string} describe a step in words
   */
  constructor(host, chosen, describe) {
    this.host = host;
    this.chosen = chosen;
    this.describe = describe;
    this.selected = -1;
    this.at = 0;
    host.classList.add("g-strip");
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "slider");
    this.canvas.setAttribute("aria-label", "Scores of all steps");
    host.replaceChildren(this.canvas);
    this.canvas.addEventListener("click", (event) => this.#click(event));
    this.canvas.addEventListener("keydown", (event) => this.#key(event));
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(host);
  }

  /** Show the steps of a drawing. */
  show(strip) {
    this.strip = strip;
    this.failed = new Set(strip.failed);
    this.path = new Set(strip.path);
    this.canvas.setAttribute("aria-valuemin", "0");
    this.canvas.setAttribute("aria-valuemax", String(strip.cells.length - 1));
    this.#say();
    this.draw();
  }

  /** Colours have changed. */
  recolour() {
    this.colours = undefined;
    this.draw();
  }

  /** Tint the cells of the steps in sight; waits until the drawing stands still. */
  look(indices) {
    clearTimeout(this.looking);
    this.looking = setTimeout(() => {
      this.seen = new Set(indices());
      this.host.dataset.seen = this.seen.size;
      this.draw();
    }, STILL);
  }

  select(index) {
    this.selected = index;
    if (index >= 0) this.at = index;
    this.#say();
    this.draw();
  }

  #say() {
    this.canvas.setAttribute("aria-valuenow", String(this.at));
    this.canvas.setAttribute("aria-valuetext", this.describe(this.at));
  }

  #measure() {
    const { paddingLeft, paddingRight } = getComputedStyle(this.host);
    const width = Math.max(12, this.host.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight));
    const count = this.strip.cells.length;
    const size = SIZES.find((s) => Math.ceil(count / Math.floor(width / s)) * s <= TALLEST) ?? SIZES.at(-1);
    const across = Math.max(1, Math.floor(width / size));
    return { size, across, rows: Math.ceil(count / across) };
  }

  draw() {
    if (!this.strip) return;
    this.colours ??= coloursOf(this.host);
    const { colours } = this;
    const { size, across, rows } = this.#measure();
    const ratio = devicePixelRatio || 1;
    this.canvas.width = across * size * ratio;
    this.canvas.height = (rows * size + 1) * ratio;
    this.canvas.style.width = `${across * size}px`;
    this.canvas.style.height = `${rows * size + 1}px`;
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    const gap = size > 5 ? 1 : 0;
    for (let i = 0; i < this.strip.cells.length; i += 1) {
      this.#cell(context, i, (i % across) * size, Math.floor(i / across) * size, size - gap, colours);
    }
    for (const i of [this.at, this.selected]) {
      if (i < 0 || (i === this.at && document.activeElement !== this.canvas)) continue;
      context.strokeStyle = i === this.selected ? colours.focus : colours.ink;
      context.lineWidth = 2;
      context.strokeRect((i % across) * size, Math.floor(i / across) * size, size - gap, size - gap);
    }
  }

  #cell(context, i, x, y, side, colours) {
    const band = Number(this.strip.cells[i]) || 0;
    context.fillStyle = band ? colours.bands[band] : colours.line;
    context.fillRect(x, y, side, side);
    if (this.failed.has(i)) {
      context.fillStyle = colours.ink;
      context.fillRect(x, y + side - Math.max(1, side / 3), side, Math.max(1, side / 3));
    }
    if (this.seen?.has(i)) {
      context.fillStyle = colours.focus;
      context.globalAlpha = TINT;
      context.fillRect(x, y, side, side);
      context.globalAlpha = 1;
    }
    if (this.path.has(i)) {
      context.fillStyle = colours.path;
      context.fillRect(x, y, side, Math.max(1, side / 3));
    }
  }

  #click(event) {
    const { size, across } = this.#measure();
    const column = Math.min(across - 1, Math.floor(event.offsetX / size));
    const index = Math.floor(event.offsetY / size) * across + column;
    if (index < this.strip.cells.length) this.chosen(index);
  }

  #key(event) {
    const { across } = this.#measure();
    const last = this.strip.cells.length - 1;
    const moves = {
      ArrowRight: this.at + 1,
      ArrowLeft: this.at - 1,
      ArrowDown: this.at + across,
      ArrowUp: this.at - across,
      PageDown: this.at + 10 * across,
      PageUp: this.at - 10 * across,
      Home: 0,
      End: last,
    };
    if (event.key === "Enter" || event.key === " ") this.chosen(this.at);
    else if (event.key in moves) this.at = Math.max(0, Math.min(last, moves[event.key]));
    else return;
    event.preventDefault();
    this.#say();
    this.draw();
  }

  destroy() {
    clearTimeout(this.looking);
    this.observer.disconnect();
  }
}
