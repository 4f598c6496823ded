/** The same text for equal values, and different texts for different values. */
function canonical(value«: unknown»)«: string» {
  return JSON.stringify(value, (_, item) => {
    if (typeof item === "symbol" || typeof item === "bigint") return `${String(item)} `;
    if (!isDict(item)) return item;
    const names = Object.keys(item).filter((name) => item[name] !== undefined);
    return { _: names.sort().map((name) => [name, item[name]]) };
  });
}
