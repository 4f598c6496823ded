/** The functions for a side of a capability. */
export interface PREFIXValidators<T> {
  readonly is: (value: unknown) => value is T;
  readonly parse: (value: unknown, options?: PREFIXParseOptions) => PREFIXParseResult<T>;
}
