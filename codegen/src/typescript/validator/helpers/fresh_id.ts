/** A random id. Browsers have `randomUUID`, which is faster, only on secure pages. */
function freshId()«: string» {
  const { crypto }«: any» = globalThis;
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte«: any») => byte.toString(16).padStart(2, "0")).join("");
}
