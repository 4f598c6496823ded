/** The answer to a request that failed. */
function failedWith(code«: string», message«: string», more«?: any»)«: any» {
  return { error: { code, message, ...more } };
}
