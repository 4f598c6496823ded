/** A client: for each of the methods, with the name and the descriptor of its capability, a function that calls it. */
function clientOf(agent«: string», capabilities«: any», methods«: any», transport«: any», settings«: any», FailedError«: any»)«: any» {
  // A mistake in an option would otherwise make every call fail, with a message that does not name the option.
  const rule = "letters, digits, `.`, `_` and `-`, the first a letter or a digit, and at most 128 of them";
  if (typeof settings.from !== "string" || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(settings.from)) throw new TypeError(`\`from\` must be the id of an agent: ${rule}`);
  for (const option of ["timeoutMs", "maxInFlight"])
    if (settings[option] !== undefined && !(settings[option] >= 1)) throw new RangeError(`\`${option}\` must be a number of at least 1`);
  if (settings.interceptors?.some((each«: any») => typeof each !== "function")) throw new TypeError("`interceptors` must be functions");
  const [from, to] = [`agent://${settings.from}`, `agent://${agent}`];
  /** The calls that wait. */
  const open«: any» = new Set();
  /** For each signal that calls wait for, its listener, and the functions that this one calls. */
  const listeners«: any» = new WeakMap();
  /** Calls a function when a signal is aborted, and returns the function that prevents it. */
  const onAbort = (signal«: any», run«: () => void») => {
    // All calls have one listener, because Node warns about a signal that has more than ten.
    if (!listeners.has(signal)) {
      const runs«: any» = new Set();
      const listener = () => {
        for (const each of runs) each();
      };
      signal.addEventListener("abort", listener);
      listeners.set(signal, { runs, listener });
    }
    const { runs, listener } = listeners.get(signal);
    runs.add(run);
    return () => {
      if (!runs.delete(run) || runs.size > 0) return;
      signal.removeEventListener("abort", listener);
      listeners.delete(signal);
    };
  };
  const client = { from, to, capabilities, transport, settings, retry: retryOf(settings.retry), peer: peerOf(), open, onAbort };
  const method = (kind«: string», capability«: any») => (request«: unknown», options«: any») => callOf(client, kind, capability, request, options);
  const entries = Object.entries(methods).map(([name, entry]«: any») => {
    // A method without a capability is another name of a method.
    const capability = entry[0] ? entry : methods[entry[1]];
    const run = method("request", capability);
    const [, , CapabilityError = FailedError] = capability;
    const orThrow = async (request«: unknown», options«: any»)«: globalThis.Promise<any>» => {
      const result = await run(request, options);
      if (result.status !== "ok") throw new CapabilityError(result);
      return result.response;
    };
    return [name, Object.assign(run, { orThrow, publish: method("event", capability) })];
  });
  return Object.fromEntries(entries);
}
