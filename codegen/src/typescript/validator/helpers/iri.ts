/** `IRI` of RFC 3987: a URI if its characters outside of ASCII are percent-encoded. A query also has private ones. */
function isIri(text«: any»)«: boolean» {
  return (
    typeof text === "string" &&
    isUri(
      text
        .replace(/^([^?#]*\?)([^#]*)/, (_, start«: string», query«: string») => start + query.replace(iriPrivate, "%41"))
        .replace(iriCharacter, "%41"),
    )
  );
}
