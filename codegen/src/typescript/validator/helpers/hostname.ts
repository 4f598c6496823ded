/** RFC 1123 section 2.1. */
function isHostname(text«: any»)«: boolean» {
  return typeof text === "string" && text.length <= 253 && hostnameForm.test(text);
}
