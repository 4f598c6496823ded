/** `URI-reference` of RFC 3986. */
function isUriReference(text«: any»)«: boolean» {
  if (typeof text !== "string" || !uriReferenceForm.test(text)) return false;
  const address = /\[([^v\]]*)/i.exec(text)?.[1];
  return !address || isIpv6(address, 7, /:(?:(?!0\d)[01]?\d?\d|2[0-4]\d|25[0-5])(?:\.(?:(?!0\d)[01]?\d?\d|2[0-4]\d|25[0-5])){3}$/);
}
