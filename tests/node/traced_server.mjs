// The agent `reviewer` over NATS, with spans and metrics by `@capgen/otel`. Arguments: its generated TypeScript, the server of NATS, the
// subject of its requests, and the collector. It prints a line when it receives requests, and stops at the end of its input.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { connect } from "@nats-io/transport-node";
import * as api from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { build } from "esbuild";
import { tracing } from "../../runtime/call/npm/index.js";
import { serveNats } from "../../runtime/nats/npm/index.js";

const [source, servers, subject, collector] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "capgen-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const outfile = join(folder, "reviewer.mjs");
await build({ entryPoints: [source], outfile, bundle: true, format: "esm" });
const { createReviewerServer, capabilities } = await import(pathToFileURL(outfile));

const resource = resourceFromAttributes({ "service.name": "node-reviewer" });
const traces = new OTLPTraceExporter({ url: `${collector}/v1/traces` });
const metrics = new OTLPMetricExporter({ url: `${collector}/v1/metrics` });
const tracers = new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(traces)] });
const meters = new MeterProvider({ resource, readers: [new PeriodicExportingMetricReader({ exporter: metrics })] });
api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
api.trace.setGlobalTracerProvider(tracers);
api.metrics.setGlobalMeterProvider(meters);

const handlers = {
  async listRules(code, { fail }) {
    await new Promise(setImmediate);
    // A span of the user, inside of that of the request.
    api.trace.getTracer("user").startSpan("look").end();
    return code === null ? [] : fail(code, "an undeclared error");
  },
};
const { server } = tracing(api, { agent: "reviewer", capabilities });
const running = createReviewerServer(handlers, { interceptors: [server], withoutAuthorization: true });
const connection = await connect({ servers });
const service = await serveNats(connection, running, { subject, queue: "reviewer" });
console.log("ready");
for await (const _ of process.stdin);
await service.stop();
await tracers.shutdown();
await meters.shutdown();
await connection.close();
