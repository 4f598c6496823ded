/** The own property of an object, for names such as `toString` that every object inherits. */
function own(value«: any», name«: string»)«: any» {
  return Object.prototype.hasOwnProperty.call(value, name) ? value[name] : undefined;
}
