/** The result of a call whose message was not sent, or not answered: for an error of the transport. */
function failureOf(call«: any», error«: any»)«: any» {
  const { code, message = error, retryable, effect = code === "EAGENTRPC_NO_PEER" ? "none" : undefined }«: any» = error ?? {};
  const isKnown = typeof code === "string" && code.startsWith("EAGENTRPC_");
  // An object need not have a text.
  const text = Object(message) === message ? "the transport failed" : String(message);
  return call.failed(isKnown ? code : "EAGENTRPC_NO_TRANSPORT", text, { retryable: retryable ?? (isKnown ? undefined : true), effect });
}
