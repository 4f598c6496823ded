/** Sends the messages of a client, for example over NATS or HTTP. */
export interface PREFIXTransport {
  /**
   * Sends a request and resolves to the text of its response. Rejects if that is not possible; if the error has a `code` such
   * as `EAGENTRPC_NO_PEER`, the call ends with this code.
   */
  request(message: PREFIXMessage): globalThis.Promise<string>;
  /** Sends a message that has no response. */
  publish(message: PREFIXMessage): globalThis.Promise<void>;
  /**
   * Sends a request and yields the text of every message that answers it, until `signal` is aborted: reports that it runs, and the
   * response. With it, a client with retries notices that the process that runs a request has ended.
   */
  requestMany?(message: PREFIXMessage): globalThis.AsyncIterable<string>;
  /**
   * The transport to the address that has these parts after that of the requests: for `"control"`, `<address>.control`. With it, calls
   * are cancelled, and find the process of the agent that has their contract.
   */
  at?(...parts: string[]): PREFIXTransport;
  /** The size of the largest message, in bytes. Requests above it do not have parts that only later calls need. */
  readonly maxMessage?: number;
}

/**
 * A message: the text, the agent that gets it (`agent://...`), and its capability. `signal` is aborted if the
 * call ends before its response, at the latest after `timeoutMs`.
 */
export type PREFIXMessage = {
  to: string;
  capability: string;
  text: string;
  timeoutMs: number;
  signal: PREFIXSignal;
};

/** An `AbortSignal`, if the libraries that the compiler uses declare it. */
export type PREFIXSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } } ? Signal : any;

/** Signs the text of a message with HMAC-SHA-256; the signature is in hexadecimal. */
export type PREFIXSign = (text: string) => PREFIXSignature | globalThis.Promise<PREFIXSignature>;

/**
 * Signs the text of a message with the Ed25519 key that only this agent has; the signature is in base64url without padding. `sign` gets
 * all of the text that is signed.
 */
export type PREFIXAgentSign = { kind: "ed25519"; sign: PREFIXSign };

/**
 * Whether a signature is the one of the text. For the kind `"ed25519"`, it is the id of the agent that the key belongs to, without
 * `agent://`: a message of another agent is refused.
 */
export type PREFIXVerify = (
  text: string,
  signature: PREFIXSignature,
) => boolean | { agent: string } | globalThis.Promise<boolean | { agent: string }>;

/** A signature. Those to verify have a kind: with a shared key (`"hmac"`), or with the key of an agent (`"ed25519"`). */
export type PREFIXSignature = { keyId: string; signature: string; kind?: "hmac" | "ed25519" };

/**
 * When a call sends its request again: at most `attempts` times together (an integer from 1 to 64). A pause is random, up to
 * `firstPauseMs` (50), which doubles each time up to `longestPauseMs` (2000). After `attemptTimeoutMs`, an attempt counts as lost;
 * instead, with `hedgeAfterMs`, another one follows a slow one, and those that do not decide the call are cancelled. `heartbeatMs`
 * (1000) is the interval at which the provider reports that it runs the request: at least 250, at most 30000. All times are from 1
 * to 2147483647 ms.
 */
export type PREFIXRetry = {
  attempts: number;
  firstPauseMs?: number;
  longestPauseMs?: number;
  attemptTimeoutMs?: number;
  hedgeAfterMs?: number;
  heartbeatMs?: number;
};

/**
 * The options of a client: `from` is the id of the agent that calls. With `verify`, responses must be signed. `maxInFlight` limits
 * the calls that wait at the same time (1024). `redact` keeps values of payloads out of violations. Aborting `signal` closes the client.
 * `skew` is the policy for contracts that differ (`serve`). Without `tryOtherInstances` (true), a request that one process of the agent
 * refuses because of its contract is not sent to others. `interceptors` are around every call, the first of them outermost.
 */
export type PREFIXClientOptions = {
  from: string;
  timeoutMs?: number;
  tenantId?: string;
  maxInFlight?: number;
  redact?: boolean;
  sign?: PREFIXSign | PREFIXAgentSign;
  verify?: PREFIXVerify;
  signal?: PREFIXSignal;
  retry?: PREFIXRetry;
  skew?: PREFIXSkewPolicy;
  tryOtherInstances?: boolean;
  interceptors?: readonly PREFIXInterceptor[];
};

/**
 * A function around the calls of a client, for example to repeat, limit or count them. `next` makes the call with all its attempts, through
 * the interceptors that follow; it never rejects, and can be called again. The result is the one that the caller gets. An interceptor that
 * throws ends the call with the status `abandoned`, and one that makes a response itself must make a valid one.
 */
export type PREFIXInterceptor = (
  call: PREFIXOutgoingCall,
  next: (call?: PREFIXOutgoingCall) => globalThis.Promise<PREFIXCallResult<unknown>>,
) => PREFIXCallResult<unknown> | globalThis.Promise<PREFIXCallResult<unknown>>;

/**
 * A call of a client, before it is sent. `peer` is the id of the agent that is called, `kind` is `"event"` for `publish`, and
 * `isRepeatable` says whether the contract allows to repeat the request. `timeoutMs` is the time until the deadline when the call started,
 * and `signal` is aborted when the call ends. An interceptor may set `headers`, such as `authorization`, and pass `next` a copy with a
 * shorter `timeoutMs`, another `signal`, or another valid `request`.
 */
export type PREFIXOutgoingCall = {
  readonly peer: string;
  readonly capability: string;
  readonly kind: "request" | "event";
  readonly correlationId: string;
  readonly isRepeatable: boolean;
  request: unknown;
  headers: { [name: string]: string };
  timeoutMs: number;
  signal: PREFIXSignal;
  /** The number of times that the request was sent again so far, by the retries of the client. */
  retries(): number;
  /** Ends the interceptor with an error. The codes of the protocol, such as `EAGENTRPC_BUSY`, give the result their status. */
  fail(code: string, message: string, facts?: { retryable?: boolean; retryAfterMs?: number }): never;
};

/** Which calls a provider refuses in advance if its contract is another one: none, those that matter, or all that may fail. */
export type PREFIXSkewPolicy = "serve" | "refuse" | "strict";

/**
 * The options of a call. `timeoutMs` is from 1 to 600000; the default is the timeout of the capability, then that of the client, then
 * 30000. Aborting `signal` cancels the call. `retry` and `skew` replace those of the client. `parent` is the context of a call that is
 * being served: the call does not wait longer than its caller, ends with it, and has its tenant, session and trace.
 */
export type PREFIXCallOptions = {
  timeoutMs?: number;
  signal?: PREFIXSignal;
  tenantId?: string;
  headers?: { [name: string]: string };
  idempotencyKey?: string;
  session?: string;
  retry?: PREFIXRetry;
  skew?: PREFIXSkewPolicy;
  parent?: PREFIXContext<any>;
};

/** The method of a capability. It never rejects: failures are results. `Errors` has the details of each declared code. */
export interface PREFIXCall<Request, Response, Errors = {}> {
  (request: Request, options?: PREFIXCallOptions): globalThis.Promise<PREFIXCallResult<Response, Errors>>;
  /** Resolves to the response. If the call fails, it rejects with a `PREFIXFailedCallError`, or the class of the capability's errors. */
  orThrow(request: Request, options?: PREFIXCallOptions): globalThis.Promise<Response>;
  /** Sends the request without waiting for a response, which the agent does not send. */
  publish(request: Request, options?: PREFIXCallOptions): globalThis.Promise<PREFIXCallResult<undefined>>;
}

/**
 * The result of a call. If it succeeds, `skew` has the contracts that differ, if the provider states that other responses may violate the
 * caller's.
 */
export type PREFIXCallResult<Response, Errors = {}> =
  | { correlationId: string; latencyMs: number; status: "ok"; response: Response; skew?: PREFIXSkew }
  | PREFIXFailedCall<Errors>;

/**
 * The result of a call that failed. After a violation, `response` is the response that violates its schema, if it arrived, and `truncated`
 * says whether there are more violations.
 */
export type PREFIXFailedCall<Errors = {}> = { correlationId: string; latencyMs: number } & (
  | { status: "error"; error: PREFIXCallFailure<Errors> }
  | { status: "timeout" | "abandoned" | "busy"; error: PREFIXFailureOf<false, string, unknown> }
  | {
      status: "schema-violation";
      schemaSide: "request" | "response";
      violations: PREFIXViolation[];
      truncated: boolean;
      response?: unknown;
      error: PREFIXFailureOf<false, string, unknown>;
    }
);

/**
 * Why a call failed. `retryable` says whether the same call may succeed later, and `retryAfterMs` when, if the provider states it.
 * `effect` is `"none"` if no handler started. If the contracts differ, `skew` has their versions and
 * hashes, `violations` those of a request that the provider cannot read, and `finding` the first change that breaks the caller. With
 * `declared`, the contract of the caller has the code. The results and the errors of all capabilities are assignable to the types without
 * `Errors`.
 */
export type PREFIXCallError = {
  code: string;
  message: string;
  retryable: boolean;
  retryAfterMs?: number;
  effect?: string;
  skew?: PREFIXSkew;
  violations?: PREFIXViolation[];
  finding?: unknown;
  details?: unknown;
  declared?: boolean;
};

/**
 * The error of a call whose capability declares errors. With `declared`, it is one of them, and `details` have its type. Otherwise, the
 * code is not declared, or the details violate the contract of the caller, or it is an error of the protocol.
 */
export type PREFIXCallFailure<Errors = {}> = keyof Errors extends never
  ? PREFIXCallError
  : | { [Code in keyof Errors]: PREFIXFailureOf<true, Code, Errors[Code]> }[keyof Errors]
    | PREFIXFailureOf<false, string, undefined>
    | PREFIXFailureOf<false, `EAGENTRPC_${string}` | "EVERSION_SKEW", unknown>;

/** A `PREFIXCallError` with one code, or of one kind. Those without details have `undefined`. */
export type PREFIXFailureOf<Declared, Code, Details> = Omit<PREFIXCallError, "declared" | "code" | "details"> & {
  code: Code;
} & (Declared extends true ? { declared: true } : { declared?: false }) &
  (undefined extends Details ? { details?: Details } : { details: Details });

/** The versions and hashes of two contracts that differ, the versions that the provider serves, and the reason of the error. */
export type PREFIXSkew = {
  callerVersion?: string;
  callerContract?: string;
  providerVersion?: string;
  providerContract?: string;
  served?: string[];
  reason?: string;
};

/**
 * The implementation of a capability. If it throws, the caller gets the code `EAGENTRPC_HANDLER_FAILED`; after an error of `orThrow`, of
 * any client, it gets the code of that one, unless it is one of the protocol.
 */
export type PREFIXHandler<Request, Response, Errors = {}> = (
  request: Request,
  context: PREFIXContext<Errors>,
) => Response | globalThis.Promise<Response>;

/**
 * A call that is being served. `deadline` is Unix time in ms, by the clock of this process. `signal` is aborted if the call ends before
 * its handler does: at the deadline, and with a server if the caller cancels it or the server stops.
 */
export type PREFIXContext<Errors = {}> = {
  caller: string;
  capability: string;
  messageId: string;
  correlationId: string;
  tenantId: string | undefined;
  deadline: number | undefined;
  headers: { [name: string]: string };
  signal: PREFIXSignal;
  proof: PREFIXProof;
  principal: PREFIXPrincipal | undefined;
  /**
   * Ends the call with an error, which the caller gets. A code that the capability declares with details requires them, and no other code
   * has any.
   */
  fail<Code extends string>(code: Code, message: string, ...details: PREFIXDetailsOf<Errors, Code>): never;
};

/**
 * The arguments with the details of a code: one if it is declared with details, otherwise none. Those of several codes are the details that
 * each of them accepts; if only some of them have details, there are no such arguments.
 */
export type PREFIXDetailsOf<Errors, Code> = (
  Code extends keyof Errors
    ? (details: [Errors[Code]] extends [undefined] ? [] : [details: Errors[Code]]) => void
    : (details: []) => void
) extends (details: infer Details extends unknown[]) => void
  ? Details
  : never;

/**
 * The options of a server. With `tenants`, it serves only these. With `verify`, requests must be signed, and the clocks of callers may
 * differ by `clockDifferenceMs` (300000). `onError` gets the error of a handler that throws one, or that fails with invalid details, and
 * those of the functions among the options. An error of `onError` itself is ignored.
 *
 * `interceptors` are around all handlers, the first of them outermost; `onError` gets their errors too. `authorize` decides who may call a
 * capability, also one that the agent does not have (`undefined`): anything but `true` refuses, with the same answer for both. Instead,
 * `grants` has the rights of agents that prove who they are with a key of their own. `tokens` verifies the token of a signed request
 * (`authorization: Bearer`): it answers with the principal, whose rights count instead; `undefined` if the token is invalid. `principals`
 * has rights of principals, by issuer and subject, in addition to those of their tokens. If capabilities require roles or scopes, a server
 * without any of these is an error, unless `withoutAuthorization` lets everyone call.
 *
 * The others are for a server that remembers requests. `maxInFlight` limits the requests that it handles at the same time (1280).
 * Answers to requests with an idempotency key are kept for `idempotencyWindowMs` (300000). `receivesControl` promises to callers that the
 * program passes the messages of the address for control to `control`.
 */
export type PREFIXServerOptions = {
  tenants?: readonly string[];
  sign?: PREFIXSign | PREFIXAgentSign;
  verify?: PREFIXVerify;
  clockDifferenceMs?: number;
  onError?: (error: unknown, context: PREFIXContext<any>) => void;
  maxInFlight?: number;
  idempotencyWindowMs?: number;
  receivesControl?: boolean;
  interceptors?: readonly PREFIXServerInterceptor[];
  authorize?: (
    context: PREFIXContext,
    capability: PREFIXAuthorizedCapability | undefined,
  ) => boolean | string | globalThis.Promise<boolean | string>;
  tokens?: (token: string) => PREFIXPrincipal | undefined | globalThis.Promise<PREFIXPrincipal | undefined>;
  grants?: { readonly [agent: string]: PREFIXRights };
  principals?: { readonly [issuer: string]: { readonly [subject: string]: PREFIXRights } };
  withoutAuthorization?: boolean;
};

/**
 * The proof of the agent that sent a message. With a shared key, all its owners can state each other's ids; only the key of an agent proves
 * that `caller` sent it.
 */
export type PREFIXProof = { kind: "none" } | { kind: "shared-key" | "agent-key"; keyId: string };

/**
 * The person or the program for whom a call is made: `issuer`, `subject` and `clientId` are the claims `iss`, `sub` and `client_id` of its
 * token. If it has a `tenant`, requests must be of the same one.
 */
export type PREFIXPrincipal = {
  readonly issuer: string;
  readonly subject: string;
  readonly clientId?: string;
  readonly tenant?: string;
  readonly roles?: readonly string[];
  readonly scopes?: readonly string[];
  readonly claims?: { readonly [name: string]: unknown };
};

/** The roles and scopes of an agent. */
export type PREFIXRights = { readonly roles?: readonly string[]; readonly scopes?: readonly string[] };

/** The capability that a caller may or may not call: each of its versions. */
export type PREFIXAuthorizedCapability = {
  readonly name: string;
  readonly version?: string;
  readonly requiredRoles?: readonly string[];
  readonly requiredScopes?: readonly string[];
};

/**
 * A function around the handlers of a server, for requests whose sender was verified. `next` chooses the version, validates the request,
 * runs the handler and validates its response, through the interceptors that follow; it never rejects. The answer is the one that the
 * caller gets, if its response is valid. An interceptor fails as a handler does: with `request.context.fail`, or with an error of its own
 * that has the same rules. If it answers before `next` does, the signal of the handler is aborted.
 */
export type PREFIXServerInterceptor = (
  request: PREFIXServedRequest,
  next: () => globalThis.Promise<PREFIXServedAnswer>,
) => PREFIXServedAnswer | globalThis.Promise<PREFIXServedAnswer>;

/** A request that is being served. Its `payload` is not validated yet. */
export type PREFIXServedRequest = { readonly payload: unknown; readonly context: PREFIXContext };

/** The answer to a request: a response, or an error, such as that of the handler or `EAGENTRPC_SCHEMA_VIOLATION`. */
export type PREFIXServedAnswer =
  | { response: unknown; error?: undefined }
  | { response?: undefined; error: Omit<PREFIXCallError, "retryable"> & { retryable?: boolean } };

/** A server that remembers requests. */
export interface PREFIXServer {
  /** Handles a message, and returns the text of the response; `undefined` if it has none, or if its caller cancelled it. */
  handle(text: string, options?: PREFIXHandleOptions): globalThis.Promise<string | undefined>;
  /** Follows a message that was sent to the address for control: a cancel. Other messages are dropped. Never rejects. */
  control(text: string): globalThis.Promise<void>;
  /**
   * Refuses further requests and waits until the others have ended, at most for `patienceMs` (5000); then it aborts them. Resolves to
   * whether all ended in time.
   */
  shutdown(patienceMs?: number): globalThis.Promise<boolean>;
}

/** The options of a message. `send` sends a text to where the response goes to: the proof that the request runs, again and again. */
export type PREFIXHandleOptions = { send?: (text: string) => unknown };
