/** `dotted-quad` of RFC 2673 section 3.2. */
function isIpv4(text«: any»)«: boolean» {
  return typeof text === "string" && ipv4Form.test(text);
}
