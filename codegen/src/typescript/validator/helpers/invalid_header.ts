/** Why the headers of a request are invalid; `undefined` if they are valid. */
function invalidHeader(headers«: any»)«: any» {
  // As many as providers in Rust accept, apart from the caller's contract.
  const { "capgen-descriptor": _, ...counted }«: any» = headers;
  const { length } = Object.keys(counted);
  if (length > 64) return `the request has ${length} headers; the limit is 64`;
  const { TextEncoder }«: any» = globalThis;
  const size = new TextEncoder().encode(Object.entries(counted).flat().join("")).length;
  if (size > 16_384) return `the headers of the request have ${size} bytes; the limit is 16384`;
  const numbers«: any» = { "capgen-timeout-ms": [1, 600_000], "capgen-attempt": [2, 4_294_967_295], "capgen-heartbeat-ms": [250, 30_000] };
  for (const [name, [least, most]] of Object.entries«<any>»(numbers)) {
    const number = headers[name];
    if (number !== undefined && !(/^[1-9]\d*$/.test(number) && number >= least && number <= most))
      return `the header \`${name}\` is invalid: it is not a number from ${least} to ${most}`;
  }
  if (![undefined, "refuse", "strict"].includes(headers["capgen-policy"]))
    return "the header `capgen-policy` is invalid: it is neither `refuse` nor `strict`";
}
