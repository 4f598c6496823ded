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

/**
 * Answers the requests to a subject, until the connection closes. All processes of an agent form the queue group `agent`, each of which
 * gets a part of the requests.
 */
export async function serve(
  connection: NatsConnection,
  subject: string,
  agent: string,
  handle: (text: string) => Promise<string | undefined>,
): Promise<void> {
  const answer = async (message: Msg): Promise<void> => {
    const response = await handle(message.string());
    if (response !== undefined) message.respond(response);
  };
  const requests = connection.subscribe(subject, { queue: agent });
  await connection.flush();
  console.log(`serving ${subject}`);
  for await (const message of requests) {
    // Not awaited, so that requests run at the same time.
    answer(message).catch((error: unknown) => console.error(`no response to a request: ${error}`));
  }
}
