/** A property whose name every object inherits. */
function own(value«: Dict», name«: string»)«: Json» {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
