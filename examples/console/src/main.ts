// An operator's console: it searches the shop through the agent `search`, notifies customers through `notifier`, and asks
// `reviewer` to review a change. Requests are printed instead of sent, and the responses are hard-coded.

import { hasSendNotificationRequestSmsTag, parseSendNotificationResponse } from "../../../generated/notifier.ts";
import type * as notifier from "../../../generated/notifier.ts";
import { parseReviewChangeResponse } from "../../../generated/reviewer.ts";
import type * as reviewer from "../../../generated/reviewer.ts";
import { parseSearchResponse } from "../../../generated/search.ts";
import type * as search from "../../../generated/search.ts";

/** The capabilities that this program calls. */
type Capabilities = search.Capabilities & notifier.Capabilities & reviewer.Capabilities;

/** The functions that check responses. Every generated file exports one for each side of a capability with a schema. */
const parsers = {
  search: parseSearchResponse,
  "send-notification": parseSendNotificationResponse,
  "review-change": parseReviewChangeResponse,
};

/** Prints a request and checks the response. The name of the capability determines the types of both. */
function call<Name extends keyof typeof parsers>(
  name: Name,
  request: Capabilities[Name]["request"],
  response: string,
): Capabilities[Name]["response"] {
  console.log(`${name}: ${JSON.stringify(request)}`);
  const result = parsers[name](JSON.parse(response));
  if (result.ok) return result.value;
  throw new Error(result.violations.map(({ path, message }) => `${path}: ${message}`).join("\n"));
}

/** A discriminated union: the compiler knows the properties of each `op`, and that every `op` is handled. */
function readable(filter: search.Filter): string {
  switch (filter.op) {
    case "and":
    case "or":
      return `(${filter.filters.map(readable).join(` ${filter.op} `)})`;
    case "not":
      return `not ${readable(filter.filter)}`;
    default:
      return `${filter.field} ${filter.op} ${JSON.stringify(filter.value)}`;
  }
}

function recipient(notification: notifier.SendNotificationRequest): string {
  return hasSendNotificationRequestSmsTag(notification) ? notification.phone : notification.to;
}

const cheapAndThere: search.Filter = {
  op: "and",
  filters: [
    { op: "<", field: "price", value: 20 },
    { op: "not", filter: { op: "in", field: "stock.warehouse", value: ["closed", null] } },
  ],
};
console.log(`where ${readable(cheapAndThere)}`);

const found = call(
  "search",
  { query: "teapot", where: cheapAndThere, collections: ["products"], pageSize: 2 },
  `{"total": 1, "hits": [{"id": "p-17", "collection": "products", "score": 0.93, "document": {"price": 18.5}}],
    "facets": {"colour": {"blue": 1}}}`,
);
for (const hit of found.hits) {
  console.log(`=> ${hit.id} (${hit.collection}), ${hit.thumbnail ?? "without a picture"}`);
}
// An index signature may have no such key, so the type of the value includes `undefined`.
console.log(`=> ${found.facets?.["colour"]?.["blue"] ?? 0} of ${found.total} are blue`);

const notifications: notifier.SendNotificationRequest[] = [
  {
    customerId: "4d2c7f30-8f0f-4b52-a5a4-6f6f0c1f2b11",
    locale: null,
    channel: "email",
    to: "ada@example.com",
    subject: "Your teapot is on its way",
    template: "order-shipped",
  },
  {
    customerId: "0e7f9a51-1b7c-4c8e-9df0-0d6f1f6f7a10",
    locale: "de",
    channel: "sms",
    phone: "+4915112345678",
    text: "Ihre Teekanne ist unterwegs.",
  },
];
for (const notification of notifications) {
  const receipt = call(
    "send-notification",
    notification,
    `{"messageId": "9a0c1f62-7b0e-4a53-8a51-0f6f7f1f2b12", "acceptedAt": "2026-03-01T09:30:00Z", "provider": null}`,
  );
  console.log(`=> ${recipient(notification)}: ${receipt.provider ?? "queued"}`);
}

// The contract of `reviewer` is declared in Rust.
const review = call(
  "review-change",
  { repository: "https://github.com/example/shop", files: { "src/total.rs": { kind: "removed" } }, focus: ["clarity"] },
  `{"verdict": "approve", "findings": []}`,
);
console.log(`=> ${review.verdict}, ${review.findings.length} findings`);

// A response that violates the contract is an error.
try {
  call("review-change", { repository: "https://github.com/example/shop", files: {} }, `{"verdict": "maybe"}`);
} catch (error) {
  console.log(`rejected: ${(error as Error).message}`);
}

// Requests that violate these parts of the contract do not compile. `@ts-expect-error` fails the build if one of them does.
export const rejected = (): void => {
  // @ts-expect-error: no such collection
  call("search", { collections: ["orders", "customers"] }, "");
  // @ts-expect-error: an empty list, but the contract requires at least one item
  call("search", { collections: [] }, "");
  // @ts-expect-error: a misspelt property
  call("search", { pagesize: 2 }, "");
  // @ts-expect-error: a text message has no subject
  call("send-notification", { customerId: "", locale: null, channel: "sms", phone: "", text: "", subject: "" }, "");
  // @ts-expect-error: a file is added, edited or removed
  call("review-change", { repository: "", files: { "a.rs": { kind: "moved" } } }, "");
  // @ts-expect-error: `locale` may be null, not absent
  call("send-notification", { customerId: "", channel: "sms", phone: "", text: "" }, "");
};
