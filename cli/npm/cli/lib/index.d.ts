/** An `AbortSignal`, if the libraries that the compiler uses declare it. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } } ? Signal : any;

/** How to run the program. */
export interface RunOptions {
  /** The folder that other paths are relative to. Default: the working directory of this process. */
  cwd?: string | undefined;
  /** Ends the run. The promise is then rejected with an `AbortError`. */
  signal?: Signal | undefined;
}

/** The manifests to read, and how to run the program. */
export interface ContractOptions extends RunOptions {
  /** Agents of the fleet, by id. */
  peer?: string | readonly string[] | undefined;
  /** Every agent of the fleet. */
  all?: boolean | undefined;
  /** Paths of manifests, in the fleet or not. */
  capabilities?: string | readonly string[] | undefined;
  /** The root folder of the fleet. Default: `cwd` or its nearest parent with `fleet.yaml` or `agents/`. */
  root?: string | undefined;
}

/** The options of `capgen check`. */
export interface CheckOptions extends ContractOptions {
  /** Treat warnings as errors. */
  strict?: boolean | undefined;
}

/** A language of generated code. */
export type Language = "rust" | "typescript" | "javascript" | "mjs" | "cjs";

/** The programs that comparisons assume: any program that follows the schema, or programs with generated types. */
export type Assume = "any-peer" | "capgen-peer";

/** The options of `capgen gen` for the outputs in `fleet.yaml`. Each output has the other options itself. */
export interface OutputsOptions extends RunOptions {
  /** The root folder of the fleet. Default: `cwd` or its nearest parent with `fleet.yaml` or `agents/`. */
  root?: string | undefined;
  /** Write nothing, and report files that are out of date or missing, or whose agent no longer exists. */
  check?: boolean | undefined;
}

/** The options of `capgen gen` for a selection: one of `peer`, `all`, `capabilities` and `mcp` is required. */
export type GenerateOptions = GenerateSettings &
  (
    | { peer: string | readonly string[] }
    | { all: true }
    | { capabilities: string | readonly string[] }
    | { mcp: string }
  );

/** The options of `capgen gen`, with or without a selection. */
export interface GenerateSettings extends ContractOptions {
  /** A JSON file with the tools of an MCP server, to generate code from instead of manifests. */
  mcp?: string | undefined;
  /** With `mcp`: the id of the agent. Default: from the name of the server or of the file. */
  agent?: string | undefined;
  /** With `mcp`: widen schemas that a contract cannot express, and list each loss, instead of rejecting them. */
  lossy?: boolean | undefined;
  /** With `mcp`: leave out tools with errors, and list them, instead of failing. */
  skip?: boolean | undefined;
  /** With `mcp`: keep formats as annotations instead of checking them: `annotate`, or `annotate=` and names of formats, separated by commas. */
  formats?: string | undefined;
  /** The output folder. Default: `generated`. */
  out?: string | undefined;
  /** The languages to generate. Default: `rust` and `typescript`. */
  lang?: Language | readonly Language[] | undefined;
  /** Rust: merge "optional and nullable" into one `Option<T>`. */
  mergeNullable?: boolean | undefined;
  /** TypeScript: write arrays with bounds as `T[]` instead of tuples. */
  plainArrays?: boolean | undefined;
  /** Add a client that calls the agent, and an interface to implement it. */
  calls?: boolean | undefined;
  /**
   * TypeScript and JavaScript: add a table to servers that has the older contracts of each capability. They are in the history of the
   * manifest (`git`), or in these manifests. With `calls`.
   */
  history?: string | readonly string[] | undefined;
  /** With `history`: the programs that comparisons assume. Default: those that `fleet.yaml` names, otherwise `any-peer`. */
  assume?: Assume | undefined;
  /** With `history`: the file of accepted findings. Default: the file that `fleet.yaml` names. */
  accepted?: string | undefined;
  /** TypeScript and JavaScript: make each side of a capability a Standard Schema object. Default: `true`. */
  standardSchema?: boolean | undefined;
  /** TypeScript and JavaScript: write all code of an agent to its own file, instead of the code that files share to `_capgen`. */
  singleFile?: boolean | undefined;
  /** TypeScript: the extension with which files import `_capgen`. Default: `js`. */
  importExtension?: "js" | "ts" | "none" | undefined;
  /** Rust: the path of the crate `capgen`, such as `::my_capgen`. Default: `::capgen`. */
  runtimePath?: string | undefined;
  /** Write nothing, and report files that are out of date or missing, or whose agent no longer exists. */
  check?: boolean | undefined;
}

/** A place in a file. Lines and columns count from 1, columns in Unicode code points; the end is exclusive. */
export interface Place {
  path: string;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

/** A finding. A member that does not apply is absent. */
export interface Diagnostic extends Partial<Place> {
  /** The code, such as `E0107`. `capgen explain` explains it. */
  code: string;
  severity: "error" | "warning" | "note";
  /** One sentence, without a full stop. */
  message: string;
  /** A few words about the place. */
  label?: string;
  /** Other places that the finding refers to. */
  related?: (Place & { label: string })[];
  /** The JSON Pointer from the root of the file's document to the value in question. */
  pointer?: string;
  /** Further sentences. */
  notes?: string[];
  /** How to fix the problem. */
  help?: string;
  /** Edits that together fix the problem. A program may apply those that are `certain`. */
  suggestions?: (Place & { replacement: string; applicability: "certain" | "needs-review" })[];
}

/** The result of `check`. */
export interface CheckResult {
  /** Whether there are no errors; with `strict`, no warnings either. */
  ok: boolean;
  diagnostics: Diagnostic[];
}

/** A generated file. */
export interface GeneratedFile {
  path: string;
  /** With `check`, `unchanged`, `stale` (out of date) or `missing`; otherwise `written` or `unchanged`. */
  status: "written" | "unchanged" | "stale" | "missing";
}

/** One manifest and its generated files. */
export interface GeneratedPeer {
  /** The id of the agent. */
  peer: string;
  /** The path of the manifest. */
  source: string;
  capabilities: string[];
  files: GeneratedFile[];
  /** The hash of the contract, such as `sha256:...`. */
  hash: string;
}

/** The result of `generate`. */
export interface GenerateResult {
  /** Whether there are no errors; with `check`, also whether every file is up to date. */
  ok: boolean;
  /** Empty if a manifest has errors: then nothing was written. */
  peers: GeneratedPeer[];
  /** The files that the files of several agents share, such as `_capgen.ts`. */
  shared: GeneratedFile[];
  /** With `check`, the generated files whose agent no longer exists, and shared files that no other file needs. */
  orphans: string[];
  diagnostics: Diagnostic[];
}

/** The reason that the program could not be run, or did not give a result. */
export class CapgenError extends Error {
  /**
   * - `CAPGEN_NOT_INSTALLED`: the package with the program for this platform is not installed
   * - `CAPGEN_NOT_STARTED`: the program cannot be started, for example because `CAPGEN_BINARY` is not a program
   * - `CAPGEN_USAGE`: the options are not valid together
   * - `CAPGEN_FAILED`: the program ended without a result
   * - `CAPGEN_INVALID_AGENT`: the definition of an agent has errors (an `AgentError`)
   */
  readonly code: "CAPGEN_NOT_INSTALLED" | "CAPGEN_NOT_STARTED" | "CAPGEN_USAGE" | "CAPGEN_FAILED" | "CAPGEN_INVALID_AGENT";
}

/**
 * Reports all errors and warnings in manifests, as `capgen check` does. Without `peer` and `capabilities`, checks every agent of the fleet.
 *
 * The promise is rejected with a `CapgenError`, or with a `TypeError` if an option is unknown or has a value of the wrong type. Invalid
 * manifests do not reject it.
 */
export function check(options?: CheckOptions): Promise<CheckResult>;

/**
 * Generates the outputs that `generate.outputs` in `fleet.yaml` lists, as `capgen gen` does without a selection.
 *
 * The promise is rejected with a `CapgenError`, also if the fleet lists no outputs, or with a `TypeError` if an option is unknown or has a
 * value of the wrong type. Invalid manifests do not reject it.
 */
export function generate(options?: OutputsOptions): Promise<GenerateResult>;
/**
 * Generates code from the selected manifests, as `capgen gen` does.
 *
 * The promise is rejected with a `CapgenError`, or with a `TypeError` if an option is unknown or has a value of the wrong type. Invalid
 * manifests do not reject it.
 */
export function generate(options: GenerateOptions): Promise<GenerateResult>;

export * from "./commands.js";
export * from "./agent.js";
