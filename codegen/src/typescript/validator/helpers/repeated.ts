/** The indexes of the first two items that are equal. */
function repeated(items«: readonly unknown[]»)«: [number, number] | undefined» {
  // Few items are compared in pairs, most of which differ in their first member.
  if (items.length <= 16) {
    for (let index = 1; index < items.length; index++)
      for (let first = 0; first < index; first++) if (same(items[first], items[index])) return [first, index];
    return undefined;
  }
  // The time for many items must not grow with the square of their number, so objects and arrays are found by their texts.
  const [values, texts] = [new Map«<unknown, number>»(), new Map«<unknown, number>»()];
  for (const [index, item] of items.entries()) {
    const isText = typeof item === "object" && item !== null;
    const [known, key] = isText ? [texts, canonical(item)] : [values, item];
    const first = known.get(key);
    if (first !== undefined) return [first, index];
    known.set(key, index);
  }
  return undefined;
}
