/** The object `~standard` of a side, by its `parse` function, if it has a schema, and the function that returns its JSON Schema. */
function standardSchema(parser«: any», schema«: any»)«: any» {
  const validate = (value«: any», options«: any») => (parser ? standard(parser, value, options) : { value });
  return { version: 1, vendor: "capgen", validate, jsonSchema: { input: schema, output: schema } };
}
