/** The answer to a request whose handler did not start. */
function refusedWith(code«: string», message«: string», more«?: any»)«: any» {
  return failedWith(code, message, { effect: "none", ...more });
}
