/** RFC 6570. */
function isUriTemplate(text«: any»)«: boolean» {
  return typeof text === "string" && uriTemplateForm.test(text);
}
