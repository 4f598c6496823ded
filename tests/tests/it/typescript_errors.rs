//! Declared errors in generated TypeScript and JavaScript.

use capgen_codegen::{Language, Options, Regenerate, generate_with};
use capgen_manifest::{Manifest, Source, load};
use capgen_testkit::node::{command, printed};
use capgen_tests::contract::generated_with_calls;
use capgen_tests::folder;
use capgen_tests::node::{self, Program};

use crate::node_script::write_module;
use crate::typescript_calls::folder_of;

/// The contract of the case `errors`, in which each text is replaced with the other one.
pub(crate) fn errors_with(replaced: &[(&str, &str)]) -> Manifest {
    let path = folder().join("cases/errors/capabilities.yaml");
    let mut text = std::fs::read_to_string(path).unwrap();
    for (before, after) in replaced {
        assert!(text.contains(before), "{before}");
        text = text.replace(before, after);
    }
    load(&Source::new("capabilities.yaml", text)).unwrap().manifest
}

#[test]
fn declared_errors_reach_callers_with_their_details() {
    if node::require_or_skip().unwrap().is_none() {
        return;
    }
    let target = folder_of("errors");
    let (languages, options) =
        ([Language::JavaScriptModule, Language::CommonJs], Options { calls: true, ..Options::default() });
    // A caller with another schema of details, and without one of the codes.
    let older = errors_with(&[("free: { type: integer, minimum: 0 }", "free: { type: string }"), ("SOLD_OUT", "GONE")]);
    for (name, contract, single_file) in
        [("current", errors_with(&[]), false), ("older", older, false), ("single", errors_with(&[]), true)]
    {
        let options = Options { single_file, ..options.clone() };
        std::fs::create_dir_all(target.join(name)).unwrap();
        for (file, text) in generate_with(&contract, &languages, &options, &Regenerate::anywhere(&contract.agent)) {
            std::fs::write(target.join(name).join(file), text).unwrap();
        }
    }
    let script = folder().join("node/call_errors.mjs");
    assert_eq!(printed(command().arg(script).arg(target)).trim(), "tests passed");
}

#[test]
fn spans_and_metrics_of_calls_have_only_names_of_the_contract() {
    if node::require_or_skip().unwrap().is_none() {
        return;
    }
    let module = write_module(&errors_with(&[]), &folder_of("tracing"));
    let script = folder().join("node/call_tracing.mjs");
    assert_eq!(printed(command().arg(script).arg(module)), "8 tests\n");
}

/// A program that uses the types of declared errors.
const USES_OF_ERRORS: &str = r#"
import * as errors from "./errors.ts";
declare const client: errors.ErrorsClient;
export async function call(): Promise<number> {
  const result: errors.CallResult<errors.BookTripResponse, errors.BookTripErrors> = await client.bookTrip({ from: "a" });
  if (result.status === "ok") return result.response.id.length;
  if (result.status === "error" && result.error.declared) {
    const { error } = result;
    switch (error.code) {
      case "NO_SEATS":
        return error.details.free;
      case "SOLD_OUT":
        return error.details ?? 0;
      case "PAYMENT_DOWN":
        return error.retryAfterMs ?? 0;
      case "OTHER":
        return error.details.kind === "card" ? error.details.card.length : error.details.limit;
      case "INVALID_DATES":
        return error.details.reason === "past" ? 1 : 2;
    }
  }
  if (result.status !== "error") return result.error.message.length;
  const failure: errors.BookTripFailure = result.error;
  // The caller may have dropped the details.
  if (failure.code === "NO_SEATS") return failure.details?.free ?? 0;
  if (failure.code === "EAGENTRPC_NO_CAPABILITY" || failure.code === "NOT_DECLARED") return failure.retryable ? 1 : 0;
  return failure.message.length;
}
export const free = (result: errors.FailedCall<errors.BookTripErrors>): number =>
  result.error.declared && result.error.code === "NO_SEATS" ? result.error.details.free : 0;
export async function thrown(): Promise<errors.NoSeatsDetails | undefined> {
  try {
    const response: errors.BookTripResponse = await client.bookTrip.orThrow({ from: "a" }, { timeoutMs: 5 });
    const pong: unknown = await client.ping.orThrow(response.id);
    void pong;
  } catch (error) {
    if (error instanceof errors.BookTripError) {
      const failed: errors.FailedCall<errors.BookTripErrors> = error.result;
      const texts: string[] = [error.name, error.code, error.message, failed.status];
      void [texts, error.details];
      return failed.error.declared && failed.error.code === "NO_SEATS" ? failed.error.details : undefined;
    }
    if (error instanceof errors.FailedCallError) return void error.result.correlationId;
  }
  return undefined;
}
export const handlers: errors.ErrorsHandlers = {
  async bookTrip({ from }, context: errors.Context<errors.BookTripErrors>): Promise<errors.BookTripResponse> {
    if (from === "full") return context.fail("NO_SEATS", "all seats are taken", { free: 0 });
    if (from === "sold") return context.fail("SOLD_OUT", "sold out");
    const other = await client.changeSeat({ id: from }, { parent: context });
    return other.status === "ok" ? { id: from } : context.fail(other.error.code, other.error.message);
  },
  changeSeat: (_, context) => context.fail("NO_SEATS", "all seats are taken", { free: 1, next: { row: 2 } }),
  ping: (_, context) => context.fail("ANY", "any code"),
};
export const answered = (text: string): Promise<string | undefined> =>
  errors.handleErrors(text, handlers, { onError: (error: unknown, { caller }) => void [error, caller] });
"#;

/// Functions for the results of all capabilities, and calls of a capability with declared errors.
const USES_OF_ALL_RESULTS: &str = r#"
import * as errors from "./errors.ts";
declare const client: errors.ErrorsClient;
export function responseOf<T>(result: errors.CallResult<T>): T {
  if (result.status === "ok") return result.response;
  throw new errors.FailedCallError(result);
}
export const textOf = (error: errors.CallError): string => `${error.code}${error.declared ?? false}${error.details}`;
export const codeOf = ({ result }: errors.FailedCallError): string => result.error.code;
export const callerOf = ({ caller }: errors.Context): string => caller;
export async function timed<T>(call: (options: errors.CallOptions) => Promise<errors.CallResult<T>>): Promise<T> {
  return responseOf(await call({ timeoutMs: 5 }));
}
export async function use(context: errors.Context<errors.BookTripErrors>, thrown: errors.BookTripError): Promise<unknown> {
  const result = await client.bookTrip({ from: "a" });
  const [all, response]: [errors.CallResult<unknown>, errors.BookTripResponse] = [result, responseOf(result)];
  const timedResponse: errors.BookTripResponse = await timed((options) => client.bookTrip({ from: "a" }, options));
  if (result.status === "ok") return [all, response, timedResponse, callerOf(context), codeOf(thrown)];
  const [failed, failure, text]: [errors.FailedCall, errors.CallFailure, string] = [result, result.error, textOf(result.error)];
  if (failed.status === "error" && failed.error.declared) return failed.error.details;
  return [failure, text];
}
"#;

/// Calls of `fail` with several codes.
const USES_OF_SEVERAL_CODES: &str = r#"
import type * as errors from "./errors.ts";
export function fail(
  { fail }: errors.Context<errors.BookTripErrors>,
  codes: { none: "SOLD_OUT" | "PAYMENT_DOWN"; two: "NO_SEATS" | "OTHER"; any: string },
): unknown[] {
  const both = { free: 1, kind: "card" as const, card: "1" };
  return [() => fail(codes.none, "m"), () => fail(codes.two, "m", both), () => fail(codes.any, "m")];
}
"#;

#[test]
fn declared_errors_are_typed() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let file = generated_with_calls(&errors_with(&[]), Language::TypeScript);
    let program = |usage: &str, options: &serde_json::Value| {
        let files = vec![("errors.ts".to_owned(), file.clone()), ("use.ts".to_owned(), usage.to_owned())];
        Program { files, options: options.clone() }
    };
    let mut browser = node::strictest();
    browser["lib"] = serde_json::json!(["es2022", "dom"]);
    browser["noImplicitReturns"] = true.into();
    browser["noImplicitOverride"] = true.into();
    let options = [node::strict(), node::strictest(), browser];
    let right: Vec<Program> = [USES_OF_ERRORS, USES_OF_ALL_RESULTS, USES_OF_SEVERAL_CODES]
        .iter()
        .flat_map(|usage| options.iter().map(|options| program(usage, options)))
        .collect();
    assert_eq!(node.tsc_check_all(&right).unwrap(), vec![Vec::new(); right.len()]);
    let wrong = [
        "if (r.status === 'error' && r.error.declared) { const n: number = r.error.details.free; void n; }",
        "if (r.status === 'error' && r.error.declared && r.error.code === 'SOLD_OUT') void r.error.details.free;",
        "if (r.status === 'error' && r.error.code === 'NO_SEATS') void r.error.details.free;",
        "if (r.status === 'error' && r.error.declared && r.error.code === 'NOT_DECLARED') void r;",
        "context.fail('NO_SEATS', 'full');",
        "context.fail('NO_SEATS', 'full', { free: 'none' });",
        "context.fail('SOLD_OUT', 'sold out', { free: 0 });",
        "context.fail('NOT_DECLARED', 'full', { free: 0 });",
        "context.fail('NO_SEATS' as 'NO_SEATS' | 'SOLD_OUT', 'full');",
        "context.fail('NO_SEATS' as 'NO_SEATS' | 'SOLD_OUT', 'full', { free: 0 });",
        "context.fail('NO_SEATS' as 'NO_SEATS' | 'OTHER', 'full', { free: 0 });",
        "context.fail('NO_SEATS' as 'NO_SEATS' | 'NOT_DECLARED', 'full');",
        "context.fail(Symbol('NO_SEATS'), 'full');",
        "if (r.status !== 'ok') { const s: errors.CallResult<number> = r; const n: errors.CallFailure<errors.ChangeSeatErrors> = r.error; void [s, n]; }",
    ];
    let usage = |wrong: &str| {
        format!(
            "import * as errors from './errors.ts';\n\
             declare const context: errors.Context<errors.BookTripErrors>;\n\
             declare const r: errors.CallResult<errors.BookTripResponse, errors.BookTripErrors>;\n\
             export const f = () => {{ {wrong} }};\n"
        )
    };
    let programs = wrong.map(|wrong| program(&usage(wrong), &node::strictest()));
    for (wrong, errors) in wrong.iter().zip(node.tsc_check_all(&programs).unwrap()) {
        assert!(!errors.is_empty(), "{wrong}");
    }
}
