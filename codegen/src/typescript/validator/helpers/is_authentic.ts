/** Whether an envelope is signed, over its text as received without the signature. */
async function isAuthentic(text«: string», { auth }«: any», verify«: any»)«: globalThis.Promise<boolean>» {
  if (auth?.kind !== "hmac") return false;
  return verify(membersOf(text).unsigned, { keyId: auth.keyId, signature: auth.signature });
}
