import { HdrscopeError } from '@hdrscope/core';
import { nearestName } from '@hdrscope/core/internal';
import { DAY_MS, DURATION_FORMS, durationNs, LONGEST_TIMER_MS, SIZE_FORMS, sizeBytes } from '@hdrscope/kit';
import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import * as z from '#zod';

// Every message states what is allowed. `read.ts` puts the place before it and the refused value after it.

/** A mapping that has these keys only. */
export function mapping<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? keyHints(issue.keys, shape) : 'must be a mapping',
  });
}

/** A line for each unknown key. */
function keyHints(keys: readonly string[], shape: object): string {
  const known = Object.keys(shape);
  return keys
    .map((key) => {
      const meant = nearestName(key, known);
      return meant === undefined
        ? `is not a known key: the keys are ${known.join(', ')}`
        : `is not a known key: did you mean ${meant}?`;
    })
    .join('\n');
}

/** A text that is not empty. */
export function text(what: string): z.ZodString {
  const error = `must be ${what}`;
  return z.string({ error }).min(1, { error });
}

/** One of these words. */
export function oneOf<const Words extends readonly string[]>(
  ...words: Words
): z.ZodEnum<{ [Word in Words[number]]: Word }> {
  return z.enum(words, { error: `must be ${listed(words)}` });
}

export function yesOrNo(fallback: boolean): z.ZodDefault<z.ZodBoolean> {
  return z.boolean({ error: 'must be true or false' }).default(fallback);
}

export function wholeNumber(from: number, to: number = Number.MAX_SAFE_INTEGER): z.ZodNumber {
  const range = to === Number.MAX_SAFE_INTEGER ? `of at least ${from}` : `from ${from} to ${to}`;
  const error = `must be an integer ${range}`;
  return z.number({ error }).int({ error }).min(from, { error }).max(to, { error });
}

/** A text that a function understands. */
function understood<Value>(
  what: string,
  read: (text: string) => Value | undefined,
): z.ZodPipe<z.ZodString, z.ZodTransform<Value, string>> {
  const error = `must be ${what}`;
  return z.string({ error }).transform((given, context): Value => {
    const value = read(given);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: error });
    return z.NEVER;
  });
}

/** A duration in milliseconds, which a timer can wait. */
export const duration: z.ZodType<number, string> = understood(
  `a duration above 0 and of at most 24 days, ${DURATION_FORMS}`,
  (given) => {
    const ms = (durationNs(given) ?? 0) / 1e6;
    return ms > 0 && ms <= LONGEST_TIMER_MS ? ms : undefined;
  },
);

/** How long days are kept, in milliseconds. */
export const days: z.ZodType<number, string> = understood('a duration of at least 1d, as in 90d', (given) => {
  const ms = (durationNs(given) ?? 0) / 1e6;
  return ms >= DAY_MS ? ms : undefined;
});

/** A size in bytes, of at least one. */
export const size: z.ZodType<number, string> = understood(
  `a size, ${SIZE_FORMS}`,
  (given) => sizeBytes(given) || undefined,
);

/** Where a server listens. */
export interface ListenAddress {
  /** A name or an address, without brackets. */
  readonly host: string;
  /** From 0 to 65535; 0 takes a free one. */
  readonly port: number;
}

export const address: z.ZodType<ListenAddress, string> = understood(
  'an address with a port from 0 to 65535, such as 127.0.0.1:9464, localhost:9464 or [::1]:9464',
  parseAddress,
);

/** Host and port of `localhost:9464`, `127.0.0.1:0` or `[::1]:9464`. */
function parseAddress(text: string): ListenAddress | undefined {
  const [, inBrackets, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = inBrackets ?? plain;
  const port = Number(digits);
  return host !== undefined && port <= 65_535 ? { host, port } : undefined;
}

export const unit: z.ZodType<CountedUnit, string> = z.enum(
  Object.keys(SHOWN_UNITS) as [CountedUnit, ...CountedUnit[]],
  { error: `must be ${listed(Object.keys(SHOWN_UNITS))}` },
) as z.ZodType<CountedUnit, string>;

/** A mapping of keys to texts. Numbers and booleans become the texts that they are written as. */
export const texts: z.ZodType<
  Readonly<Record<string, string>>,
  Record<string, string | number | boolean>
> = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()], { error: 'must be a text' }).transform(String),
  { error: 'must be a mapping of names to texts' },
);

/** A text that a function of the project accepts. `what` says what is allowed. */
export function acceptedBy(check: (text: string) => unknown, what: string): z.ZodString {
  return text(what).check((context) => {
    try {
      check(context.value);
    } catch (error) {
      if (!(error instanceof HdrscopeError)) throw error;
      context.issues.push({ code: 'custom', message: `must be ${what}`, input: context.value });
    }
  });
}

/** Words as a text: `a, b or c`. */
export function listed(words: readonly string[]): string {
  return words.length === 1 ? words[0]! : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
