/** `full-date` of RFC 3339 section 5.6. */
function isDate(text«: any»)«: boolean» {
  return typeof text === "string" && isDateTime(`${text}T00:00:00Z`);
}
