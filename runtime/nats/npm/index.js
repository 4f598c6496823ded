// Generated clients and servers over NATS. This file imports nothing: it works with every connection of nats-core, such as that of
// `@nats-io/transport-node`.

/** Subjects without wildcards. Those that begin with `$` belong to the server: with them, a message could use the rights of this program. */
const SUBJECT = /^(?!\$)[^\s.*>]+(?:\.[^\s.*>]+)*$/;

/** The status of a message that says that nothing receives a request. */
const NO_RESPONDERS = 503;

/** The most contracts of one server. */
const MAX_CONTRACTS = 256;

/** An error with a code of the protocol. With the effect `none`, nothing was sent. */
const failure = (code, message, more) => Object.assign(new Error(message), { code, ...more });
const unsent = (message) => failure("EAGENTRPC_NO_TRANSPORT", message, { effect: "none", retryable: true });

function checked(subject) {
  if (!SUBJECT.test(subject)) throw failure("EAGENTRPC_NO_TRANSPORT", `the subject \`${subject}\` is not allowed`, { effect: "none", retryable: false });
  return subject;
}

/** The side of a connection that is for clients: one inbox for the answers to all requests. */
class Link {
  #connection;
  #isConnected = true;
  /** The functions that get the answers, by the last token of their subject. */
  #waiting = new Map();
  #next = 0;
  #inbox;
  /** Why the server refused the subscription to the inbox. */
  #denied;

  constructor(connection, prefix) {
    this.#connection = connection;
    this.#inbox = `${prefix}.${crypto.randomUUID()}`;
    this.#subscribe();
    void this.#follow();
  }

  #subscribe() {
    this.#denied = undefined;
    const callback = (error, message) => {
      if (!error) return this.#waiting.get(message.subject.slice(this.#inbox.length + 1))?.(message);
      this.#denied = `the answers cannot be received: ${error.message}`;
      for (const receive of this.#waiting.values()) receive(failure("EAGENTRPC_NO_TRANSPORT", this.#denied));
    };
    this.#connection.subscribe(`${this.#inbox}.*`, { callback });
  }

  /** The client of NATS keeps messages until it is connected again. Their callers would have given up then. */
  async #follow() {
    for await (const { type } of this.#connection.status()) {
      if (type === "disconnect") this.#isConnected = false;
      if (type !== "reconnect") continue;
      this.#isConnected = true;
      // The new connection may have other rights.
      if (this.#denied) this.#subscribe();
    }
  }

  send(subject, text, options) {
    if (!this.#isConnected || this.#connection.isClosed()) throw unsent("there is no connection to the server of NATS");
    const bytes = new TextEncoder().encode(text);
    const most = this.maxMessage;
    if (bytes.length > most) throw failure("EAGENTRPC_INVALID_ENVELOPE", `the message has ${bytes.length} bytes; the server accepts ${most}`, { effect: "none" });
    try {
      this.#connection.publish(subject, bytes, options);
    } catch (error) {
      throw unsent(`the message was not sent: ${error.message}`);
    }
  }

  get maxMessage() {
    return this.#connection.info?.max_payload ?? Infinity;
  }

  flush() {
    return this.#connection.flush();
  }

  /** The texts of the answers to a request. */
  async *request(subject, { text, signal }) {
    if (this.#denied) throw failure("EAGENTRPC_NO_TRANSPORT", this.#denied, { effect: "none", retryable: false });
    const token = `${this.#next++}`;
    const arrived = [];
    let wake = () => undefined;
    const abort = () => wake();
    signal.addEventListener("abort", abort);
    this.#waiting.set(token, (answer) => {
      arrived.push(answer);
      wake();
    });
    try {
      this.send(subject, text, { reply: `${this.#inbox}.${token}` });
      while (!signal.aborted) {
        const answer = arrived.shift();
        if (answer instanceof Error) throw answer;
        if (answer?.headers?.code === NO_RESPONDERS && answer.data.length === 0)
          throw failure("EAGENTRPC_NO_PEER", `no program receives the requests to \`${subject}\``);
        if (answer) yield answer.string();
        else await new Promise((resolve) => (wake = resolve));
      }
    } finally {
      this.#waiting.delete(token);
      signal.removeEventListener("abort", abort);
    }
  }
}

/** The links of connections, by the prefix of their inboxes. */
const links = new WeakMap();

function linkOf(connection, prefix) {
  if (!links.has(connection)) links.set(connection, new Map());
  const known = links.get(connection);
  if (!known.has(prefix)) known.set(prefix, new Link(connection, prefix));
  return known.get(prefix);
}

/**
 * A transport for generated clients. `subjects` is the subject of the requests of the agent that is called, or an object that has the subject
 * of each agent.
 */
export function natsTransport(connection, subjects, { inboxPrefix = "_INBOX" } = {}) {
  const link = linkOf(connection, inboxPrefix);
  const subjectOf = (to) => {
    const subject = typeof subjects === "string" ? subjects : subjects[to];
    if (subject === undefined) throw failure("EAGENTRPC_NO_PEER", `no subject for \`${to}\``, { retryable: false });
    return checked(subject);
  };
  const transport = (...parts) => {
    const address = (to) => [subjectOf(to), ...parts].join(".");
    return {
      async *requestMany(message) {
        yield* link.request(address(message.to), message);
      },
      async request(message) {
        for await (const text of link.request(address(message.to), message)) return text;
        throw failure("EAGENTRPC_ABANDONED", "the call ended before its response", { retryable: false });
      },
      async publish({ to, text }) {
        link.send(address(to), text);
        await link.flush();
      },
      at: (...more) => transport(...parts, ...more),
      get maxMessage() {
        return link.maxMessage;
      },
    };
  };
  return transport();
}

/** The result of a promise, or `undefined` after some ms. */
function within(ms, promise) {
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, ms)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/**
 * Passes the messages of an agent to a generated server until it is stopped. The processes of an agent form a queue group, each of which gets
 * a part of the requests; all of them get the cancels. Resolves when the server of NATS has confirmed the subscription.
 */
export async function serveNats(connection, server, { subject, queue, capabilities = {}, onError = console.error }) {
  const denied = new Map();
  const subscribe = (name, options, receive) => {
    const callback = (error, message) => {
      if (error) denied.set(name, error);
      else void receive(message).catch(onError);
    };
    return connection.subscribe(name, { ...options, callback });
  };
  const answer = async (message) => {
    const send = message.reply && SUBJECT.test(message.reply) ? (text) => message.respond(text) : undefined;
    const response = await server.handle(message.string(), { send });
    if (response !== undefined) send?.(response);
  };
  checked(subject);
  const hashes = new Set(Object.values(capabilities).map(({ hash }) => hash.slice(0, 32)));
  const found = Array.from(hashes, (hash) => `${subject}.contract.${hash}`).slice(0, MAX_CONTRACTS);
  const requests = [subject, ...found].map((name) => subscribe(name, { queue }, answer));
  const control = subscribe(`${subject}.control`, {}, (message) => server.control(message.string()));
  await connection.flush();
  if (denied.has(subject)) {
    for (const subscription of [...requests, control]) subscription.unsubscribe();
    throw denied.get(subject);
  }
  // Without these subscriptions, calls cannot be cancelled, or find this process by its contract.
  for (const [name, error] of denied) onError(new Error(`there is no subscription to \`${name}\`: ${error.message}`));
  return {
    /** Answers the requests that are on their way and those that run, for some ms at most. Does not close the connection. */
    async stop(patienceMs = 5000) {
      const start = performance.now();
      const open = requests.filter((subscription) => !subscription.isClosed());
      await within(patienceMs, Promise.all(open.map((subscription) => subscription.drain())));
      const inTime = await server.shutdown(Math.max(0, patienceMs - (performance.now() - start)));
      control.unsubscribe();
      if (!connection.isClosed()) await within(patienceMs, connection.flush());
      return inTime;
    },
  };
}
