function equal(value«: Json», literal«: unknown»)«: boolean» {
  if (typeof literal !== "object" || literal === null) return value === literal;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(literal)) {
    return (
      Array.isArray(value) &&
      value.length === literal.length &&
      value.every((item, index) => equal(item, literal[index]))
    );
  }
  if (Array.isArray(value) || !plain(value)) return false;
  const names = Object.keys(literal);
  const dict = literal« as { readonly [name: string]: unknown }»;
  return (
    hasSize(value, names.length) &&
    names.every((name) => Object.hasOwn(value, name) && equal(value[name], dict[name]))
  );
}
