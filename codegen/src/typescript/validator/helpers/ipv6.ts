/** `::` stands for one group or more, and leaves at most so many. */
function ipv6(text«: string», most«: number»)«: boolean» {
  if (!/^[\da-f]{0,4}(?::[\da-f]{0,4}){2,8}$/i.test(text)) return false;
  const count = text.split(":").filter(Boolean).length;
  const [head = "", tail, ...more] = text.split("::");
  const isWhole = (part«: string») => part === "" || !/^:|:$/.test(part);
  if (more.length > 0 || !isWhole(head) || !isWhole(tail ?? "")) return false;
  return tail === undefined ? count === 8 : count <= most;
}
