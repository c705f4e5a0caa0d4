/** A call of a public function that it takes. */
export interface RightCall {
  /** Calls the function, uses what it returns as far as an option could fail later, and closes it. */
  readonly call: (...args: never[]) => unknown;
  /** Right arguments, with the options that the function needs. */
  readonly args: readonly unknown[];
}

/** Right calls by the name of the function, with its package in front: `core.Histogram.copy`. */
export type RightCalls = Readonly<Record<string, RightCall>>;

export function right(call: RightCall['call'], ...args: readonly unknown[]): RightCall {
  return { call, args };
}

/** Reads the first of what an iterable yields, and ends it. */
export async function first<Value>(
  values: AsyncIterable<Value> | Iterable<Value>,
): Promise<Value | undefined> {
  for await (const value of values) return value;
  return undefined;
}
