// Opens the pages of a site in Chromium, from files, and reports everything that a reader would take for a defect.
//
// Standard input: { chromium, folder, screenshots? }. Standard output: { pages, problems, searchMs }.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

import { Browser } from "./chromium.mjs";

const job = JSON.parse(readFileSync(0, "utf8"));
const problems = [];

/** The pages below the folder. */
function pages(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".html"));
  return files.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort();
}

/** Runs in a page: wide elements, dead anchors, missing names. */
function inspect() {
  const found = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) {
    const wide = [...document.querySelectorAll("main *, header *")].find((e) => e.getBoundingClientRect().right > width + 1);
    found.push(`wider than the window: <${wide?.tagName} class="${wide?.className}"> ${wide?.textContent.slice(0, 60)}`);
  }
  for (const link of document.querySelectorAll("a[href^='#']")) {
    if (!document.getElementById(decodeURIComponent(link.getAttribute("href").slice(1)))) found.push(`dead anchor ${link.href}`);
  }
  for (const field of document.querySelectorAll("input, button, svg, nav, [role=listbox], [role=group]")) {
    const name = field.getAttribute("aria-label") || field.textContent.trim();
    if (!name) found.push(`no name: ${field.outerHTML.slice(0, 80)}`);
  }
  let level = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) found.push(`heading ${heading.textContent} skips a level`);
    level = next;
  }
  return { found, links: [...document.querySelectorAll("a[href]:not([rel=noreferrer])")].map((link) => link.href) };
}

/** Runs in a page: the contrast of each text with its background, by WCAG 2. */
function contrast() {
  const parse = (color) => {
    const [r, g, b, a = 1] = color.match(/[\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const luminance = ({ r, g, b }) => {
    const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const background = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color.a === 1) return color;
    }
    return { r: 255, g: 255, b: 255 };
  };
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || element.closest("svg, script") || !element.checkVisibility()) continue;
    const [a, b] = [luminance(parse(getComputedStyle(element).color)), luminance(background(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.add(`contrast ${ratio.toFixed(2)} of "${node.textContent.trim().slice(0, 30)}"`);
  }
  return [...found];
}

const browser = new Browser(job.chromium);
const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" });
const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
const send = (method, params) => browser.send(method, params, sessionId);
let current = "";
let loaded = () => {};
browser.listeners.add(({ method, params }) => {
  const report = (text) => problems.push(`${current}: ${text}`);
  if (method === "Page.loadEventFired") loaded();
  if (method === "Runtime.exceptionThrown") report(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
  if (method === "Runtime.consoleAPICalled") report(`console: ${params.args.map((arg) => arg.value).join(" ")}`);
  if (method === "Log.entryAdded") report(`log: ${params.entry.text}`);
  if (method === "Network.requestWillBeSent" && !/^(file|data):/.test(params.request.url)) report(`requests ${params.request.url}`);
});
for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(`${domain}.enable`);

async function evaluate(expression) {
  const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
}

async function open(url, theme, width) {
  const features = [{ name: "prefers-color-scheme", value: theme }];
  await send("Emulation.setEmulatedMedia", { features });
  await send("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: width < 500 });
  const isLoaded = new Promise((resolve) => { loaded = resolve; });
  await send("Page.navigate", { url });
  await isLoaded;
}

const files = pages(job.folder);
const anchors = new Map();
const links = [];
for (const file of files) {
  const url = pathToFileURL(file).href;
  for (const [width, theme] of [[390, "light"], [390, "dark"], [1280, "light"], [1280, "dark"]]) {
    current = `${relative(job.folder, file)} (${theme}, ${width})`;
    await open(url, theme, width);
    const result = await evaluate(`(${inspect})()`);
    problems.push(...[...result.found, ...(await evaluate(`(${contrast})()`))].map((text) => `${current}: ${text}`));
    if (width === 1280 && theme === "light") {
      anchors.set(url, new Set(await evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")));
      links.push(...result.links.map((link) => ({ from: current, link })));
    }
    if (job.screenshots) {
      const { cssContentSize } = await send("Page.getLayoutMetrics");
      const clip = { x: 0, y: 0, width, height: Math.min(cssContentSize.height, 6000), scale: 1 };
      const { data } = await send("Page.captureScreenshot", { clip, captureBeyondViewport: true });
      const name = `${relative(job.folder, file).replaceAll(/[/\\]/g, "_")}-${theme}-${width}.png`;
      writeFileSync(join(job.screenshots, name), Buffer.from(data, "base64"));
    }
  }
}
for (const { from, link } of links) {
  const [url, anchor] = link.split("#");
  if (!anchors.has(url)) problems.push(`${from}: dead link ${link}`);
  else if (anchor && !anchors.get(url).has(decodeURIComponent(anchor))) problems.push(`${from}: dead anchor ${link}`);
}

// The search: type a query, and take the first result with the keyboard.
current = "search";
await open(pathToFileURL(files[0]).href, "light", 1280);
const search = await evaluate(`(async () => {
  const input = document.getElementById("search");
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true }));
  if (document.activeElement !== input) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true }));
  const isFocused = document.activeElement === input;
  const type = (text) => { input.value = text; input.dispatchEvent(new Event("input")); };
  type(${JSON.stringify(job.query ?? "a")});
  for (let i = 0; i < 200 && document.getElementById("results").children.length === 0; i += 1) await new Promise((r) => setTimeout(r, 20));
  const times = [];
  for (const text of ["a", "re", "property", "amount id", "zzzz", ${JSON.stringify(job.query ?? "a")}]) {
    const start = performance.now();
    type(text);
    times.push(performance.now() - start);
  }
  const results = [...document.getElementById("results").children].map((link) => link.href);
  return { isFocused, results, ms: Math.max(...times), expanded: input.getAttribute("aria-expanded") };
})()`);
if (!search.isFocused) problems.push("search: `/` does not focus the field");
if (search.results.length === 0 || search.expanded !== "true") problems.push("search: no results");
for (const link of search.results) {
  const [url, anchor] = link.split("#");
  if (!anchors.get(url) || (anchor && !anchors.get(url).has(decodeURIComponent(anchor)))) problems.push(`search: dead link ${link}`);
}
if (job.screenshots) {
  const { data } = await send("Page.captureScreenshot", {});
  writeFileSync(join(job.screenshots, "search.png"), Buffer.from(data, "base64"));
}
await evaluate(`document.getElementById("theme").click()`);
const theme = await evaluate(`document.documentElement.getAttribute("data-theme")`);
if (theme !== "light") problems.push(`theme: the first click gives ${theme}`);

await browser.close();
process.stdout.write(JSON.stringify({ pages: files.length, problems, searchMs: search.ms, results: search.results.length }));
