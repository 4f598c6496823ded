/** `URI` of RFC 3986. */
function formatUri(text«: string»)«: boolean» {
  return /^[^/?#]*:/.test(text) && formatUriReference(text);
}
