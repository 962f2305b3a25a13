// What a drawn step says and looks like: the same as traces/domain/layout/marks.py,
// svg.py and route.py, from which the constants come. A test compares the two.

const NAME_LENGTH = 22;
const MORE = 4;
const LANE_NAME_LENGTH = 14;
const WIDE = 0x1100;
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;
const SPACE = /[\t\n\r\u0085\u00a0\u2028\u2029\u3000\ufeff ]+/u;
const ENTITY = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };
const MORE_PARENTS = 6;

/** Foreign text without what XML forbids. */
export const clean = (text) => text.replace(FORBIDDEN, "\ufffd");

/** Escape text for an element or a quoted attribute. */
export const escape = (text) => clean(String(text)).replace(/[&<>"']/g, (c) => ENTITY[c]);

/** One line that fits into a node, with an ellipsis where it was cut. */
export function cut(text, room = NAME_LENGTH) {
  const start = clean([...text].slice(0, 4 * room).join(""));
  const line = start.split(SPACE).filter(Boolean).join(" ");
  const characters = [...line];
  let used = 0;
  for (const [place, character] of characters.entries()) {
    used += character.codePointAt(0) >= WIDE ? 2 : 1;
    if (used > room) return `${characters.slice(0, Math.max(0, place - 1)).join("")}…`;
  }
  return line;
}

/** Colour step of a score, 1 to 5; halves go up. */
export const band = (score) => Math.min(5, Math.max(1, Math.floor(score + 0.5)));

/** The state, but never scored without a score. */
export const shown = (node) =>
  node.state === "scored" && node.score === null ? "unscored" : node.state;

export function scoreText(node, constants) {
  if (shown(node) !== "scored") return constants.signs[shown(node)];
  return hundredths(node.score).replace(/0$/, "");
}

// Exact halves go to the even digit, as on the server.
function hundredths(score) {
  const hundreds = score * 100;
  const tie = Number.isInteger(score * 8) && hundreds % 1 === 0.5;
  return tie ? (2 * Math.round(hundreds / 2) / 100).toFixed(2) : score.toFixed(2);
}

export function typeLine(node) {
  if (node.fan) return cut(`${node.type} ×${node.count}`, 16);
  if (node.count > 1) return cut(node.agent || "folded", 16);
  return cut(node.type, 16);
}

const count = (number) => number.toLocaleString("en-US");

export function nameLine(node) {
  if (node.count > 1 && !node.fan) return `${count(node.count)} steps`;
  return cut(node.name, NAME_LENGTH + (shown(node) === "boundary" ? MORE : 0));
}

function what(node) {
  const agent = node.agent ? `, agent ${node.agent}` : "";
  const step = `step ${node.index}, ${node.type}, ${node.name}`;
  if (node.fan) return `${node.count} parallel calls from ${step}${agent}`;
  if (node.count > 1) return `${node.count} steps folded from step ${node.index}${agent}`;
  return step + agent;
}

function judged(node, constants) {
  if (shown(node) !== "scored") return [constants.stateWords[shown(node)]];
  const worst = node.count > 1 ? "worst score" : "score";
  const word = constants.scoreWords[band(node.score) - 1];
  const said = [`${worst} ${scoreText(node, constants)} of 5, ${word}`];
  if (node.failed) said.push(node.category ? `failed: ${node.category}` : "failed");
  return said;
}

/** The accessible name: everything the drawing says, in words. */
export function label(node, parents, constants) {
  const said = [what(node), ...judged(node, constants)];
  if (node.role === "root") said.push("root cause");
  else if (node.role === "propagated") said.push("failure passed on");
  if (node.onPath) {
    said.push(`on the path${node.pathStep ? ` ${node.pathStep} of ${node.pathLength}` : ""}`);
  }
  if (node.conformance) {
    const ghost = node.conformance === "ghost";
    said.push(ghost ? "expected but missing" : "not expected by the schema");
  }
  if (parents.length > 1) {
    const named = parents.slice(0, MORE_PARENTS).map((index) => `step ${index}`);
    if (parents.length > MORE_PARENTS) named.push(`${parents.length - MORE_PARENTS} more`);
    said.push(`depends on ${named.join(", ")}`);
  }
  return clean(said.join(", "));
}

/** CSS classes of a node, in a fixed order. */
export function classes(node, constants) {
  const known = node.type && node.type in constants.outlines;
  const found = ["g-n", known ? `g-${node.type.toLowerCase()}` : "g-other"];
  const state = shown(node);
  found.push(state === "scored" ? `g-s${band(node.score)}` : `g-${state.replace("_", "-")}`);
  const flags = {
    "g-failed": node.failed,
    "g-on": node.onPath,
    "g-root": node.role === "root",
    "g-propagated": node.role === "propagated",
    "g-fold": node.count > 1,
    "g-ghost": node.conformance === "ghost",
    "g-extra": node.conformance === "extra",
  };
  return [...found, ...Object.keys(flags).filter((name) => flags[name])].join(" ");
}

export const outline = (node, constants) => constants.outlines[node.type] ?? constants.outlines[""];

function texts(node, constants) {
  const [width, height] = constants.grid;
  const start = shown(node) === "boundary" ? 12 : constants.badge + 6;
  const middle = Math.floor(constants.badge / 2) + 1;
  const tag = constants.badge + 6;
  const name = nameLine(node);
  const whole = node.count > 1 && !node.fan;
  return [
    name !== node.name && !whole ? `<title>${escape(node.name)}</title>` : "",
    `<text class="g-score" x="${middle}" y="${node.failed ? 17 : 20}">`,
    `${scoreText(node, constants)}</text>`,
    node.failed ? `<path class="g-sign" d="M${middle - 4} 34h8l-4 -7Z"/>` : "",
    `<text class="g-type" x="${start}" y="13">${escape(typeLine(node))}</text>`,
    `<text class="g-at" x="${width - 12}" y="13">${node.count > 1 ? "+" : node.index}</text>`,
    `<text class="g-name" x="${start}" y="${height - 12}">${escape(name)}</text>`,
    node.role === "root" ? `<path class="g-tag" d="M${tag - 4} -8h34v14h-34Z"/>` : "",
    node.role === "root" ? `<text class="g-tag-text" x="${tag + 13}" y="-1">root</text>` : "",
  ].join("");
}

/** What is inside a node: outline, badge, texts and tags. */
export function content(node, prefix, constants) {
  const [body, badge] = outline(node, constants);
  const state = shown(node);
  const hatch = state === "unscored" ? ` fill="url(#${escape(prefix)}-hatch)"` : "";
  return [
    node.count > 1 ? `<path class="g-stack" d="${body}" transform="translate(4 4)"/>` : "",
    `<path class="g-body" d="${body}"/>`,
    state === "boundary" ? "" : `<path class="g-badge" d="${badge}"${hatch}/>`,
    node.failed || node.onPath ? `<path class="g-rim" d="${body}"/>` : "",
    node.failed ? `<path class="g-notch" d="${constants.notch}"/>` : "",
    texts(node, constants),
  ].join("");
}

/** One node as markup; `attributes` are what differs from visit to visit. */
export function nodeMarkup(model, place, prefix, attributes = "") {
  const node = model.node(place);
  const [x, y] = model.position(place);
  const parents = model.parents[place].map((p) => model.index(p));
  return (
    `<a class="${classes(node, model.constants)}" id="${escape(prefix)}-${escape(node.key)}"` +
    ` role="treeitem" aria-level="${model.row(place) + 1}"` +
    ` aria-label="${escape(label(node, parents, model.constants))}"${attributes}` +
    ` data-key="${escape(node.key)}" data-i="${place}" data-index="${node.index}"` +
    ` transform="translate(${x} ${y})">${content(node, prefix, model.constants)}</a>`
  );
}

/** One edge as markup. */
export function edgeMarkup(model, place) {
  const edge = model.edge(place);
  return (
    `<path class="g-e g-e-${edge.kind}${edge.onPath ? " g-on" : ""}" d="${path(corners(model, place), model.constants.corner)}"` +
    ` data-s="${edge.source}" data-t="${edge.target}"/>`
  );
}

/** Rectangle and name of an agent's lane. */
export function laneMarkup([name, x, y, width, height, trunk]) {
  const text = `<text class="g-lane-name" x="${x + 7}" y="${y + 5}">${escape(cut(name, LANE_NAME_LENGTH))}</text>`;
  if (trunk) return text;
  return `<rect class="g-lane" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>${text}`;
}

/** The arrow and the hatching. */
export function definitions(prefix) {
  const name = escape(prefix);
  return (
    `<defs><marker id="${name}-arrow" viewBox="0 0 8 8" refX="7.5" refY="4"` +
    ' markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto">' +
    '<path class="g-arrow" d="M0 1L8 4L0 7Z"/></marker>' +
    `<pattern id="${name}-hatch" width="6" height="6" patternUnits="userSpaceOnUse"` +
    ' patternTransform="rotate(45)"><path class="g-hatch" d="M0 0V6"/></pattern></defs>'
  );
}

/** Corners of an edge from start to end, none twice. */
export function corners(model, place) {
  const [width, height] = model.constants.grid;
  const { source, target, upper, gutter, lower, door } = model.edge(place);
  const [sx, sy] = model.position(source);
  const [tx, ty] = model.position(target);
  const x1 = sx + width / 2;
  const x2 = tx + width / 2 + door;
  const found = [[x1, sy + height]];
  if (gutter !== null) found.push([x1, upper], [gutter, upper], [gutter, lower], [x2, lower]);
  else if (upper !== null) found.push([x1, upper], [x2, upper]);
  found.push([x2, ty]);
  return found.filter(([x, y], k) => !k || x !== found[k - 1][0] || y !== found[k - 1][1]);
}

const number = (value) => String(Math.round(value * 10) / 10);
const distance = (a, b) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]);
const to = (start, end) => (start[0] === end[0] ? `V${number(end[1])}` : `H${number(end[0])}`);

function towards(start, end, length) {
  if (start[0] === end[0]) return [start[0], start[1] + Math.sign(end[1] - start[1]) * length];
  return [start[0] + Math.sign(end[0] - start[0]) * length, start[1]];
}

/** SVG path data with round bends. */
export function path(points, corner) {
  const parts = [`M${number(points[0][0])} ${number(points[0][1])}`];
  for (let k = 1; k + 1 < points.length; k += 1) {
    const [before, bend, after] = [points[k - 1], points[k], points[k + 1]];
    const room = Math.floor(Math.min(distance(before, bend), distance(bend, after)) / 2);
    const radius = Math.min(corner, room);
    const leave = towards(bend, after, radius);
    parts.push(to(before, towards(bend, before, radius)));
    parts.push(`Q${number(bend[0])} ${number(bend[1])} ${number(leave[0])} ${number(leave[1])}`);
  }
  parts.push(to(points.at(-2), points.at(-1)));
  return parts.join("");
}
