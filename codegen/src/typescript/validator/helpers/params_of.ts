/** The parameters of a violation: the value of its keyword in the schema, or the name of a property, by the names that Ajv gives them. */
function paramsOf(keyword«: string», given«: any», redact«: any»)«: any» {
  switch (keyword) {
    case "type":
      return { type: given };
    case "enum":
      return { allowedValues: given };
    case "const":
      return { allowedValue: given };
    case "multipleOf":
      return { multipleOf: given[0] };
    case "pattern":
      return { pattern: given.source.replace(/\\\//g, "/") };
    case "format":
      return { format: given[0] };
    case "required":
      return { missingProperty: given };
    case "dependentRequired":
      return { property: given[1], missingProperty: given[0] };
    case "additionalProperties":
      return redact ? {} : { additionalProperty: given };
    default:
      return /^(m|exclusiveM)(ax|in)/.test(keyword) ? { limit: Number(given) } : {};
  }
}
