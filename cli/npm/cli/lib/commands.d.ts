import type { Assume, ContractOptions, Diagnostic, GeneratedFile, RunOptions } from "./index.js";

/** A JSON value as `JSON.parse` gives it. Integers beyond 2^53 are rounded. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A side of a capability: the payload that a caller sends, or the one that the agent answers with. */
export type Side = "request" | "response";

/** A broken constraint of a payload. */
export interface Violation {
  /** The JSON Pointer into the payload. */
  path: string;
  message: string;
  /** The keyword of the schema. */
  keyword: string;
}

/** One manifest: `peer` or `capabilities` is required. */
export type OneContractOptions = RunOptions &
  (
    | {
        /** An agent of the fleet, by id. */
        peer: string;
        capabilities?: undefined;
        /** The root folder of the fleet. Default: `cwd` or its nearest parent with `fleet.yaml` or `agents/`. */
        root?: string | undefined;
      }
    | {
        peer?: undefined;
        /** The path of a manifest. */
        capabilities: string;
        root?: undefined;
      }
  );

/** The options of `capgen validate` without the payloads. */
export type ValidateOptions = OneContractOptions & {
  /** The name of the capability, or `<name>@<version>`. */
  capability: string;
  side: Side;
  /** Do not quote values of the payload, or names of undeclared properties, in messages. */
  redact?: boolean | undefined;
};

/** The result of `validate` for one payload. */
export interface ValidateResult {
  /** Whether the payload is valid. */
  ok: boolean;
  violations: Violation[];
  /** Whether there are more violations than these. */
  truncated: boolean;
  /** Why the file is not a JSON value; absent otherwise. */
  error?: string;
  /** The reasons that the payload was not read, such as errors in the manifest. */
  diagnostics: Diagnostic[];
}

/** The result for one of several payloads. */
export type PayloadResult =
  | { valid: true }
  | { valid: false; violations: Violation[]; truncated?: true; error?: undefined }
  | { valid: false; error: string; violations?: undefined };

/** The result of `validate` for several payloads. */
export interface ValidateAllResult {
  /** Whether all payloads are valid. */
  ok: boolean;
  /** One for each payload, in their order. */
  results: PayloadResult[];
  diagnostics: Diagnostic[];
}

/** The options of `capgen example`. */
export type ExampleOptions = OneContractOptions & {
  /** The name of the capability, or `<name>@<version>`. Default: all capabilities of the agent. */
  capability?: string | undefined;
  /** Default: `request`; without `capability`, both. */
  side?: Side | undefined;
  /** How many payloads of a side there are at most, from 1 to 1000. */
  count?: number | undefined;
  /** Other payloads; the same seed always gives the same ones. Default: 0. */
  seed?: number | undefined;
  /** Payloads that each violate one constraint. */
  invalid?: boolean | undefined;
};

/** The origin of a payload, if the payloads are those of a whole agent. */
export interface PayloadOrigin {
  /** The name of the capability, or `<name>@<version>` if the agent has several versions of it. */
  capability: string;
  side: Side;
}

/** A payload of a whole agent. */
export interface AgentPayload extends PayloadOrigin {
  payload: Json;
}

/** A payload that violates a constraint. */
export interface InvalidPayload {
  payload: Json;
  /** The JSON Pointer to the constraint in the schema. */
  constraint: string;
  /** The violation that shows that the constraint is violated. */
  expected: Pick<Violation, "path" | "keyword">;
  violations: Violation[];
  truncated?: true;
}

/** The result of `example`. */
export interface ExampleResult<Payload> {
  ok: boolean;
  payloads: Payload[];
  diagnostics: Diagnostic[];
}

/** How severe a change is: a payload or a call that was valid fails; someone may have to react; no one notices; only texts change. */
export type Level = "breaking" | "risky" | "safe" | "cosmetic";

/** The options of `capgen diff`. Without `peer` and `capabilities`, every agent of the fleet is compared. */
export interface DiffOptions extends ContractOptions {
  /** The old version: a manifest, a folder with a fleet or a manifest, or `git:<revision>`. Default: `git:HEAD`. */
  against?: string | undefined;
  /** The senders to assume. Default: `any-peer`. */
  assume?: Assume | undefined;
  /** The level from which on a change that is not accepted fails the comparison. Default: `breaking`. */
  failOn?: Level | undefined;
  /** Other levels of rules, by code: `{ W0703: "safe" }`. */
  level?: { readonly [code: string]: Level } | undefined;
  /** How long to compare each contract, in seconds. Default: 60. */
  budget?: number | undefined;
  /** The file of accepted findings. */
  accepted?: string | undefined;
}

/** The options of `capgen diff --replay`. */
export interface ReplayOptions extends DiffOptions {
  /** A file with recorded payloads, one on each line. */
  replay: string;
  /** The capability that the payloads belong to. */
  capability: string;
  side: Side;
}

/** The schemas of one side in both versions. */
export interface SideRelation {
  /** Whether the new schema accepts every payload that the old one accepts. */
  old_in_new: "yes" | "no" | "undecided";
  /** Whether the old schema accepts every payload that the new one accepts. */
  new_in_old: "yes" | "no" | "undecided";
  /** A payload that the old schema accepts and the new one rejects. */
  old_witness?: Json;
  /** A payload that the new schema accepts and the old one rejects. */
  new_witness?: Json;
  /** Why a relation is undecided. */
  reason?: string;
  /** Whether the receiver accepts every payload of senders with generated types. */
  from_capgen_peer: "yes" | "no" | "undecided";
}

/** A capability in both versions, or in one of them. */
export interface CapabilityRelation {
  status?: "added" | "removed";
  request?: SideRelation;
  response?: SideRelation;
}

/** A change of a contract. */
export interface Change {
  /** The code of the rule. */
  code: string;
  level: Level;
  agent: string;
  capability: string;
  /** `null` for a change that concerns neither side. */
  side: Side | null;
  /** The JSON Pointer from the capability to the value that changed. */
  pointer: string;
  message: string;
  /** The smallest payload that proves that the change breaks a call. */
  witness?: Json;
  /** The violations of `witness`. */
  violations?: Violation[];
  truncated?: true;
  help?: string;
  /** The identity of the change, for the file of accepted findings. */
  fingerprint: string;
  /** Whether it fails the comparison. */
  fails: boolean;
  /** The entry that accepts it. */
  accepted?: { reason: string; expires: string; expired?: true };
  /** The generated files with the old version. */
  callers?: string[];
}

/** The least step of a version that announces changes. */
export type Bump = "none" | "patch" | "minor" | "major";

/** The result of `diff`. */
export interface DiffResult {
  /** Whether no change fails the comparison, and the input is valid. */
  ok: boolean;
  /** The capabilities by name, or by `<agent>/<name>` if several contracts are compared. */
  capabilities: { [name: string]: CapabilityRelation };
  findings: Change[];
  /** Absent if the input is invalid. */
  bump?: Bump;
  bumps: { [name: string]: Bump };
  /** The errors of the input. */
  diagnostics: Diagnostic[];
}

/** The result of `diff` with `replay`. */
export interface ReplayResult {
  /** Whether the new version accepts all payloads. */
  ok: boolean;
  payloads: number;
  rejected: number;
  /** How many of the rejected payloads the old version accepts; absent without an old version. */
  accepted_before?: number;
  /** The first rejected payload; one that the old version accepts, if there is any. */
  first?: { line: number; accepted_before?: boolean; violations?: Violation[]; truncated?: true; error?: string };
  diagnostics: Diagnostic[];
}

/** The options of `capgen lock`. Without `peer` and `capabilities`, every agent of the fleet is locked. */
export interface LockOptions extends ContractOptions {
  /** Write nothing, and report differences from the lock. */
  check?: boolean | undefined;
}

/** The result of `lock`. */
export interface LockResult {
  ok: boolean;
  diagnostics: Diagnostic[];
}

/** Where an imported manifest is written, and how its schemas are read. */
export interface ImportSettings extends RunOptions {
  /** The file to write. Without it, nothing is written. */
  out?: string | undefined;
  /** Write nothing; `ok` is `false` if the file of `out` is out of date or missing. */
  check?: boolean | undefined;
  /** Write nothing, and give the changes to the file of `out` as `diff`. */
  diff?: boolean | undefined;
  /** Overwrite the file even if it was not imported. */
  force?: boolean | undefined;
  /** Widen schemas that a contract cannot express, and list each loss, instead of rejecting them. */
  lossy?: boolean | undefined;
  /** Keep formats as annotations instead of checking them: `annotate`, or `annotate=` and names of formats, separated by commas. */
  formats?: string | undefined;
}

/** The agent of an import, and entries with errors. */
export interface EntrySettings {
  /** The id of the agent. Default: from the name in the source, or of the file. */
  agent?: string | undefined;
  /** Leave out entries with errors, and list them, instead of failing. */
  skip?: boolean | undefined;
}

/** A document to import: a file, or the value itself; a string is the text of the document. */
export type ImportSource = { file: string; document?: undefined } | { file?: undefined; document: unknown };

/** The options of `capgen import`. */
export type ImportOptions = ImportSettings &
  (
    | ({ format: "mcp"; stdio?: undefined; http?: undefined } & EntrySettings & ImportSource)
    | ({ format: "mcp"; file?: undefined; document?: undefined; http?: undefined } & EntrySettings & {
          /** The command of a server that uses standard input and output, which is started. */
          stdio: readonly [string, ...string[]];
          /** The time for each answer, in seconds. */
          timeout?: number | undefined;
        })
    | ({ format: "mcp"; file?: undefined; document?: undefined; stdio?: undefined } & EntrySettings & {
          /** The URL of a server. */
          http: string;
          /** The file with its token. */
          tokenFile?: string | undefined;
          /** The file with the certificates to trust, as PEM. */
          ca?: string | undefined;
          /** The time for each answer, in seconds. */
          timeout?: number | undefined;
        })
    | ({ format: "json-schema" } & EntrySettings &
        ({ file: string | readonly string[]; document?: undefined } | { file?: undefined; document: unknown }) & {
          /** The name of the capability, instead of the one in the names of the files; `document` needs it, or `each`. */
          capability?: string | undefined;
          /** The side that the schemas are, instead of the one in the names of the files. */
          side?: Side | undefined;
          /** Each member of `$defs` and `definitions` is a capability with its name. */
          each?: boolean | undefined;
          /** The folder with the files that references may lead to. */
          rootDir?: string | undefined;
        })
    | ({ format: "openapi" } & EntrySettings &
        ImportSource & {
          /** Each schema in `components.schemas` is a capability with its name, too. */
          each?: boolean | undefined;
          /** With `each`: the side that the schemas are. Default: `request`. */
          side?: Side | undefined;
          /** The folder with the files that references may lead to. */
          rootDir?: string | undefined;
        })
    | ({ format: "a2a" } & EntrySettings & ImportSource)
    | ({ format: "manifest" } & ImportSource & {
          /** The program that makes the document, for the comment at the start of the manifest. */
          madeFrom?: string | undefined;
        })
  );

/** The result of `importManifest`. */
export interface ImportResult {
  /** Whether there are no errors; with `check`, also whether the file is up to date. */
  ok: boolean;
  /** The text of the manifest; absent if there are errors in the source. */
  manifest?: string;
  /** The path of the file. */
  path?: string;
  /** With `check` or `diff`, `unchanged`, `stale` (out of date) or `missing`; otherwise `written` or `unchanged`. Absent without a file. */
  status?: GeneratedFile["status"];
  /** With `diff`: the changes as a unified diff; empty if there are none. */
  diff?: string;
  diagnostics: Diagnostic[];
}

/** The options of `capgen export` for a document. */
export type ExportOptions = OneContractOptions &
  (
    | {
        format: "mcp";
        /** Write schemas that the APIs of all hosts accept; they may be wider than the contract. */
        strictClients?: boolean | undefined;
        /** Write a tool for each version of a capability. */
        allVersions?: boolean | undefined;
      }
    | { format: "openapi" }
    | {
        format: "openai";
        /** Write tools of the Chat Completions API instead of the Responses API. */
        chat?: boolean | undefined;
      }
    | {
        format: "a2a";
        /** The endpoint of the agent. */
        url: string;
      }
  );

/** The options of `capgen export json-schema`. */
export type ExportFolderOptions = OneContractOptions & {
  format: "json-schema";
  /** The folder to write, which is new, empty, or written by an earlier export. */
  out: string;
};

/** The options of `capgen export manifest-schema`. */
export interface ExportSchemaOptions extends RunOptions {
  format: "manifest-schema";
  /** The file that the schema is about. Default: `capabilities`. */
  file?: "capabilities" | "fleet" | undefined;
}

/** A part of a contract that the format of a document cannot express. */
export interface ExportLoss {
  capability: string;
  /** Absent for a part that belongs to neither side. */
  side?: Side;
  /** The JSON Pointer into the schema. */
  pointer: string;
  message: string;
}

/** The result of an export as a document. */
export interface ExportResult {
  ok: boolean;
  /** Absent if the manifest has errors. */
  document?: Json;
  losses: ExportLoss[];
  diagnostics: Diagnostic[];
}

/** The result of an export as a folder. */
export interface ExportFolderResult {
  ok: boolean;
  files: GeneratedFile[];
  diagnostics: Diagnostic[];
}

/**
 * Checks a payload against a side of a capability, as `capgen validate` does. `payload` is the value, `file` the path of a file with its
 * JSON text.
 *
 * The promise is rejected with a `CapgenError` or a `TypeError`, as that of `check`.
 */
export function validate(
  options: ValidateOptions & ({ payload: unknown; file?: undefined } | { payload?: undefined; file: string }),
): Promise<ValidateResult>;
/** Checks several payloads in one run, as `capgen validate --lines` does. */
export function validate(options: ValidateOptions & { payloads: readonly unknown[] }): Promise<ValidateAllResult>;

/**
 * Gives payloads that each violate one constraint, as `capgen example --invalid` does.
 *
 * The promise is rejected with a `CapgenError` or a `TypeError`, as that of `check`.
 */
export function example(options: ExampleOptions & { capability: string; invalid: true }): Promise<ExampleResult<InvalidPayload>>;
/** Gives small valid payloads of a capability, the smallest first, as `capgen example` does. */
export function example(options: ExampleOptions & { capability: string; invalid?: false | undefined }): Promise<ExampleResult<Json>>;
/** Gives payloads of all capabilities that each violate one constraint, as `capgen example --invalid` does. */
export function example(
  options: ExampleOptions & { capability?: undefined; invalid: true },
): Promise<ExampleResult<PayloadOrigin & InvalidPayload>>;
/** Gives small valid payloads of both sides of all capabilities, for fixtures of tests. */
export function example(options: ExampleOptions & { capability?: undefined; invalid?: false | undefined }): Promise<ExampleResult<AgentPayload>>;

/**
 * Checks recorded payloads against both versions, as `capgen diff --replay` does.
 *
 * The promise is rejected with a `CapgenError` or a `TypeError`, as that of `check`.
 */
export function diff(options: ReplayOptions): Promise<ReplayResult>;
/** Compares manifests with an older version, as `capgen diff` does. */
export function diff(options?: DiffOptions & { replay?: undefined }): Promise<DiffResult>;

/**
 * Writes the hashes of capabilities to `capgen.lock`, or compares them with it, as `capgen lock` does.
 *
 * The promise is rejected with a `CapgenError` or a `TypeError`, as that of `check`.
 */
export function lock(options?: LockOptions): Promise<LockResult>;

/**
 * Makes a manifest from a contract in another format, as `capgen import` does.
 *
 * The promise is rejected with a `CapgenError` or a `TypeError`, as that of `check`.
 */
export function importManifest(options: ImportOptions): Promise<ImportResult>;

/**
 * Gives a contract in another format, as `capgen export` does.
 *
 * The promise is rejected with a `CapgenError` or a `TypeError`, as that of `check`.
 */
export function exportManifest(options: ExportOptions | ExportSchemaOptions): Promise<ExportResult>;
/** Writes a folder with one JSON Schema file for each schema, as `capgen export json-schema` does. */
export function exportManifest(options: ExportFolderOptions): Promise<ExportFolderResult>;
