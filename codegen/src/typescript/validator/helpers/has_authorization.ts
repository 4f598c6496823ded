/** Whether the options of a server decide who may call; otherwise, everyone may. */
function hasAuthorization({ authorize, grants, principals, tokens, withoutAuthorization }«: any»)«: boolean» {
  return Boolean(authorize || (withoutAuthorization !== true && (grants || principals || tokens)));
}
