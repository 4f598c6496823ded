/** `full-time` of RFC 3339 section 5.6. A leap second is the last second of a day in UTC. */
function isTime(text«: any»)«: boolean» {
  return typeof text === "string" && isDateTime(`1972-12-31T${text}`);
}
