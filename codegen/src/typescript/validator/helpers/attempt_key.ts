/** The idempotency key of the attempts of a call with a request: the id of the call for the first one, and a new id for each other one. */
function attemptKey({ keys, correlationId }«: any», request«: unknown»)«: string» {
  // A provider refuses a key that was used for another request.
  const text = jsonOf(request);
  if (!keys.has(text)) keys.set(text, keys.size === 0 ? correlationId : freshId());
  return keys.get(text);
}
