const mailbox =
  /^(?:[\w!#$%&'*+\-/=?^`{|}~]+(?:\.[\w!#$%&'*+\-/=?^`{|}~]+)*|"(?:[ !#-[\]-~]|\\[ -~])*")@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*|\[(?:(?:[01]?\d?\d|2[0-4]\d|25[0-5])(?:\.(?:[01]?\d?\d|2[0-4]\d|25[0-5])){3}|IPv6:[\da-f:.]+)\])$/i;
const octets = /:(?:[01]?\d?\d|2[0-4]\d|25[0-5])(?:\.(?:[01]?\d?\d|2[0-4]\d|25[0-5])){3}$/;

/** `Mailbox` of RFC 5321 section 4.1.2, in octets of ASCII. */
function formatEmail(text«: string»)«: boolean» {
  if (text.length > 254 || text.lastIndexOf("@") > 64 || !mailbox.test(text)) return false;
  const at = text.indexOf("@[", text.lastIndexOf("@"));
  return at < 0 || !/^ipv6:/i.test(text.slice(at + 2)) || ipv6(text.slice(at + 7, -1).replace(octets, ":0:0"), 6);
}
