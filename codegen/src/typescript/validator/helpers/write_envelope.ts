/** The text of an envelope, signed if there is a function for it. */
async function writeEnvelope(members«: any», sign«: any»)«: globalThis.Promise<string>» {
  const envelope = defined(members);
  const text = isEnvelope(envelope) && jsonOf(envelope);
  // `JSON.stringify` writes halves of characters as escapes, which other languages refuse. A backslash may itself be escaped.
  const half = /\\ud[89a-f](?<=(?<!\\)(?:\\\\)*\\ud.)/;
  const isHalved = text && envelope.kind === "response" && half.test(text) && half.test(JSON.stringify(envelope.payload));
  if (!text || isHalved) throw Object.assign(new Error("a property of the message is invalid"), { code: "EAGENTRPC_INVALID_ENVELOPE" });
  if (!sign) return text;
  // A function alone has a shared key. The start keeps signatures of an agent's key from being valid for another purpose.
  const { kind = "hmac" } = sign;
  const { keyId, signature } = await (kind === "ed25519" ? sign.sign(`capgen-envelope-v1\n${text}`) : sign(text));
  return `${text.slice(0, -1)},"auth":${JSON.stringify({ kind, keyId, signature })}}`;
}
