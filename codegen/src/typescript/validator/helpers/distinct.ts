function distinct(items«: readonly Json[]»)«: boolean» {
  if (items.length > 8) return repeated(items) === undefined;
  for (let at = 1; at < items.length; at++) {
    const item = items[at];
    if (typeof item === "object" && item !== null) return repeated(items) === undefined;
    for (let before = 0; before < at; before++) if (items[before] === item) return false;
  }
  return true;
}
