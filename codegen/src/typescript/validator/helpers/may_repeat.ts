/** Whether a request for a capability that may have run can be sent again, without a further effect. */
function mayRepeat({ idempotent, sideEffects }«: any»)«: boolean» {
  return idempotent === true || ["pure", "idempotent"].includes(sideEffects);
}
