/** RFC 6901. */
function isJsonPointer(text«: any»)«: boolean» {
  return typeof text === "string" && /^(?:\/(?:[^~/]|~[01])*)*$/.test(text);
}
