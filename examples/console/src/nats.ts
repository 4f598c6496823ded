// Generated clients and servers over NATS, with npm's `@nats-io/transport-node`.

import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { errors } from "@nats-io/transport-node";

/** A message of a generated client. The types of all agents have these members. */
type Message = { to: string; text: string; timeoutMs: number };

/** The code of a call whose request failed: NATS reports two reasons apart from a broken connection. */
function code(error: unknown): string {
  if (error instanceof errors.RequestError && error.isNoResponders()) return "EAGENTRPC_NO_PEER";
  if (error instanceof errors.TimeoutError) return "EAGENTRPC_TIMEOUT";
  return "EAGENTRPC_NO_TRANSPORT";
}

/** A transport for generated clients. `subjects` has the subject of each agent that is called. */
export function natsTransport(connection: NatsConnection, subjects: { readonly [agent: string]: string }) {
  const subject = (to: string): string => {
    const found = subjects[to];
    if (found === undefined) throw Object.assign(new Error(`no subject for \`${to}\``), { code: "EAGENTRPC_NO_PEER" });
    return found;
  };
  return {
    async request({ to, text, timeoutMs }: Message): Promise<string> {
      const address = subject(to);
      try {
        return (await connection.request(address, text, { timeout: timeoutMs })).string();
      } catch (error) {
        throw Object.assign(new Error(`${address}: ${error}`), { code: code(error) });
      }
    },
    async publish({ to, text }: Message): Promise<void> {
      connection.publish(subject(to), text);
      await connection.flush();
    },
  };
}

/** A generated server. Those of all agents have these members. */
type Server = {
  handle(text: string, options: { send: (text: string) => unknown }): Promise<string | undefined>;
  control(text: string): Promise<void>;
  shutdown(patienceMs: number): Promise<boolean>;
};

/**
 * Answers the requests to a subject. All processes of an agent form the queue group `agent`, each of which gets a part of the requests;
 * all of them get the cancels. Resolves to the function that waits for the requests that run, for 5 s at most, and closes the connection.
 */
export async function serve(connection: NatsConnection, subject: string, agent: string, server: Server): Promise<() => Promise<void>> {
  const answer = async (message: Msg): Promise<void> => {
    const send = (text: string): boolean => message.respond(text);
    const response = await server.handle(message.string(), { send });
    if (response !== undefined) send(response);
  };
  const requests = connection.subscribe(subject, {
    queue: agent,
    // Not awaited, so that requests run at the same time.
    callback: (_, message) => void answer(message).catch((error: unknown) => console.error(`no response to a request: ${error}`)),
  });
  connection.subscribe(`${subject}.control`, { callback: (_, message) => void server.control(message.string()) });
  await connection.flush();
  console.log(`serving ${subject}`);
  return async () => {
    await requests.drain();
    await server.shutdown(5000);
    await connection.drain();
  };
}
