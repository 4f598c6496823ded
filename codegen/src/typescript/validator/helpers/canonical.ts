/** The same text for equal values, and for no others. A symbol is a number that no `number` equals, by its digits. */
function canonical(value«: unknown»)«: string» {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return decimal(value);
  if (typeof value === "symbol") return value.description ?? "";
  if (Array.isArray(value)) return `[${value.map((item«: unknown») => canonical(item)).join()}]`;
  if (typeof value !== "object" || value === null) return String(value);
  const dict = value« as { readonly [name: string]: unknown }»;
  const names = Object.keys(dict).filter((name) => dict[name] !== undefined).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(dict[name])}`).join()}}`;
}
