const reference =
  /^(?:[a-z][a-z\d+.-]*:|(?![^/?#]*:))(?:\/\/(?:[\w.~!$&'()*+,;=:%-]*@)?(?:\[(?:[\da-f:.]+|v[\da-f]+\.[\w.~!$&'()*+,;=:-]+)\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?(?:\/[\w.~!$&'()*+,;=:@%-]*)*|\/?(?:[\w.~!$&'()*+,;=:@%-]+(?:\/[\w.~!$&'()*+,;=:@%-]*)*)?)(?:\?[\w.~!$&'()*+,;=:@%/?-]*)?(?:#[\w.~!$&'()*+,;=:@%/?-]*)?$/i;
const lastGroups = /:(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])(?:\.(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])){3}$/;

/** `URI-reference` of RFC 3986. */
function formatUriReference(text«: string»)«: boolean» {
  if (/%(?![\da-f]{2})/i.test(text) || !reference.test(text)) return false;
  const open = text.indexOf("[");
  if (open < 0 || /^v/i.test(text.slice(open + 1))) return true;
  return ipv6(text.slice(open + 1, text.indexOf("]")).replace(lastGroups, ":0:0"), 7);
}
