/** An object without the members that are `undefined`. */
function defined(object«: any»)«: any» {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
