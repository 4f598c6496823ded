function isShort(text«: string», most«: number»)«: boolean» {
  return text.length <= most || (text.length <= 2 * most && codePoints(text) <= most);
}
