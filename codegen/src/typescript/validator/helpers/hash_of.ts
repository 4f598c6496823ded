/** The SHA-256 hash of a text, with one character for each byte. */
async function hashOf(text«: string»)«: globalThis.Promise<string>» {
  const { crypto, TextEncoder }«: any» = globalThis;
  const bytes = new TextEncoder().encode(text);
  return String.fromCharCode(...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
