/** Why a header of the protocol is invalid in a request; `undefined` if all are valid. */
function invalidHeader(headers«: any»)«: any» {
  const numbers«: any» = { "capgen-timeout-ms": [1, 600_000], "capgen-attempt": [2, 4_294_967_295], "capgen-heartbeat-ms": [250, 30_000] };
  for (const [name, [least, most]] of Object.entries«<any>»(numbers)) {
    const number = headers[name];
    if (number !== undefined && !(/^[1-9]\d*$/.test(number) && number >= least && number <= most))
      return `the header \`${name}\` is invalid: it is not a number from ${least} to ${most}`;
  }
  if (![undefined, "refuse", "strict"].includes(headers["capgen-policy"]))
    return "the header `capgen-policy` is invalid: it is neither `refuse` nor `strict`";
}
