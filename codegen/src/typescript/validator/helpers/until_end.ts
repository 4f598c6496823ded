/**
 * The decision of a function of the program about a request; `undefined` if the request ends before. Rejects after some ms. A function
 * that never settles would otherwise take the place of another request for ever.
 */
async function untilEnd(decided«: any», ended«: any», mostMs«?: number»)«: globalThis.Promise<any>» {
  const { clearTimeout, setTimeout }«: any» = globalThis;
  let timer«: any»;
  const late = new Promise((_, reject) => {
    if (mostMs !== undefined) timer = setTimeout(() => reject(new Error(`no decision within ${mostMs} ms`)), mostMs);
  });
  try {
    return await Promise.race([decided, late, ended?.then(() => undefined) ?? late]);
  } finally {
    clearTimeout(timer);
  }
}
