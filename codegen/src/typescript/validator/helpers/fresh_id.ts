/** A random id. */
function freshId()«: string» {
  const { crypto }«: any» = globalThis;
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte«: any») => byte.toString(16).padStart(2, "0")).join("");
}
