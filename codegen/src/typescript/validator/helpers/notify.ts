/** Passes an error to the program. A function of the program that fails must not end a request without its answer. */
function notify(call«: any», error«: unknown»)«: void» {
  try {
    Promise.resolve(call.settings.onError?.(error, contextOf(call))).catch(() => undefined);
  } catch {}
}
