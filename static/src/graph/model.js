// The columns the server sent (columnar.py), with look-ups and what-if changes.

import { band } from "./marks.js";

export const FLAG = { failed: 1, root: 2, propagated: 4, onPath: 8, fan: 16, ghost: 32, extra: 64 };
const BUCKET = 16;

/** The drawing as data: boxes and edges by place. */
export class Model {
  constructor(columns) {
    this.columns = columns;
    this.constants = columns.constants;
    this.size = columns.size;
    this.lanes = columns.lanes;
    this.count = columns.nodes.key.length;
    this.places = new Map(columns.nodes.key.map((key, place) => [key, place]));
    this.pathEdges = new Set(columns.edges.path);
    this.doors = new Map(columns.edges.door);
    this.cells = new Map(columns.nodes.row.map((row, i) => [this.#cell(columns.nodes.column[i], row), i]));
    this.#connect();
    this.#fill();
  }

  #cell(column, row) {
    return row * 1e6 + column;
  }

  #connect() {
    const { source, target } = this.columns.edges;
    this.parents = Array.from({ length: this.count }, () => []);
    this.kids = Array.from({ length: this.count }, () => []);
    this.edgePlaces = new Map();
    for (const [place, from] of source.entries()) {
      this.parents[target[place]].push(from);
      this.kids[from].push(target[place]);
      this.edgePlaces.set(from * this.count + target[place], place);
    }
  }

  // Rows in buckets of 16: what is visible is found without looking at the rest.
  #fill() {
    const { row } = this.columns.nodes;
    const { source, target } = this.columns.edges;
    const buckets = [];
    const into = (low, high, kind, place) => {
      for (let b = Math.floor(low / BUCKET); b <= Math.floor(high / BUCKET); b += 1) {
        (buckets[b] ??= { nodes: [], edges: [] })[kind].push(place);
      }
    };
    row.forEach((r, place) => into(r, r, "nodes", place));
    source.forEach((from, place) => into(row[from], row[target[place]], "edges", place));
    this.buckets = buckets;
  }

  get rowHeight() {
    const [, height, , gap] = this.constants.grid;
    return height + gap;
  }

  get pitch() {
    const [width, , gutter] = this.constants.grid;
    return width + gutter;
  }

  row(place) {
    return this.columns.nodes.row[place];
  }

  index(place) {
    return this.columns.nodes.index[place];
  }

  key(place) {
    return this.columns.nodes.key[place];
  }

  position(place) {
    const { column, row } = this.columns.nodes;
    return [column[place] * this.pitch, row[place] * this.rowHeight];
  }

  /** Everything about one box. */
  node(place) {
    const { words, nodes } = this.columns;
    const flags = nodes.flags[place];
    return {
      key: nodes.key[place],
      index: nodes.index[place],
      type: words[nodes.type[place]],
      name: words[nodes.name[place]],
      agent: words[nodes.agent[place]],
      category: words[nodes.category[place]],
      state: this.constants.states[nodes.state[place]],
      score: nodes.score[place],
      failed: Boolean(flags & FLAG.failed),
      role: flags & FLAG.root ? "root" : flags & FLAG.propagated ? "propagated" : null,
      onPath: Boolean(flags & FLAG.onPath),
      fan: Boolean(flags & FLAG.fan),
      conformance: flags & FLAG.ghost ? "ghost" : flags & FLAG.extra ? "extra" : "",
      count: nodes.count[place],
      pathStep: nodes.step[place],
      pathLength: nodes.length[place],
    };
  }

  /** Everything about one edge. */
  edge(place) {
    const { edges } = this.columns;
    return {
      source: edges.source[place],
      target: edges.target[place],
      kind: this.constants.kinds[edges.kind[place]],
      upper: edges.upper[place],
      gutter: edges.gutter[place],
      lower: edges.lower[place],
      door: this.doors.get(place) ?? 0,
      onPath: this.pathEdges.has(place),
    };
  }

  /** Place of the edge between two boxes, undefined if there is none. */
  edgeBetween(source, target) {
    return this.edgePlaces.get(source * this.count + target);
  }

  /** Box at a point of the drawing, undefined if there is none. */
  at(x, y) {
    const [width, height] = this.constants.grid;
    const column = Math.floor(x / this.pitch);
    const row = Math.floor(y / this.rowHeight);
    const inside = x - column * this.pitch <= width && y - row * this.rowHeight <= height;
    return inside && x >= 0 ? this.cells.get(this.#cell(column, row)) : undefined;
  }

  /** Places of boxes and edges whose rows meet the rows from y0 to y1. */
  between(y0, y1) {
    const low = Math.max(0, Math.floor(y0 / this.rowHeight / BUCKET));
    const high = Math.min(this.buckets.length - 1, Math.floor(y1 / this.rowHeight / BUCKET));
    const nodes = [];
    const edges = new Set();
    for (let b = low; b <= high; b += 1) {
      nodes.push(...(this.buckets[b]?.nodes ?? []));
      for (const place of this.buckets[b]?.edges ?? []) edges.add(place);
    }
    return { nodes, edges };
  }

  /** All boxes above the given ones, and the edges between them. */
  ancestors(places) {
    const nodes = new Set(places);
    const edges = new Set();
    const waiting = [...places];
    while (waiting.length) {
      const place = waiting.pop();
      for (const parent of this.parents[place]) {
        edges.add(this.edgeBetween(parent, place));
        if (!nodes.has(parent)) waiting.push(parent);
        nodes.add(parent);
      }
    }
    return { nodes, edges };
  }

  /** Change what is known about one box; returns whether anything changed. */
  change(place, { score, state, failed, role, onPath, category, pathStep, pathLength }) {
    const { nodes } = this.columns;
    const known = state ?? (typeof score === "number" ? "scored" : undefined);
    const changed = [
      this.#set(nodes.score, place, score),
      this.#set(nodes.state, place, known && this.constants.states.indexOf(known)),
      this.#set(nodes.category, place, category === undefined ? undefined : this.#word(category)),
      this.#set(nodes.step, place, pathStep),
      this.#set(nodes.length, place, pathLength),
      this.#flag(place, FLAG.failed, failed),
      this.#flag(place, FLAG.onPath, onPath),
      this.#flag(place, FLAG.root, role === undefined ? undefined : role === "root"),
      this.#flag(place, FLAG.propagated, role === undefined ? undefined : role === "propagated"),
    ];
    return changed.includes(true);
  }

  #set(column, place, value) {
    if (value === undefined || column[place] === value) return false;
    column[place] = value;
    return true;
  }

  #flag(place, bit, value) {
    if (value === undefined) return false;
    const flags = this.columns.nodes.flags[place];
    return this.#set(this.columns.nodes.flags, place, value ? flags | bit : flags & ~bit);
  }

  #word(text) {
    const { words } = this.columns;
    this.numbers ??= new Map(words.map((word, number) => [word, number]));
    if (!this.numbers.has(text)) this.numbers.set(text, words.push(text) - 1);
    return this.numbers.get(text);
  }

  /** Bring the strip's cells in line with the boxes; folded steps keep theirs. */
  markStrip() {
    const { strip, nodes } = this.columns;
    const cells = [...strip.cells];
    const failed = new Set(strip.failed);
    const path = new Set(strip.path);
    const mark = (set, index, is) => (is ? set.add(index) : set.delete(index));
    for (let place = 0; place < this.count; place += 1) {
      if (nodes.count[place] > 1) continue;
      const index = nodes.index[place];
      const score = nodes.score[place];
      const letter = this.constants.strip[this.constants.states[nodes.state[place]]];
      cells[index] = letter ?? (score === null ? this.constants.strip.unscored : String(band(score)));
      mark(failed, index, nodes.flags[place] & FLAG.failed);
      mark(path, index, nodes.flags[place] & FLAG.onPath);
    }
    Object.assign(strip, { cells: cells.join(""), failed: [...failed], path: [...path] });
    return strip;
  }
}
