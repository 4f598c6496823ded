/** `URI-reference` of RFC 3986. */
function isUriReference(text«: any»)«: boolean» {
  if (typeof text !== "string" || /%(?![\da-f]{2})/i.test(text) || !uriReferenceForm.test(text)) return false;
  const address = /\[([^v\]]*)/i.exec(text)?.[1];
  return !address || isIpv6(address, 7, /:(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])(?:\.(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])){3}$/);
}
