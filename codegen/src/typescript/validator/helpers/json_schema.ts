/** A new copy of a schema, with its definitions, references and positions of arrays in the form of the target. */
function jsonSchema({ target }«: any», schema«: (references: string) => any», positions«?: any»)«: any» {
  const keyword = target === "draft-2020-12" ? "$defs" : target === "draft-07" ? "definitions" : undefined;
  if (!keyword) throw new Error(`the target ${target} is not supported; use draft-2020-12 or draft-07`);
  const [root, definitions] = schema(`#/${keyword}/`);
  const whole = definitions ? { ...root, [keyword]: definitions } : root;
  return positions && target === "draft-2020-12" ? positions(whole) : whole;
}
