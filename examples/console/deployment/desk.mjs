// An agent that calls `trips`, with the contract before or after its change:
//
//   node desk.mjs before|after <folder with the generated code> <NATS URL>

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { natsTransport } from "@capgen/nats";
import { connect } from "@nats-io/transport-node";

const requests = { before: { price: 12.5 }, after: { priceCents: 1250 } };

const [release, folder, servers] = process.argv.slice(2);
if (!Object.hasOwn(requests, release ?? "") || servers === undefined) {
  console.error("usage: node desk.mjs before|after <folder with the generated code> <NATS URL>");
  process.exit(2);
}
const { createTripsClient } = await import(pathToFileURL(resolve(folder, "trips.mjs")));
const connection = await connect({ servers, maxReconnectAttempts: -1 });
const client = createTripsClient(natsTransport(connection, "agents.trips"), { from: "desk" });
const result = await client.bookTrip(requests[release]);
console.log(result.status === "ok" ? result.response : `${result.error.code}: ${result.error.message}`);
await connection.close();
