/** Values by key, each until a time in Unix ms; those whose time has passed are passed to `forgotten`, at most some seconds later. */
function expiring(forgotten«: (value: any) => void» = () => {})«: any» {
  const values«: any» = new Map();
  /** The keys by the second in which their values end. */
  const ends«: any» = new Map();
  let lastSecond = 0;
  const remove = (key«: string») => {
    const { value } = values.get(key);
    values.delete(key);
    forgotten(value);
  };
  return {
    get: (key«: string», now«: number») => {
      const found = values.get(key);
      if (found && found.end >= now) return found.value;
      if (found) remove(key);
    },
    set: (key«: string», value«: unknown», end«: number») => {
      values.set(key, { value, end });
      if (end === Infinity) return;
      const second = Math.floor(end / 1000);
      const keys = ends.get(second);
      if (keys) keys.push(key);
      else ends.set(second, [key]);
    },
    delete: (key«: string») => void values.delete(key),
    /** The number of values, after it has forgotten those whose time has passed. */
    count: (now«: number») => {
      const second = Math.floor(now / 1000);
      // Not for every request, because there is one list for each second of several minutes.
      if (second !== lastSecond)
        for (const [end, keys] of ends) {
          if (end >= second) continue;
          ends.delete(end);
          for (const key of keys) if (values.get(key)?.end < now) remove(key);
        }
      lastSecond = second;
      return values.size;
    },
  };
}
