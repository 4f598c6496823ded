/** The result of a call whose message was not sent, or not answered: for an error of the transport. */
function failureOf(call«: any», error«: any»)«: any» {
  const { code, message = error, retryable, effect = code === "EAGENTRPC_NO_PEER" ? "none" : undefined }«: any» = error ?? {};
  const isKnown = `${code}`.startsWith("EAGENTRPC_");
  return call.failed(isKnown ? code : "EAGENTRPC_NO_TRANSPORT", `${message}`, { retryable: retryable ?? (isKnown ? undefined : true), effect });
}
