/** Sends the proof that a request runs, again and again. A caller does not rely on each one, so failures do not matter. */
function beat(call«: any», send«: any»)«: void» {
  const { setTimeout }«: any» = globalThis;
  const interval = +call.envelope.headers?.["capgen-heartbeat-ms"];
  if (!send || !interval || call.envelope.kind !== "request") return;
  const next = (wait«: number») => {
    call.heartbeat = setTimeout(async () => {
      try {
        const text = await call.write({ "capgen-frame": "working" }, null);
        if (!call.hasEnded) await send(text);
      } catch {}
      if (!call.hasEnded) next(interval);
    }, wait);
  };
  next(call.now + interval - Date.now());
}
