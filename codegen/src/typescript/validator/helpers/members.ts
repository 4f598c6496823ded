function members(value«: Dict»)«: string[]» {
  return Object.keys(value).filter((name) => value[name] !== undefined);
}
