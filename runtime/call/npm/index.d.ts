import type * as OpenTelemetry from "@opentelemetry/api";

/** The parts of the package `@opentelemetry/api` that this package uses. */
export type Api = Pick<
  typeof OpenTelemetry,
  "ROOT_CONTEXT" | "SpanKind" | "SpanStatusCode" | "ValueType" | "context" | "isSpanContextValid" | "metrics" | "trace"
>;

/** A call of a generated client. Those of all agents have these members. */
export interface Call {
  readonly peer: string;
  readonly capability: string;
  headers: { [name: string]: string };
  retries(): number;
}

/** A request that a generated server serves. Those of all agents have these members. */
export interface Request {
  readonly context: { capability: string; headers: { [name: string]: string } };
}

/** `agent` is the id of the agent that is called, and `capabilities` the constant `capabilities` of its generated file. */
export interface TracingOptions {
  agent: string;
  capabilities: { readonly [label: string]: { readonly errors?: { readonly [code: string]: unknown } } };
}

/**
 * Interceptors: `client` is for the clients that call the agent, `server` for its servers. `Result` is that of a call, or the answer to a
 * request; if it has an `error`, its `code` is recorded.
 */
export interface Tracing {
  client<Outgoing extends Call, Result>(call: Outgoing, next: (call?: Outgoing) => Promise<Result>): Promise<Result>;
  server<Result>(request: Request, next: () => Promise<Result>): Promise<Result>;
}

/**
 * Interceptors that record spans and metrics of calls. Set the providers of the API before: the API has no meters of providers that are set
 * later.
 */
export function tracing(api: Api, options: TracingOptions): Tracing;
