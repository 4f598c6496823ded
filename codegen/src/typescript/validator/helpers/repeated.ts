/** The first two items that are equal, by their indexes. */
function repeated(items«: readonly Json[]»)«: readonly [number, number] | undefined» {
  if (items.length < 2) return undefined;
  const scalars = new Map«<Json, number>»();
  const others = new Map«<string, number>»();
  for (const [index, item] of items.entries()) {
    const isScalar = typeof item !== "object" || item === null;
    const text = isScalar ? "" : canonical(item);
    const first = isScalar ? scalars.get(item) : others.get(text);
    if (first !== undefined) return [first, index];
    if (isScalar) scalars.set(item, index);
    else others.set(text, index);
  }
  return undefined;
}
