function assert(result«: Result<unknown>»)«: void» {
  if (result.ok) return;
  const [{ path, message }] = result.violations« as [Violation]»;
  throw Object.assign(new Error(`${path}: ${message}`), { violations: result.violations });
}
