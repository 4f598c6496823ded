/**
 * The result of a call. A request that one instance of the agent refuses because of its contract is sent to others: during a deployment,
 * instances with several contracts answer in turns.
 */
async function requestAny(call«: any»)«: globalThis.Promise<any>» {
  const { capability, client } = call;
  const { settings, transport, peer } = client;
  const isRepeatable = mayRepeat(call.describe());
  peer.called();
  const triesOthers = settings.tryOtherInstances !== false;
  const ofContract = transport.at && capability.hash ? ["contract", capability.hash.slice(0, 32)] : undefined;
  // While instances differ, requests go first to those with this contract, and now and then one to any.
  const first = ofContract && triesOthers ? peer.first(capability.hash) : undefined;
  let result«: any» = await attemptsOf(call, isRepeatable, first === "ours" ? ofContract : undefined);
  /** Whether another request was sent, and has no answer yet. */
  let isWaiting = false;
  call.last = () => {
    if (!isWaiting) return result;
    // Its handler may have started.
    const { effect: _, ...error } = result.error;
    return { ...result, error };
  };
  if (first === "any" && result.status === "ok") peer.prefer(capability.hash, false);
  const again = async (address«?: string[]»)«: globalThis.Promise<any>» => {
    if (call.rest() < 1 || !peer.take()) return;
    isWaiting = true;
    const other = await requestOnce(call, { number: ++call.sent, address, key: isRepeatable ? call.key : undefined });
    isWaiting = false;
    return other;
  };
  const isRefused = ({ error }«: any») => error?.code === "EVERSION_SKEW" && error.effect === "none";
  if (!triesOthers) return result;
  if (result.schemaSide === "response" && result.error.skew && ofContract && isRepeatable) {
    const other = await again(ofContract);
    return other?.status === "ok" ? other : result;
  }
  if (!isRefused(result)) return result;
  // First an instance that serves this contract, and then four times any.
  for (let round = ofContract ? 0 : 1; round <= 4; round++) {
    if (round > 0) {
      const pause = pauseOf(call, result.error.retryAfterMs, round);
      await new Promise((resolve) => call.after(pause, () => resolve(undefined)));
    }
    const other = await again(round > 0 ? undefined : ofContract);
    if (!other) return result;
    if (round === 0 && other.error?.code === "EAGENTRPC_NO_PEER") {
      // Nothing was sent.
      peer.giveBack();
      call.sent--;
    } else if (round === 0 && other.status === "ok") {
      peer.prefer(capability.hash, true);
      return other;
    } else if (isRefused(other) || (other.error?.retryable && (isRepeatable || other.error.effect === "none"))) result = other;
    else return other;
  }
  return result;
}
