// A caller of `trips` in TypeScript: see `errors_between_languages.rs`.
import { BookError, createTripsClient } from "./trips.js";
import type { BookFailure, Transport } from "./trips.js";

/** The text about an error of a call. The program narrows it by its code, and reads the details of the code. */
function advice(failure: BookFailure): string {
  if (failure.declared) {
    switch (failure.code) {
      case "NO_SEATS":
        return `NO_SEATS: ${failure.details.free} are free`;
      case "CLOSED":
        return `CLOSED: try again: ${failure.retryable}`;
    }
    const { code, details } = failure;
    return `${code}: ${JSON.stringify(details)}`;
  }
  return `other ${failure.code}: ${failure.message}, ${failure.details}`;
}

/** The outcome of a call in each form: the result, and the promise that rejects. */
export async function outcomes(transport: Transport, cases: string[]): Promise<[string, string][]> {
  const client = createTripsClient(transport, { from: "console" });
  const outcome = async (name: string): Promise<[string, string]> => {
    const result = await client.book({ case: name });
    const text = result.status === "ok" ? result.response : result.status === "error" ? advice(result.error) : result.status;
    try {
      return [text, await client.book.orThrow({ case: name })];
    } catch (error) {
      if (!(error instanceof BookError)) throw error;
      return [text, error.result.status === "error" ? advice(error.result.error) : error.result.status];
    }
  };
  return Promise.all(cases.map(outcome));
}
