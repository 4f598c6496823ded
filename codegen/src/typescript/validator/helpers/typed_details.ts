/** The details of an error as its caller gets them, and whether the contract declares it. */
function typedDetails({ capability }«: any», code«: string», details«: unknown»)«: any» {
  // The details of a code that is not declared have no type, and those that violate their schema have another one.
  const declared = own(capability.errors ?? {}, code);
  const hasDetails = /^(?:EAGENTRPC_|EVERSION_SKEW$)/.test(code) || (details !== undefined && (declared?.details?.is(details) ?? false));
  return { declared: declared && (hasDetails || !declared.details) ? true : undefined, details: hasDetails ? details : undefined };
}
