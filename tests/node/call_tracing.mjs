// Spans and metrics of generated clients and servers by `@capgen/otel`. The module in the first argument has the agent `errors` of
// `tests/cases`.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import * as api from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { tracing } from "../../runtime/call/npm/index.js";

const { createErrorsClient, createErrorsServer, capabilities } = await import(pathToFileURL(process.argv[2]));
const tests = {};

/** Without providers, the API makes no spans. */
tests["nothing is recorded without providers, and the trace of the caller goes on"] = async () => {
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  const { client, served } = connected({ ping: () => 1 });
  assert.equal((await client.ping(null, { headers: { traceparent } })).status, "ok");
  assert.equal((await client.ping(null)).status, "ok");
  assert.deepEqual(served, [traceparent, undefined]);
};

const spans = new InMemorySpanExporter();
const points = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: points });
function provide() {
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
  api.metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
}

/** A client and a server that are connected in memory. `served` has the `traceparent` of each request. */
function connected(handlers, { reply = (text) => text, only } = {}) {
  const served = [];
  const { client, server } = tracing(api, { agent: "errors", capabilities });
  const of = (side, interceptor) => (only === undefined || only === side ? [interceptor] : []);
  const running = createErrorsServer(handlers, { interceptors: of("server", server), onError: () => undefined });
  const request = async ({ text }) => {
    served.push(JSON.parse(text).headers.traceparent);
    return reply(await running.handle(text), text);
  };
  const interceptors = of("client", client);
  return { client: createErrorsClient({ request, publish: request }, { from: "console", interceptors }), running, served };
}

/** The values of the points of a metric, by the texts of their attributes. */
async function measured(metric) {
  await reader.forceFlush();
  const all = points.getMetrics().at(-1).scopeMetrics.flatMap(({ metrics }) => metrics);
  const { dataPoints } = all.find(({ descriptor }) => descriptor.name === metric);
  return Object.fromEntries(dataPoints.map(({ attributes, value }) => [Object.values(attributes).join(" "), value.count ?? value]));
}

tests["a request is below its call, and both are in the trace of the user"] = async () => {
  spans.reset();
  const handlers = { ping: () => api.trace.getTracer("user").startActiveSpan("look", (span) => (span.end(), 1)) };
  const { client, served } = connected(handlers);
  const result = await api.trace.getTracer("user").startActiveSpan("root", (root) => client.ping(null).finally(() => root.end()));
  assert.equal(result.status, "ok");
  const [look, request, call, root] = spans.getFinishedSpans();
  assert.deepEqual([look, request, call, root].map(({ name }) => name), ["look", "errors/ping", "errors/ping", "root"]);
  const parents = [look, request, call].map(({ parentSpanContext }) => parentSpanContext.spanId);
  assert.deepEqual(parents, [request, call, root].map((span) => span.spanContext().spanId));
  assert.deepEqual([request.kind, call.kind], [api.SpanKind.SERVER, api.SpanKind.CLIENT]);
  assert.deepEqual(call.attributes, { "rpc.system.name": "capgen", "rpc.method": "errors/ping" });
  const { traceId, spanId } = call.spanContext();
  assert.deepEqual(served, [`00-${traceId}-${spanId}-01`]);
};

tests["an interceptor that calls again makes spans with the same parent"] = async () => {
  spans.reset();
  const { client: outer } = tracing(api, { agent: "errors", capabilities });
  const twice = async (call, next) => (await next(call), next(call));
  const server = createErrorsServer({ ping: () => 1 });
  const transport = { request: ({ text }) => server.handle(text), publish: () => undefined };
  const client = createErrorsClient(transport, { from: "console", interceptors: [twice, outer] });
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  await client.ping(null, { headers: { traceparent } });
  const parents = spans.getFinishedSpans().map(({ parentSpanContext }) => parentSpanContext.spanId);
  assert.deepEqual(parents, ["b".repeat(16), "b".repeat(16)]);
  // The second message repeats the request.
  assert.deepEqual(await measured("capgen.client.retries"), { "capgen errors/ping": 1 });
};

tests["an invalid traceparent starts a trace, and one of a later version is read"] = async () => {
  const { client } = connected({ ping: () => 1 }, { only: "server" });
  const [trace, span] = ["a".repeat(32), "b".repeat(16)];
  const invalid = ["", "00-0-0-0", `00-${"0".repeat(32)}-${span}-01`, `00-${trace}-${"0".repeat(16)}-01`, `ff-${trace}-${span}-01`,
    `00-${trace}-${span}-01-x`, `00-${trace.toUpperCase()}-${span}-01`, `00-${trace}-${span}-01\n`];
  for (const traceparent of [...invalid, `01-${trace}-${span}-01-x`]) {
    spans.reset();
    const { status } = await client.ping(null, { headers: { traceparent } });
    const [request] = spans.getFinishedSpans();
    assert.equal(status, "ok");
    assert.equal(request.parentSpanContext?.spanId, traceparent.startsWith("01") ? span : undefined, traceparent);
  }
};

tests["a peer cannot create values of attributes"] = async () => {
  const codes = ["SOLD_OUT", "MADE_UP_CODE", "EAGENTRPC_MADE_UP", "__proto__", "constructor"];
  const bookTrip = ({ from }, { fail }) => fail(from, "m");
  const { client, running } = connected({ bookTrip });
  for (const from of codes) await client.bookTrip({ from });
  // Errors of a newer provider, as they arrive at the client.
  const reply = (text, request) => {
    const answer = JSON.parse(text);
    answer.headers["capgen-status"] = "error";
    answer.payload = { code: JSON.parse(request).payload.from, message: "m", retryable: false };
    return JSON.stringify(answer);
  };
  const { client: caller } = connected({ bookTrip: () => ({ id: "1" }) }, { reply, only: "client" });
  for (const from of codes) await caller.bookTrip({ from });
  // Capabilities and callers that do not exist.
  for (const capability of ["made-up", "__proto__", "book-trip@9"]) {
    const ids = { version: 1, kind: "request", messageId: "m", correlationId: "c", from: "agent://made-up-caller", to: "agent://errors" };
    await running.handle(JSON.stringify({ ...ids, capability, payload: null }));
  }
  const known = ["SOLD_OUT", "EAGENTRPC_HANDLER_FAILED", "_OTHER"];
  for (const metric of ["rpc.client.call.duration", "rpc.server.call.duration"]) {
    const values = Object.keys(await measured(metric));
    const allowed = ["ping", "book-trip"].flatMap((name) => ["", ...known].map((code) => `capgen errors/${name} ${code}`.trim()));
    assert.deepEqual(values.filter((value) => !allowed.includes(value)), [], metric);
    assert.ok(values.includes("capgen errors/book-trip SOLD_OUT") && values.includes("capgen errors/book-trip _OTHER"), `${values}`);
  }
  assert.ok(!/MADE_UP|made-up/.test(JSON.stringify([spans.getFinishedSpans().map(({ name, attributes }) => [name, attributes]), points.getMetrics()])));
};

tests["retries are counted"] = async () => {
  const { client: around } = tracing(api, { agent: "errors", capabilities });
  const { "capgen errors/ping": before = 0 } = await measured("capgen.client.retries");
  let count = 0;
  const busy = { code: "EAGENTRPC_BUSY", message: "m", retryable: true };
  const server = createErrorsServer({ ping: () => 1 });
  const request = async ({ text }) => {
    const answer = JSON.parse(await server.handle(text));
    if (++count < 3) Object.assign(answer, { payload: busy, headers: { ...answer.headers, "capgen-status": "error" } });
    return JSON.stringify(answer);
  };
  const retry = { attempts: 5, firstPauseMs: 1 };
  const client = createErrorsClient({ request, publish: request }, { from: "console", retry, interceptors: [around] });
  assert.equal((await client.ping(null)).status, "ok");
  assert.deepEqual(await measured("capgen.client.retries"), { "capgen errors/ping": before + 2 });
};

tests["a call of a handler stays in the trace of its request, also without a current span"] = async () => {
  spans.reset();
  const inner = connected({ ping: () => 1 }, { only: "client" });
  const outer = connected({ ping: (_, context) => api.context.with(api.ROOT_CONTEXT, () => inner.client.ping(null, { parent: context })).then(() => 1) }, { only: "none" });
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  await outer.client.ping(null, { headers: { traceparent } });
  const [{ parentSpanContext }] = spans.getFinishedSpans();
  assert.deepEqual([parentSpanContext.traceId, parentSpanContext.spanId], ["a".repeat(32), "b".repeat(16)]);
};

tests["calls in flight are counted, also those that end early"] = async () => {
  const names = ["capgen.client.active_calls", "capgen.server.active_requests"];
  const idle = "capgen errors/ping";
  let end;
  const { client } = connected({ ping: () => new Promise((resolve) => (end = resolve)) });
  const call = client.ping(null);
  while (!end) await new Promise(setImmediate);
  for (const name of names) assert.equal((await measured(name))[idle], 1, name);
  end(1);
  await call;
  for (const name of names) assert.equal((await measured(name))[idle], 0, name);
  const controller = new AbortController();
  end = undefined;
  const aborted = client.ping(null, { signal: controller.signal });
  while (!end) await new Promise(setImmediate);
  controller.abort();
  assert.equal((await aborted).status, "abandoned");
  end(1);
  await new Promise(setImmediate);
  for (const name of names) assert.equal((await measured(name))[idle], 0, name);
  assert.ok((await measured("rpc.client.call.duration"))[`${idle} EAGENTRPC_ABANDONED`] > 0);
};

let count = 0;
for (const [name, test] of Object.entries(tests)) {
  // The first one is about programs without providers.
  if (count === 1) provide();
  await test().catch((error) => {
    throw new Error(name, { cause: error });
  });
  count++;
}
console.log(`${count} tests`);
process.exit(0);
