/** The JSON of a value that a program gives to a message. Throws an error that states that nothing was sent if it has none. */
function jsonOf(value«: unknown»)«: string» {
  try {
    return JSON.stringify(value);
  } catch {
    // Such as a `bigint`, or an object that contains itself.
    throw Object.assign(new Error("a value of the message is not JSON"), { code: "EAGENTRPC_INVALID_ENVELOPE", effect: "none" });
  }
}
