/** Whether a value has the members of an envelope, and no others. */
function isEnvelope(value«: any»)«: boolean» {
  const id = /^[^]{1,128}$/u;
  const uri = /^agent:\/\/[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
  const texts«: any» = {
    kind: /^(?:request|response|event|control)$/,
    messageId: id,
    correlationId: id,
    causedBy: id,
    from: uri,
    to: uri,
    capability: /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/,
    replyTo: /^(?=[^]{1,512}$)[a-z][a-z0-9]*:\/\/[^ ]+$/u,
    tenantId: /^[^]{1,256}$/u,
    keyId: id,
    signature: /^(?:[0-9a-f]{64}|[\w-]{86})$/,
  };
  const isText = (value«: unknown») => typeof value === "string";
  const others«: any» = {
    version: (value«: unknown») => value === 1,
    deadline: (value«: any») => Number.isSafeInteger(value) && value >= 0,
    headers: (value«: any») => isDict(value) && Object.values(value).every(isText),
    payload: (value«: unknown») => !["undefined", "function", "symbol"].includes(typeof value),
    auth: (value«: any») =>
      isDict(value) &&
      (value.kind === "internal"
        ? Object.keys(value).length === 1
        : (value.kind === "hmac" || value.kind === "ed25519") &&
          value.signature?.length === (value.kind === "hmac" ? 64 : 86) &&
          Object.keys(value).length === 3 && ["keyId", "signature"].every((name) => isMember([name, value[name]]))),
  };
  const has = (members«: any», name«: string»)«: boolean» => Object.prototype.hasOwnProperty.call(members, name);
  const isMember = ([name, value]«: any») =>
    has(texts, name) ? isText(value) && texts[name].test(value) : has(others, name) && others[name](value);
  return (
    isDict(value) &&
    ["version", "kind", "messageId", "correlationId", "from", "to", "capability", "payload"].every((name) => has(value, name)) &&
    !["keyId", "signature"].some((name) => has(value, name)) &&
    Object.entries(value).every(isMember)
  );
}
