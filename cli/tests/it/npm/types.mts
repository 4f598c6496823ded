// Compiled, and never run: the types of the functions.
import { CapgenError, check, diff, example, exportManifest, generate, importManifest, lock, validate } from "@capgen/cli";
import type { AgentPayload, Change, Diagnostic, GenerateResult, Json, PayloadResult, Violation } from "@capgen/cli";

export async function run(peer: string | undefined): Promise<string[]> {
  const { ok, diagnostics } = await check({ peer, strict: true });
  const generated: GenerateResult = await generate({ all: true, lang: ["typescript", "mjs"], calls: !ok });
  const outputs: GenerateResult = await generate();
  const place = ({ code, path, line, pointer }: Diagnostic): string => `${code} ${path} ${line ?? 1 + 1} ${pointer}`;
  const files = [...generated.peers, ...outputs.peers].flatMap((peer) => peer.files.map((file) => file.status));
  return [...diagnostics.map(place), ...files, ...(await others())];
}

async function others(): Promise<string[]> {
  const one = { peer: "pr-reviewer", capability: "review-pr", side: "request" } as const;
  const { violations, truncated, error } = await validate({ ...one, payload: { severity: 1 }, redact: true });
  const lines = ({ path, message, keyword }: Violation): string => `${path} ${message} ${keyword} ${truncated} ${error?.length}`;
  const all: PayloadResult[] = (await validate({ ...one, payloads: [1, null] })).results;
  const reasons = all.map((result) => (result.valid ? "valid" : (result.error ?? result.violations.map(lines).join())));
  const { payloads }: { payloads: Json[] } = await example({ ...one, count: 2 });
  const invalid = await example({ ...one, invalid: true });
  const expected = invalid.payloads.map(({ payload, expected }) => `${JSON.stringify([payload, ...payloads])} ${expected.keyword}`);
  const fixtures: AgentPayload[] = (await example({ peer: "pr-reviewer" })).payloads;
  expected.push(...fixtures.map(({ capability, side, payload }) => `${capability} ${side} ${JSON.stringify(payload)}`));
  const changes = await diff({ against: "git:main", failOn: "risky", level: { W0703: "safe" } });
  const change = ({ code, level, side, witness }: Change): string => `${code} ${level} ${side} ${JSON.stringify(witness)} ${changes.bump}`;
  const relations = Object.entries(changes.capabilities).map(([name, { status, request }]) => `${name} ${status ?? request?.old_in_new}`);
  const replayed = await diff({ ...one, replay: "payloads.ndjson" });
  const { ok: isLocked } = await lock({ check: true });
  const { document, losses } = await exportManifest({ peer: "pr-reviewer", format: "mcp", strictClients: true });
  const { files } = await exportManifest({ capabilities: "a.yaml", format: "json-schema", out: "schemas" });
  const { manifest, status, diff: changed } = await importManifest({ format: "mcp", document, out: "a.yaml", check: true, diff: true });
  const texts = [manifest, status, changed, `${isLocked}`, `${replayed.rejected}`, ...losses.map(({ side }) => side), ...files.map(({ path }) => path)];
  return [...violations.map(lines), ...reasons, ...expected, ...changes.findings.map(change), ...relations, ...texts.filter((text) => text !== undefined)];
}

export const code = (error: CapgenError): "CAPGEN_USAGE" | undefined => (error.code === "CAPGEN_USAGE" ? error.code : undefined);

// @ts-expect-error: not a language
void generate({ all: true, lang: "python" });
// @ts-expect-error: outputs have their own folders
void generate({ out: "generated" });
// @ts-expect-error: the option of the other function
void check({ out: "generated" });
// @ts-expect-error: there is no payload
void validate({ peer: "a", capability: "b", side: "request" });
// @ts-expect-error: there are two
void validate({ peer: "a", capability: "b", side: "request", payload: 1, file: "payload.json" });
// @ts-expect-error: two manifests
void example({ peer: "a", capabilities: "a.yaml", capability: "b" });
// @ts-expect-error: a card needs a URL
void exportManifest({ peer: "a", format: "a2a" });
// @ts-expect-error: an option of another format
void exportManifest({ peer: "a", format: "openapi", chat: true });
// @ts-expect-error: replayed payloads belong to a capability
void diff({ replay: "payloads.ndjson" });
// @ts-expect-error: a server is not a file
void importManifest({ format: "mcp", file: "tools.json", http: "https://tools.example.com" });
