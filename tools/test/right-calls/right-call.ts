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

/** What writes a registry from time to time. */
interface Sink {
  readonly health: { readonly lastError?: Error | undefined };
  flush(): Promise<unknown>;
  close(): Promise<unknown>;
}

/** Writes once, and throws what the sink did not throw. */
export async function flushOnce(opening: Promise<Sink>): Promise<void> {
  const sink = await opening;
  try {
    await sink.flush();
  } finally {
    await sink.close();
  }
  if (sink.health.lastError !== undefined) throw sink.health.lastError;
}

/** Reads the first of what an iterable yields, and ends it. */
export async function first<Value>(
  values: AsyncIterable<Value> | Iterable<Value>,
): Promise<Value | undefined> {
  for await (const value of values) return value;
  return undefined;
}
