// Reads columns from standard input, answers what the browser would draw.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const source = process.argv[2];
const load = (name) => import(pathToFileURL(`${source}/${name}`).href);
const { definitions, edgeMarkup, laneMarkup, nodeMarkup } = await load("marks.js");
const { Model } = await load("model.js");

const model = new Model(JSON.parse(readFileSync(0, "utf8")));
const nodes = Array.from({ length: model.count }, (_, place) => nodeMarkup(model, place, "n"));
const edges = Array.from(model.columns.edges.source.keys(), (place) => edgeMarkup(model, place));
process.stdout.write(JSON.stringify({ nodes, edges, lanes: model.lanes.map(laneMarkup), definitions: definitions("n") }));
