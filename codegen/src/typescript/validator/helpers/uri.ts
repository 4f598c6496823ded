/** `URI` of RFC 3986. */
function isUri(text«: any»)«: boolean» {
  return isUriReference(text) && /^[^/?#]*:/.test(text);
}
