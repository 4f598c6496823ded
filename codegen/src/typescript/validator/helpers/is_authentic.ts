/**
 * The proof of the sender of an envelope, by its signature over the text as received without it; `undefined` if it is not signed by the
 * sender. Anyone who has a shared key can state any sender; a key of an agent is only for messages of this one.
 */
async function isAuthentic(text«: string», { auth, from }«: any», verify«: any»)«: globalThis.Promise<any>» {
  const { kind, keyId, signature }«: any» = auth ?? {};
  const { unsigned } = membersOf(text);
  if (kind === "hmac") return (await verify(unsigned, { kind, keyId, signature })) ? { kind: "shared-key", keyId } : undefined;
  if (kind !== "ed25519") return;
  const owner = await verify(`capgen-envelope-v1\n${unsigned}`, { kind, keyId, signature });
  return typeof owner?.agent === "string" && from === `agent://${owner.agent}` ? { kind: "agent-key", keyId } : undefined;
}
