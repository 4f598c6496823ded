function isUuid(text«: any»)«: boolean» {
  return typeof text === "string" && uuidForm.test(text);
}
