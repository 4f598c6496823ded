// An instance of the agent `trips`, before and after a change that breaks callers:
//
//   node trips.mjs before|after <folder with the generated code> <NATS URL>

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { serveNats } from "@capgen/nats";
import { connect } from "@nats-io/transport-node";

const inDollars = ({ price }) => `booked for ${price} dollars`;
const inCents = ({ priceCents }) => `booked for ${priceCents} cents`;

/** Each version of the capability has a handler; that of the highest one has the plain name. */
const handlers = {
  before: { bookTrip: inDollars },
  after: { bookTrip: inCents, bookTripV1: inDollars },
};

const [release, folder, servers] = process.argv.slice(2);
if (!Object.hasOwn(handlers, release ?? "") || servers === undefined) {
  console.error("usage: node trips.mjs before|after <folder with the generated code> <NATS URL>");
  process.exit(2);
}
const { createTripsServer, capabilities } = await import(pathToFileURL(resolve(folder, "trips.mjs")));
const connection = await connect({ servers, maxReconnectAttempts: -1 });
const server = createTripsServer(handlers[release], { receivesControl: true });
const service = await serveNats(connection, server, { subject: "agents.trips", queue: "trips", capabilities });
console.log(`serving ${release}`);

/** Answers the requests that the process has, so that replacing it loses no call. */
async function stop() {
  await service.stop();
  await connection.close();
}
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void stop());
