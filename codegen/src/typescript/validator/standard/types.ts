/**
 * One side of a capability for libraries that accept a Standard Schema (https://standardschema.dev). `redact`, `limit`
 * and `maxBytes` can be set in `libraryOptions`.
 */
export interface PREFIXStandardSchema<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "capgen";
    readonly validate: (
      value: unknown,
      options?: { readonly libraryOptions?: Record<string, unknown> | undefined } | undefined,
    ) =>
      | { readonly value: T; readonly issues?: undefined }
      | { readonly issues: PREFIXIssue[] };
    readonly types?: { readonly input: T; readonly output: T };
    /** The schema. Throws an error if the target is neither `draft-2020-12` nor `draft-07`. */
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>;
      readonly output: (options: { readonly target: string }) => Record<string, unknown>;
    };
  };
}

/**
 * A violation, with its keyword and the parameters of the keyword, such as `{ limit: 1 }` of `minLength`; the last issue has neither if
 * there are more.
 */
export interface PREFIXIssue {
  readonly message: string;
  readonly path: (string | number)[];
  readonly keyword?: string;
  readonly params?: Record<string, unknown>;
}

/** The members of a query string or form: `URLSearchParams`, `FormData`, or an object of texts and lists of texts. */
export type PREFIXFormMembers = Iterable<readonly [string, unknown]> | { readonly [name: string]: unknown };
