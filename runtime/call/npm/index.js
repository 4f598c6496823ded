// Spans and metrics of OpenTelemetry for generated clients and servers, as `runtime/call/src/otel.rs` has them for those in Rust. This file
// imports nothing: programs pass it their `@opentelemetry/api`.

/** The name of the library in spans and metrics. */
const SCOPE = "capgen";

/** The value of attributes instead of texts that a peer chose, as the conventions have it. */
const OTHER = "_OTHER";

/** The boundaries of histograms in s, as the conventions advise. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The codes of the protocol. A peer may send others that look like them. */
const CODES = new Set([
  "EAGENTRPC_TIMEOUT",
  "EAGENTRPC_ABANDONED",
  "EAGENTRPC_BUSY",
  "EAGENTRPC_NO_TRANSPORT",
  "EAGENTRPC_NO_PEER",
  "EAGENTRPC_NO_CAPABILITY",
  "EAGENTRPC_INVALID_ENVELOPE",
  "EAGENTRPC_AUTH_FAILED",
  "EAGENTRPC_FORBIDDEN",
  "EAGENTRPC_DEADLINE_EXCEEDED",
  "EAGENTRPC_TENANT_MISMATCH",
  "EAGENTRPC_SCHEMA_VIOLATION",
  "EVERSION_SKEW",
  "EAGENTRPC_KEY_REUSED",
  "EAGENTRPC_HANDLER_FAILED",
]);

/** `traceparent` of W3C Trace Context: version, trace, span, flags, and the parts that later versions may add. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** A context with the span of a `traceparent`; one that is invalid is ignored. */
function withRemote(api, context, text) {
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(text ?? "") ?? [];
  if (!version || (version === "00" && more)) return context;
  return api.trace.setSpanContext(context, { traceId, spanId, traceFlags: parseInt(flags, 16), isRemote: true });
}

/** The `traceparent` of a span; `undefined` if no provider makes spans. */
function traceparentOf(api, span) {
  const context = span.spanContext();
  if (!api.isSpanContextValid(context)) return;
  return `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, "0")}`;
}

/** For the name of each capability, the codes that the errors of its calls may have in spans and metrics. */
function codesOf(capabilities) {
  const codes = new Map();
  for (const [label, { errors = {} }] of Object.entries(capabilities)) {
    // Of several versions of a capability, each has a label of its own, and all have one name.
    const [name] = label.split("@");
    codes.set(name, new Set([...(codes.get(name) ?? CODES), ...Object.keys(errors)]));
  }
  return codes;
}

/**
 * Interceptors that record the calls of an agent: `client` is for the clients that call it, `server` for its servers. `api` is the package
 * `@opentelemetry/api`, with the providers that the program has set before. `capabilities` is the object of the generated code.
 */
export function tracing(api, { agent, capabilities }) {
  const codes = codesOf(capabilities);
  const tracer = api.trace.getTracer(SCOPE);
  const meter = api.metrics.getMeter(SCOPE);
  const whole = { valueType: api.ValueType.INT };
  const retries = meter.createCounter("capgen.client.retries", whole);
  const recorder = (kind, durationName, activeName) => {
    const duration = meter.createHistogram(durationName, { unit: "s", advice: { explicitBucketBoundaries: BOUNDARIES } });
    const active = meter.createUpDownCounter(activeName, whole);
    /** The result of `run` with a span, which is current while it runs. */
    return async (name, parent, run, retried) => {
      const known = codes.get(name);
      const method = known ? `${agent}/${name}` : OTHER;
      const attributes = { "rpc.system.name": SCOPE, "rpc.method": method };
      const span = tracer.startSpan(method, { kind, attributes }, parent);
      const start = performance.now();
      active.add(1, attributes);
      // Without a result, the call ended before.
      let result = { error: { code: "EAGENTRPC_ABANDONED" } };
      try {
        result = await api.context.with(api.trace.setSpan(parent, span), () => run(span));
        return result;
      } finally {
        const code = result.error?.code;
        const error = code === undefined ? {} : { "error.type": (known ?? CODES).has(code) ? code : OTHER };
        if (code !== undefined) span.setAttributes(error).setStatus({ code: api.SpanStatusCode.ERROR });
        span.end();
        active.add(-1, attributes);
        duration.record((performance.now() - start) / 1000, { ...attributes, ...error });
        const count = retried?.() ?? 0;
        if (count > 0) retries.add(count, attributes);
      }
    };
  };
  const calls = recorder(api.SpanKind.CLIENT, "rpc.client.call.duration", "capgen.client.active_calls");
  const requests = recorder(api.SpanKind.SERVER, "rpc.server.call.duration", "capgen.server.active_requests");
  return {
    client(call, next) {
      const current = api.context.active();
      const parent = api.trace.getSpan(current) ? current : withRemote(api, current, call.headers.traceparent);
      const before = call.retries();
      const run = (span) => {
        const traceparent = traceparentOf(api, span);
        // A copy, because an interceptor around this one may make the call again.
        return next(traceparent ? { ...call, headers: { ...call.headers, traceparent } } : call);
      };
      return calls(call.peer === agent ? call.capability : undefined, parent, run, () => call.retries() - before);
    },
    server({ context }, next) {
      const parent = withRemote(api, api.ROOT_CONTEXT, context.headers.traceparent);
      return requests(context.capability, parent, () => next());
    },
  };
}
