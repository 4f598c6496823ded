/**
 * An error whose texts are valid in all languages: halves of characters, which others refuse in JSON, are replaced. Its texts may be
 * parts of the request, or anything that a program throws. Its details are unchanged, because only the program knows their meaning.
 */
function wellFormed({ details, ...error }«: any»)«: any» {
  const replaced = (_«: string», value«: unknown») => (typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\uFFFD") : value);
  return defined({ ...JSON.parse(JSON.stringify(error, replaced)), details });
}
