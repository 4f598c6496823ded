/** A property whose name every object inherits. */
function own(value«: any», name«: string»)«: any» {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
