import type { Side } from "./commands.js";
import type { CapgenError, Diagnostic, GeneratedFile, RunOptions } from "./index.js";

/** A `URL`, if the libraries that the compiler uses declare it. */
export type Url = typeof globalThis extends { URL: { prototype: infer Url } } ? Url : never;

/** A schema that follows Standard JSON Schema, such as those of zod and ArkType. */
export interface StandardJsonSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>;
      readonly output: (options: { readonly target: string }) => Record<string, unknown>;
    };
  };
}

/** A JSON Schema of any draft, such as those of TypeBox. */
export type PlainJsonSchema = boolean | (object & { readonly "~standard"?: never });

/** A schema of a library, or a plain one. */
export type AgentSchema = StandardJsonSchema | PlainJsonSchema;

/** The type that a schema describes before it transforms a value. A plain schema has one type, as far as it is declared as a constant. */
export type SchemaInput<Schema> =
  Schema extends StandardJsonSchema<infer Input, infer _> ? Input : Schema extends { readonly static: infer Type } ? Type : JsonType<Schema>;

/** The type that a schema describes after it has transformed a value. */
export type SchemaOutput<Schema> =
  Schema extends StandardJsonSchema<infer _, infer Output> ? Output : Schema extends { readonly static: infer Type } ? Type : JsonType<Schema>;

/**
 * The type of a JSON Schema with literal types. It knows `const`, `enum`, `anyOf`, `oneOf`, `type`, `properties`, `required` and `items`;
 * the type of any other schema is `unknown`.
 */
export type JsonType<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Branch)[] } | { readonly oneOf: readonly (infer Branch)[] }
      ? Branch extends unknown
        ? JsonType<Branch>
        : never
      : Schema extends { readonly type: infer Type }
        ? Type extends readonly (infer Name)[]
          ? JsonTypeOf<Name, Schema>
          : JsonTypeOf<Type, Schema>
        : unknown;

type JsonTypeOf<Name, Schema> = Name extends "string"
  ? string
  : Name extends "number" | "integer"
    ? number
    : Name extends "boolean"
      ? boolean
      : Name extends "null"
        ? null
        : Name extends "array"
          ? Schema extends { readonly items: infer Items extends object }
            ? Items extends readonly unknown[]
              ? unknown[]
              : JsonType<Items>[]
            : unknown[]
          : Name extends "object"
            ? Schema extends { readonly properties: infer Properties }
              ? JsonObject<Properties, Schema extends { readonly required: readonly (infer Required)[] } ? Required : never>
              : { [name: string]: unknown }
            : unknown;

type JsonObject<Properties, Required> = Flat<
  { -readonly [Name in Extract<keyof Properties, Required>]: JsonType<Properties[Name]> } & {
    -readonly [Name in Exclude<keyof Properties, Required>]?: JsonType<Properties[Name]>;
  }
>;

type Flat<Type> = { [Name in keyof Type]: Type[Name] };

/** An error that a call may fail with. */
export interface ErrorDefinition {
  description?: string | undefined;
  /** The status of the response over HTTP, from 400 to 599. */
  status?: number | undefined;
  /** Whether the same request may succeed later. Default: `false`. */
  retryable?: boolean | undefined;
  /** The schema of the details, which come with the code. */
  details?: AgentSchema | undefined;
}

/** A capability. Without a schema, a side accepts every value. The keys are those of a manifest. */
export interface CapabilityDefinition {
  /** The schema of requests. The contract has its input: a request before it is transformed. */
  request?: AgentSchema | undefined;
  /** The schema of responses. The contract has its output: a response after it was transformed. */
  response?: AgentSchema | undefined;
  description?: string | undefined;
  /** The errors by code. */
  errors?: { readonly [code: string]: ErrorDefinition } | undefined;
  /** The time that a caller waits for the response, in milliseconds. */
  timeoutMs?: number | undefined;
  /** Whether calling twice has the same effect as calling once. */
  idempotent?: boolean | undefined;
  /** The release of the agent that introduced this capability. */
  since?: string | undefined;
  /** The name of the handler. Default: the name of the capability. */
  skill?: string | undefined;
  /** A reverse-domain name. */
  id?: string | undefined;
  /** The version of this capability, as in semver. */
  version?: string | undefined;
  /** The name in the protocol of the agent. */
  wireName?: string | undefined;
  /** Versions, or ranges of them, that the agent still supports. */
  supportedVersions?: readonly string[] | undefined;
  /** Versions, or ranges of them, that the agent will remove. */
  deprecatedVersions?: readonly string[] | undefined;
  /** The oldest version whose schemas callers may still use. */
  minSchemaVersion?: string | undefined;
  /** Whether callers with another contract are served. Default: `serve`. */
  skew?: "serve" | "refuse" | "strict" | undefined;
  tags?: readonly string[] | undefined;
  /** The roles that a caller needs, all of them. */
  requiredRoles?: readonly string[] | undefined;
  /** The scopes that a caller needs, all of them. */
  requiredScopes?: readonly string[] | undefined;
  sideEffects?: "pure" | "idempotent" | "external" | undefined;
  determinism?: "deterministic" | "nondeterministic" | undefined;
  /** How fast the agent promises to answer, such as `interactive`. */
  latency?: string | undefined;
  /** The operation of HTTP, or the webhook, that this capability describes. */
  http?: { readonly [key: string]: unknown } | undefined;
}

/** Capabilities by name. Several versions of a capability are an array, each with a `version`. */
export interface CapabilityDefinitions {
  readonly [name: string]: CapabilityDefinition | readonly CapabilityDefinition[];
}

/** The names of the channels of a transport. */
export interface Channels {
  requests: string;
  responses?: string | undefined;
}

/** A way to reach an agent. */
export type Transport =
  | { kind: "memory"; topics: Channels }
  | { kind: "mqtt"; topics: Channels; url?: string | undefined }
  | { kind: "kafka"; brokers: readonly string[]; topics: Channels; ssl?: boolean | undefined; sasl?: { readonly [key: string]: unknown } | undefined }
  | { kind: "nats"; servers: readonly string[]; subjects: Channels }
  | { kind: "sqs"; region: string; queues: Channels }
  | { kind: "amqp"; url: string; queues: Channels }
  | { kind: "mcp"; topics: Channels; url?: string | undefined };

/** An agent, as a manifest declares it. */
export interface AgentDefinition<Capabilities extends CapabilityDefinitions = CapabilityDefinitions> {
  /** The id, without `agent://`. */
  id: string;
  description?: string | undefined;
  /** The team or the person who is responsible for the agent. */
  owner?: string | undefined;
  /** How to reach the owner: an email address, or a URL with `https://`. */
  contact?: string | undefined;
  /** The URL of a page about the agent, with `https://`. */
  documentation?: string | undefined;
  /** Default: the kind `memory`, with the topic `agents.<id>.requests`. */
  transports?: readonly Transport[] | undefined;
  /** The defaults for `http` of the capabilities that have it. */
  http?: { readonly [key: string]: unknown } | undefined;
  capabilities: Capabilities;
}

/** A finding about an agent. */
export interface AgentDiagnostic extends Diagnostic {
  /** `CAPGEN_SCHEMA` if a library has no JSON Schema for a type; otherwise a code of capgen. */
  code: string;
  /** The name of the capability that the finding is about. */
  capability?: string;
  /** The side whose schema the finding is about. */
  side?: Side;
  /** The code of the declared error that the finding is about. */
  error?: string;
  /** The JSON Pointer into the definition, which goes on in the JSON Schema of a schema: `/capabilities/find/request/properties/text`. */
  pointer?: string;
}

/** The definition of an agent cannot become a manifest, or the manifest cannot be written. The message has a line for each finding. */
export class AgentError extends CapgenError {
  readonly code: "CAPGEN_INVALID_AGENT";
  readonly diagnostics: AgentDiagnostic[];
}

/** How the manifest of an agent is made. */
export interface ManifestOptions extends RunOptions {
  /** The file of the program, such as `import.meta.url`, for the comment at the start of the manifest. */
  source?: string | Url | undefined;
  /** Widen schemas that a contract cannot express, and report each loss, instead of rejecting them. */
  lossy?: boolean | undefined;
  /** Keep formats as annotations instead of checking them: `annotate`, or `annotate=` and names of formats, separated by commas. */
  formats?: string | undefined;
}

/** How the manifest of an agent is written. */
export interface WriteManifestOptions extends ManifestOptions {
  /** Overwrite a file that this package did not write. */
  force?: boolean | undefined;
}

/** A manifest that was made. */
export interface MadeManifest {
  /** The text of `capabilities.yaml`. */
  manifest: string;
  /** Warnings and notes. */
  diagnostics: AgentDiagnostic[];
}

/** A manifest that was written. */
export interface WrittenManifest extends MadeManifest {
  status: "written" | "unchanged";
}

/** The comparison of an agent with its manifest. */
export interface CheckedManifest {
  /** Whether the definition has no errors and the file is up to date. */
  ok: boolean;
  /** The text that the file should have; absent if the definition has errors. */
  manifest?: string;
  /** `unchanged`, `stale` (out of date) or `missing`; absent if the definition has errors. */
  status?: Exclude<GeneratedFile["status"], "written">;
  /** The changes to the file as a unified diff; empty if there are none. */
  diff: string;
  diagnostics: AgentDiagnostic[];
  /** The findings, each on a line, and the diff: a message for an assertion. */
  message: string;
}

/** An agent that is declared in a program. */
export interface Agent<Capabilities extends CapabilityDefinitions = CapabilityDefinitions> {
  readonly id: string;
  readonly capabilities: Capabilities;
  /**
   * The text of the manifest. The same definition always has the same text.
   *
   * The promise is rejected with an `AgentError` if the definition has errors, with another `CapgenError` if the program cannot be run, or
   * with a `TypeError` if an option is unknown or has a value of the wrong type.
   */
  manifest(options?: ManifestOptions): Promise<MadeManifest>;
  /**
   * Writes the manifest to a file, unless that has the text already. A file that was not written in this way is kept, and is an error.
   *
   * The promise is rejected as that of `manifest`.
   */
  write(path: string | Url, options?: WriteManifestOptions): Promise<WrittenManifest>;
  /**
   * Compares the manifest with a file, and writes nothing.
   *
   * Errors of the definition do not reject the promise: `ok` is `false`. It is rejected if the program cannot be run or an option is
   * invalid.
   */
  check(path: string | Url, options?: WriteManifestOptions): Promise<CheckedManifest>;
}

type CapabilitiesOf<Of> = Of extends { readonly capabilities: infer Capabilities } ? Capabilities : never;

type VersionsOf<Definition> = Definition extends readonly (infer Version)[] ? Version : Definition;

type RequestSchema<Definition> = Definition extends { readonly request: infer Schema } ? SchemaInput<Schema> : unknown;

type ResponseSchema<Definition> = Definition extends { readonly response: infer Schema } ? SchemaOutput<Schema> : unknown;

/** The type of the requests of a capability, as callers send them; of several versions, those of all. */
export type RequestOf<Of extends Agent, Name extends keyof CapabilitiesOf<Of>> = RequestSchema<VersionsOf<CapabilitiesOf<Of>[Name]>>;

/** The type of the responses of a capability, as callers get them; of several versions, those of all. */
export type ResponseOf<Of extends Agent, Name extends keyof CapabilitiesOf<Of>> = ResponseSchema<VersionsOf<CapabilitiesOf<Of>[Name]>>;

/**
 * Declares an agent. Nothing is checked or written before `manifest`, `write` or `check`.
 *
 * Throws a `TypeError` if the definition has no id or no object of capabilities.
 */
export function defineAgent<const Capabilities extends CapabilityDefinitions>(definition: AgentDefinition<Capabilities>): Agent<Capabilities>;
