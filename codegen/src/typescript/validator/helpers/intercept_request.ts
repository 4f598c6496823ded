/** The answer to a request through the interceptors of its server, the first of which is the outermost. */
async function interceptRequest(call«: any»)«: globalThis.Promise<any>» {
  const { interceptors } = call.settings;
  const context = contextOf(call);
  const ended = failedWith("EAGENTRPC_ABANDONED", "the request has ended");
  /** The errors that come from inside, which pass unchanged. */
  const errors = new WeakSet();
  /** The answers that are being made. */
  const running«: any» = new Set();
  const make = async ()«: globalThis.Promise<any>» => {
    if (call.signal.aborted) return (await call.interrupted) ?? ended;
    const made = (async () => (await answerCall(call)) ?? ended)();
    running.add(made);
    const leave = () => running.delete(made);
    made.then(leave, leave);
    return Promise.race([made, call.interrupted.then((answer«: any») => answer ?? ended)]);
  };
  const fail = (error«: any») => (errors.has(error) ? { error } : thrownFailure(call, error, "interceptor"));
  const intercept = async (index«: number»)«: globalThis.Promise<any>» => {
    try {
      const { response, error } = await interceptors[index]({ payload: call.parts.payload, context }, () => run(index + 1));
      // Without an answer from inside, no version was chosen yet.
      const { found = [call] } = call.describe ? {} : call.candidates(call.parts.headers?.["capgen-version"]);
      const { capability, describe } = found.find((each«: any») => !call.denied?.has(each.describe)) ?? found[0];
      Object.assign(call, { capability, describe });
      if (!error) return responseAnswer(call, response);
      // Its own error follows the rules of `fail`.
      call.failures.add(error);
      return fail(error);
    } catch (error) {
      return fail(error);
    }
  };
  const run = async (index«: number»)«: globalThis.Promise<any>» => {
    const { response, error } = await (index < interceptors.length ? intercept(index) : make());
    if (!error) return { response };
    errors.add(error);
    return { error };
  };
  const answer = await run(0);
  // A handler that goes on after an interceptor gave up keeps its place until it ends.
  if (running.size > 0) {
    call.interrupt(answer);
    await Promise.allSettled(running);
  }
  return answer;
}
