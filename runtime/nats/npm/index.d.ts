/** A connection to NATS: the part of that of `@nats-io/transport-node` which this package uses. */
export interface Connection {
  readonly info?: { max_payload: number };
  publish(subject: string, payload?: Uint8Array | string, options?: { reply?: string }): void;
  subscribe(subject: string, options?: SubscriptionOptions): Subscription;
  flush(): Promise<void>;
  isClosed(): boolean;
  status(): AsyncIterable<{ type: string }>;
}

export interface SubscriptionOptions {
  queue?: string;
  callback?: (error: Error | null, message: Received) => void;
}

export interface Subscription {
  unsubscribe(): void;
  drain(): Promise<void>;
  isClosed(): boolean;
}

/** A message that was received. */
export interface Received {
  subject: string;
  reply?: string;
  data: Uint8Array;
  headers?: { code: number };
  string(): string;
  respond(payload?: Uint8Array | string): boolean;
}

/** A message of a generated client. The types of all agents have these members. */
export interface Message {
  to: string;
  text: string;
  signal: Signal;
}

/** The part of an `AbortSignal` that a transport uses. */
export interface Signal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** A transport for generated clients. */
export interface NatsTransport {
  request(message: Message): Promise<string>;
  requestMany(message: Message): AsyncIterable<string>;
  publish(message: Message): Promise<void>;
  at(...parts: string[]): NatsTransport;
  readonly maxMessage: number;
}

/** `inboxPrefix` is the start of the subjects for answers (`_INBOX`). */
export interface NatsTransportOptions {
  inboxPrefix?: string;
}

/**
 * A transport for generated clients. `subjects` is the subject of the requests of the agent that is called, or an object that has the subject
 * of each agent, such as `{ "agent://reviewer": "reviewer.requests" }`. Throws if a subscription is not possible.
 */
export function natsTransport(
  connection: Connection,
  subjects: string | { readonly [agent: string]: string },
  options?: NatsTransportOptions,
): NatsTransport;

/** A generated server. Those of all agents have these members. */
export interface Server {
  handle(text: string, options: { send?: (text: string) => unknown }): Promise<string | undefined>;
  control(text: string): Promise<void>;
  shutdown(patienceMs?: number): Promise<boolean>;
}

/**
 * The options of a server: the subject of its requests, and the queue group, which is mostly the id of the agent. With `capabilities`, the
 * object of the generated code, clients find this process by its contracts. `onError` gets errors that no one else gets (`console.error`).
 */
export interface ServeOptions {
  subject: string;
  queue: string;
  capabilities?: { readonly [name: string]: { hash: string } };
  onError?: (error: unknown) => void;
}

/** A server that receives requests. */
export interface Service {
  /**
   * Ends the subscriptions, and waits until the requests on their way and those that run are answered, for `patienceMs` (5000) at most.
   * Resolves to whether all were answered in time. Does not close the connection.
   */
  stop(patienceMs?: number): Promise<boolean>;
}

/** Passes the messages of an agent to a generated server. Rejects if the server of NATS refuses the subscription to the requests. */
export function serveNats(connection: Connection, server: Server, options: ServeOptions): Promise<Service>;
