/** The answer to every request that is denied: it shows neither why, nor whether the capability exists. */
function forbidden()«: any» {
  return refusedWith("EAGENTRPC_FORBIDDEN", "the caller may not call this capability");
}
