/** The versions and hashes of the contracts of the two sides of a call. */
function skewOf({ parts, versions, capability: { hash, version } }«: any», reason«: string»)«: any» {
  const { "capgen-version": callerVersion, "capgen-contract": callerContract } = parts.headers ?? {};
  return defined({ callerVersion, callerContract, providerVersion: version, providerContract: hash, served: versions ?? (version && [version]), reason });
}
