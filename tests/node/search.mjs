// Runs the search of a site without a browser.
//
// Standard input: { folder, queries }. Standard output: { entries, answers }: for each query, the kind, title and page of each result.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";

const { folder, queries } = JSON.parse(readFileSync(0, "utf8"));
const context = createContext({});
const run = (name) => runInContext(readFileSync(join(folder, "assets", name), "utf8"), context);
run("site.js");
let places = [];
context.capgenSearch = (agents) => { places = context.capgenFind.places(agents); };
run("search.js");
const answers = queries.map((query) => context.capgenFind.find(places, query).map(({ kind, title, page }) => [kind, title, page]));
process.stdout.write(JSON.stringify({ entries: places.length, answers }));
