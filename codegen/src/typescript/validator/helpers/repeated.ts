/** The indexes of the first two items that are equal. */
function repeated(items«: readonly unknown[]»)«: [number, number] | undefined» {
  if (new Set(items).size === items.length && !items.some((item) => typeof item === "object")) return undefined;
  const seen = new Map«<string, number>»();
  for (const [index, item] of items.entries()) {
    const text = canonical(item);
    const first = seen.get(text);
    if (first !== undefined) return [first, index];
    seen.set(text, index);
  }
  return undefined;
}
