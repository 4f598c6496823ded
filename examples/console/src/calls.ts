// Calls the agent `reviewer`, and implements the agent `pr-reviewer`, both over NATS:
//
//   node calls.js call nats://localhost:4222
//   node calls.js serve nats://localhost:4222

import { natsTransport, serveNats } from "@capgen/nats";
import { connect } from "@nats-io/transport-node";

import { capabilities, createPrReviewerServer } from "../../../generated/calls/pr-reviewer.ts";
import type { PrReviewerHandlers } from "../../../generated/calls/pr-reviewer.ts";
import { createReviewerClient } from "../../../generated/calls/reviewer.ts";
import type { CallResult, ReviewerClient } from "../../../generated/calls/reviewer.ts";

/** The parts of Node that this program uses. */
declare const process: {
  argv: string[];
  exit(code: number): never;
  once(event: "SIGINT" | "SIGTERM", listener: () => void): void;
};

/** The subjects of `examples/fleet/rpc-peers.yaml`. */
const subjects = { reviewer: "reviewer.requests", prReviewer: "agents.pr-reviewer.requests" };

/** The implementation of `pr-reviewer`. Requests are valid when they arrive here. */
const handlers: PrReviewerHandlers = {
  reviewPr({ prUrl, severity }, context) {
    if (!prUrl.startsWith("https://github.com/")) return context.fail("NOT_ON_GITHUB", "the pull request is not on GitHub");
    const verdict = severity === "high" ? "request-changes" : "approve";
    return { verdict, summary: `${context.caller} asked for a review of ${prUrl}.` };
  },
};

function report(name: string, result: CallResult<unknown>): void {
  console.log(`${name}: ${result.status}`);
  if (result.status === "ok") console.log(`   ${JSON.stringify(result.response)}`);
  else console.log(`   ${result.error.code}: ${result.error.message}`);
  if (result.status !== "schema-violation") return;
  for (const { path, message } of result.violations) console.log(`   ${path}: ${message}`);
}

async function call(reviewer: ReviewerClient): Promise<void> {
  const repository = "https://github.com/example/shop";
  const files = { "src/total.rs": { kind: "edited", diff: "-total()?\n+total().unwrap()" } } as const;
  report("a valid request", await reviewer.reviewChange({ repository, files }));
  report("an invalid request", await reviewer.reviewChange({ repository: "shop", files, limit: 0 }));
}

const [mode, servers] = process.argv.slice(2);
if (servers === undefined || (mode !== "call" && mode !== "serve")) {
  console.error("usage: node calls.js call|serve <NATS URL>");
  process.exit(2);
}
const connection = await connect({ servers, name: "console", maxReconnectAttempts: -1 });
if (mode === "call") {
  await call(createReviewerClient(natsTransport(connection, subjects.reviewer), { from: "console" }));
  await connection.close();
} else {
  const server = createPrReviewerServer(handlers, { receivesControl: true });
  const subject = subjects.prReviewer;
  const service = await serveNats(connection, server, { subject, queue: "pr-reviewer", capabilities });
  console.log(`serving ${subject}`);
  const stop = async (): Promise<void> => {
    await service.stop();
    await connection.drain();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());
}
