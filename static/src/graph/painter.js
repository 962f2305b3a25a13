// The drawing on a canvas: rectangles when zoomed far out, everything for PNG.
// Nothing is loaded as an image, so a strict img-src holds.
import { inkOn } from "./colours.js";
import { band, corners, cut, nameLine, outline, path, scoreText, shown, typeLine } from "./marks.js";

const DASHES = { data: [5, 3], handoff: [7, 3, 1.5, 3], order: [1.5, 3] };
const WIDTHS = { message: 0.8, order: 0.9 };
const LEAST = 1.2;

function line(context, model, place) {
  const [first, ...rest] = corners(model, place);
  context.moveTo(...first);
  for (const point of rest) context.lineTo(...point);
}

/**
 * Boxes as filled rectangles, for scales at which labels can't be read.
 * @param {CanvasRenderingContext2D} context transformed to the drawing
 * @param {{nodes: number[], edges: Iterable<number>}} visible
 * @param {{selected: number, lit: Set<number>|null, scale: number}} state
 */
export function paintFar(context, model, visible, colours, { selected, lit, scale }) {
  const [width, height] = model.constants.grid;
  const tall = Math.max(height, LEAST / scale);
  context.strokeStyle = colours.edge;
  context.lineWidth = Math.max(1, 0.6 / scale);
  context.beginPath();
  for (const place of visible.edges) line(context, model, place);
  context.stroke();
  context.strokeStyle = colours.path;
  context.lineWidth = Math.max(3.5, 2.5 / scale);
  context.beginPath();
  for (const place of visible.edges) if (model.pathEdges.has(place)) line(context, model, place);
  context.stroke();
  context.lineWidth = 1 / scale;
  for (const place of visible.nodes) {
    const node = model.node(place);
    const [x, y] = model.position(place);
    context.globalAlpha = lit && !lit.has(place) ? 0.45 : 1;
    const scored = shown(node) === "scored";
    context.fillStyle = scored ? colours.bands[band(node.score)] : colours.line;
    context.fillRect(x, y, width, tall);
    if (!scored) {
      context.strokeStyle = colours.edge;
      context.strokeRect(x, y, width, tall);
    }
    if (node.failed) {
      context.fillStyle = colours.ink;
      context.fillRect(x, y, width / 6, tall);
    }
    context.globalAlpha = 1;
    if (node.onPath || place === selected) mark(context, model, place, colours, scale, selected);
  }
}

function mark(context, model, place, colours, scale, selected) {
  const [width, height] = model.constants.grid;
  const [x, y] = model.position(place);
  context.strokeStyle = place === selected ? colours.focus : colours.path;
  context.lineWidth = Math.max(4, 2.5 / scale);
  context.strokeRect(x, y, width, Math.max(height, LEAST / scale));
  context.lineWidth = 1 / scale;
}

/** Everything, as the SVG shows it. */
export function paintAll(context, model, colours) {
  for (const lane of model.lanes.length > 1 ? model.lanes : []) paintLane(context, lane, colours);
  const places = Array.from(model.columns.edges.source.keys());
  places.sort((a, b) => Number(model.pathEdges.has(a)) - Number(model.pathEdges.has(b)));
  for (const place of places) paintEdge(context, model, place, colours);
  for (let place = 0; place < model.count; place += 1) paintNode(context, model, place, colours);
}

function text(context, words, x, y, font, colour, align = "start") {
  context.font = font;
  context.fillStyle = colour;
  context.textAlign = align;
  context.textBaseline = "middle";
  context.fillText(words, x, y);
}

function paintLane(context, [name, x, y, width, height, trunk], colours) {
  if (!trunk) {
    context.beginPath();
    context.roundRect(x, y, width, height, 6);
    context.fillStyle = colours.raised;
    context.fill();
    context.strokeStyle = colours.line;
    context.lineWidth = 1;
    context.stroke();
  }
  text(context, cut(name, 14), x + 7, y + 5, `600 9.5px ${colours.font}`, colours.quiet);
}

function paintEdge(context, model, place, colours) {
  const { kind, onPath } = model.edge(place);
  const points = corners(model, place);
  context.setLineDash(DASHES[kind] ?? []);
  context.lineWidth = onPath ? 3.5 : (WIDTHS[kind] ?? 1.25);
  context.strokeStyle = onPath ? colours.path : colours.edge;
  context.stroke(new Path2D(path(points, model.constants.corner)));
  context.setLineDash([]);
  const [x, y] = points.at(-1);
  context.fillStyle = context.strokeStyle;
  context.fill(new Path2D(`M${x - 2.6} ${y - 6.6}h5.2l-2.6 6.6Z`));
}

function paintNode(context, model, place, colours) {
  const node = model.node(place);
  const [x, y] = model.position(place);
  context.save();
  context.translate(x, y);
  paintBox(context, model.constants, node, colours);
  paintTexts(context, model.constants, node, colours);
  context.restore();
}

function paintBox(context, constants, node, colours) {
  const state = shown(node);
  const [body, badge] = outline(node, constants).map((d) => new Path2D(d));
  if (node.count > 1) {
    context.save();
    context.translate(4, 4);
    fillAndStroke(context, body, colours.paper, colours.border, 1);
    context.restore();
  }
  const quiet = state === "no_finding" || state === "boundary";
  context.setLineDash(state === "pending" ? [2, 3] : node.conformance === "ghost" ? [3, 4] : []);
  fillAndStroke(context, body, node.failed ? colours.wash : colours.paper, quiet ? colours.edge : colours.border, 1);
  context.setLineDash([]);
  if (state === "scored") {
    context.fillStyle = colours.bands[band(node.score)];
    context.fill(badge);
  } else if (state === "unscored") hatch(context, badge, constants, colours);
  if (node.failed || node.onPath) {
    context.setLineDash(node.failed && node.role !== "root" ? [6, 2.5] : []);
    context.lineWidth = node.onPath ? 3.5 : 2.5;
    context.strokeStyle = node.onPath ? colours.path : colours.ink;
    context.stroke(body);
    context.setLineDash([]);
  }
  if (node.failed) {
    const rim = node.onPath ? colours.path : colours.ink;
    fillAndStroke(context, new Path2D(constants.notch), colours.paper, rim, 2);
  }
}

function fillAndStroke(context, shape, fill, stroke, width) {
  context.fillStyle = fill;
  context.fill(shape);
  context.strokeStyle = stroke;
  context.lineWidth = width;
  context.stroke(shape);
}

function hatch(context, badge, constants, colours) {
  const [, height] = constants.grid;
  context.save();
  context.clip(badge);
  context.beginPath();
  for (let x = -height; x < constants.badge; x += 8.5) {
    context.moveTo(x, height);
    context.lineTo(x + height, 0);
  }
  context.strokeStyle = colours.quiet;
  context.lineWidth = 1.5;
  context.stroke();
  context.restore();
}

function paintTexts(context, constants, node, colours) {
  const [width, height] = constants.grid;
  const state = shown(node);
  const middle = constants.badge / 2;
  const start = state === "boundary" ? 12 : constants.badge + 6;
  const ink = state === "scored" ? inkOn(colours, band(node.score)) : colours.quiet;
  const small = `9.5px ${colours.font}`;
  if (state === "unscored") {
    context.fillStyle = colours.paper;
    context.fillRect(middle - 7, 11, 14, 18);
  }
  const size = state === "no_finding" ? 20 : 12.5;
  text(context, scoreText(node, constants), middle, node.failed ? 17 : 20, `600 ${size}px ${colours.font}`, ink, "center");
  if (node.failed) {
    context.fill(new Path2D(`M${middle - 4} 34h8l-4 -7Z`));
  }
  text(context, typeLine(node), start, 13, small, colours.quiet);
  text(context, node.count > 1 ? "+" : String(node.index), width - 12, 13, small, colours.quiet, "end");
  text(context, nameLine(node), start, height - 12, `12px ${colours.font}`, colours.ink);
  if (node.role === "root") {
    context.fillStyle = colours.ink;
    context.fillRect(constants.badge + 2, -8, 34, 14);
    text(context, "root", constants.badge + 19, -1, `600 10px ${colours.font}`, colours.paper, "center");
  }
}
