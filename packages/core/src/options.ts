import { HdrscopeError, mustBe } from './errors.ts';
import { nearestName } from './nearest-name.ts';

/** What one option may be. A right value is taken as it is. */
export interface OptionRule<Value> {
  /** What follows "must be" in the message: `an integer from 0 to 9`. */
  readonly allowed: string;
  readonly accepts: (value: unknown) => value is Value;
  /** Whether errors leave out the value that is refused, as for a token. @default false */
  readonly isSecret?: boolean;
  /** Checks the members of an accepted value, by errors that name them after `what`. */
  assertMembers?(what: string, value: Value): void;
  /** Throws the error of the part for which a value is refused, if there is such a part. */
  assertParts?(what: string, value: unknown): void;
}

/** A rule for an option that may be left out. */
export interface OptionalRule<Value, Default extends Value | undefined> extends OptionRule<Value> {
  /** The value of an option that is left out. `undefined`: it stays left out. */
  readonly default: Default;
}

/** A rule for each option of a function: for an option that the type requires, one without a default. */
export type OptionRules<Options> = {
  readonly [Name in keyof Options]-?: Record<never, never> extends Pick<Options, Name>
    ? OptionalRule<Exclude<Options[Name], undefined>, Exclude<Options[Name], undefined> | undefined>
    : OptionRule<Options[Name]>;
};

/** {@link OptionRules} that a module exports: options in `Absent` may be left out and then have no value. */
export type RulesFor<Options, Absent extends keyof Options = never> = {
  readonly [Name in keyof Options]-?: Record<never, never> extends Pick<Options, Name>
    ? OptionalRule<
        Exclude<Options[Name], undefined>,
        Name extends Absent ? undefined : Exclude<Options[Name], undefined>
      >
    : OptionRule<Options[Name]>;
};

/** All that is known of the options of a function or class. */
export interface OptionTable<Rules> {
  /** The function or class, as in messages: `Histogram`. */
  readonly name: string;
  readonly rules: Rules;
  /** A right call, such as `new Histogram({ significantDigits: 3 })`. @default the name with all options */
  readonly call?: string;
}

/** Options with their defaults. Those in `Absent` have none, and may be `undefined`. */
export type Settings<Options, Absent extends keyof Options = never> = {
  readonly [Name in keyof Options]-?: Name extends Absent
    ? Options[Name] | undefined
    : Exclude<Options[Name], undefined>;
};

/** The {@link Settings} that a table makes: those without a default are in `Absent`. */
export type SettingsOf<Options, Rules> = {
  readonly [Name in keyof Options]-?: Name extends keyof Rules
    ? Rules[Name] extends { readonly default: undefined }
      ? Options[Name] | undefined
      : Exclude<Options[Name], undefined>
    : never;
};

/**
 * Checks options by their table, and fills in the defaults. An option that is `undefined` is left out.
 *
 * @param prefix Comes before the names of options in messages, for options in an option: `rotation.`. @default none
 * @throws HdrscopeError `ERR_INVALID_OPTION` as {@link assertOptions}, and when an option is not what its rule allows.
 * @example
 * ```ts
 * import { integer, readOptions, withDefault } from '@hdrscope/core/internal';
 *
 * const table = { name: 'delay', rules: { timeoutMs: withDefault(integer({ from: 1 }), 1000) } };
 * readOptions({}, table); //=> { timeoutMs: 1000 }
 * readOptions({ timeoutMs: 0.5 }, table); //=> throws ERR_INVALID_OPTION
 * ```
 */
export function readOptions<Options, Rules extends OptionRules<Options>>(
  options: Options,
  { name, rules, call }: OptionTable<Rules>,
  prefix = '',
): SettingsOf<Options, Rules> {
  const names = rules as unknown as OptionNames<unknown>;
  assertOptions(options, call === undefined ? { name, names } : { name, names, call }, prefix);
  const given = options as Readonly<Record<string, unknown>>;
  const settings: Record<string, unknown> = {};
  for (const [option, rule] of Object.entries<OptionRule<unknown>>(rules)) {
    const value = given[option];
    if (value === undefined && 'default' in rule) {
      settings[option] = rule.default;
    } else {
      if (value === undefined) assertFollows(`${prefix}${option}`, rule, value);
      settings[option] = value;
    }
  }
  return settings as SettingsOf<Options, Rules>;
}

/**
 * Refuses a value that does not follow a rule, also one that cannot be looked at, such as a revoked proxy.
 *
 * @param what Its name in the message.
 * @throws HdrscopeError `ERR_INVALID_OPTION`
 */
export function assertFollows<Value>(
  what: string,
  { allowed, accepts, isSecret, assertMembers, assertParts }: OptionRule<Value>,
  value: unknown,
): asserts value is Value {
  let isAccepted = false;
  try {
    isAccepted = accepts(value);
  } catch {
    // A getter or a trap of the value has thrown.
  }
  if (isAccepted) return assertMembers?.(what, value as Value);
  assertParts?.(what, value);
  if (isSecret !== true) throw mustBe('ERR_INVALID_OPTION', what, allowed, value);
  throw new HdrscopeError('ERR_INVALID_OPTION', `${what} must be ${allowed}`, { details: { what, allowed } });
}

/** An option that has a value when it is left out. */
/* @__NO_SIDE_EFFECTS__ */
export function withDefault<Value, Default extends Value>(
  rule: OptionRule<Value>,
  value: Default,
): OptionalRule<Value, Value> {
  return { ...rule, default: value };
}

/** An option that may be left out and then has no value. */
/* @__NO_SIDE_EFFECTS__ */
export function optional<Value>(rule: OptionRule<Value>): OptionalRule<Value, undefined> {
  return { ...rule, default: undefined };
}

/** Limits of a number. */
export interface NumberRange {
  /** The least value. */
  readonly from?: number;
  /** Exclusive lower limit. */
  readonly above?: number;
  /** The greatest value. @default any finite value */
  readonly to?: number;
  /** Exclusive upper limit. */
  readonly below?: number;
}

/** A finite number in a range; `Infinity` only where `to` is `Infinity`. */
/* @__NO_SIDE_EFFECTS__ */
export function number(range: NumberRange = {}): OptionRule<number> {
  return {
    allowed: `a ${range.to === Number.POSITIVE_INFINITY ? 'number' : 'finite number'}${describeRange(range)}`,
    accepts: (value): value is number => typeof value === 'number' && isInRange(value, range),
  };
}

/** A safe integer in a range; `Infinity` too where `to` is `Infinity`. */
/* @__NO_SIDE_EFFECTS__ */
export function integer(range: NumberRange = {}): OptionRule<number> {
  const orInfinity = range.to === Number.POSITIVE_INFINITY ? ', or Infinity' : '';
  return {
    allowed: `an integer${describeRange(range)}${orInfinity}`,
    accepts: (value): value is number =>
      (Number.isSafeInteger(value) || value === Number.POSITIVE_INFINITY) &&
      isInRange(value as number, range),
  };
}

/** The longest delay of a timer of Node.js. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Milliseconds that a timer can wait: above 0, or from a least value. */
/* @__NO_SIDE_EFFECTS__ */
export function milliseconds(range: Pick<NumberRange, 'from'> = {}): OptionRule<number> {
  const { from } = range;
  const limits = from === undefined ? { above: 0, to: LONGEST_TIMER_MS } : { from, to: LONGEST_TIMER_MS };
  return {
    allowed: `a number of milliseconds${describeRange(limits)}`,
    accepts: (value): value is number => typeof value === 'number' && isInRange(value, limits),
  };
}

function isInRange(
  value: number,
  {
    from = Number.NEGATIVE_INFINITY,
    above = Number.NEGATIVE_INFINITY,
    to = Number.MAX_VALUE,
    below = Number.POSITIVE_INFINITY,
  }: NumberRange,
): boolean {
  return (
    value >= from && value > above && value <= to && (value < below || below === Number.POSITIVE_INFINITY)
  );
}

function describeRange({ from, above, to, below }: NumberRange): string {
  const upper = to === Number.POSITIVE_INFINITY ? undefined : to;
  if (from !== undefined && upper !== undefined) return ` from ${power(from)} to ${power(upper)}`;
  const parts = [
    from === undefined ? '' : `of at least ${power(from)}`,
    above === undefined ? '' : `above ${power(above)}`,
    upper === undefined ? '' : `at most ${power(upper)}`,
    below === undefined ? '' : `below ${power(below)}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : ` ${parts.join(' and ')}`;
}

/** Large limits are powers of 2: `2^31 - 1`. */
function power(value: number): string {
  const exponent = Math.log2(value + 1);
  if (value > 2 ** 24 && Number.isInteger(exponent)) return `2^${exponent} - 1`;
  const whole = Math.log2(value);
  return value > 2 ** 24 && Number.isInteger(whole) ? `2^${whole}` : `${value}`;
}

/** A text of any length. */
export const text: OptionRule<string> = custom('a text', (value) => typeof value === 'string');

/** @throws HdrscopeError `ERR_INVALID_OPTION` unless a value is a text. */
export function assertText(what: string, value: unknown): asserts value is string {
  assertFollows(what, text, value);
}

/** A text that is not empty. @param allowed What it names: `the path of a file`. */
/* @__NO_SIDE_EFFECTS__ */
export function filledText(allowed = 'a text, not empty'): OptionRule<string> {
  return custom(allowed, (value) => typeof value === 'string' && value !== '');
}

export const flag: OptionRule<boolean> = custom('true or false', (value) => typeof value === 'boolean');

/** An object. Where it holds options, their table is read by itself, with a prefix, unless the rule is {@link optionsIn}. */
/* @__NO_SIDE_EFFECTS__ */
export function object<Value extends object>(): OptionRule<Value> {
  return custom('an object', (value) => typeof value === 'object' && value !== null && !Array.isArray(value));
}

/** Options in an option, which are only checked: their defaults are not filled in. */
/* @__NO_SIDE_EFFECTS__ */
export function optionsIn<Options extends object>(
  table: OptionTable<OptionRules<Options>>,
): OptionRule<Options> {
  return {
    ...object<Options>(),
    assertMembers: (what, value) => void readOptions(value, table, `${what}.`),
  };
}

/** An object whose methods with these names may be left out. It may have any others. */
/* @__NO_SIDE_EFFECTS__ */
export function observer<Value extends object>(
  ...methods: readonly (string & keyof Value)[]
): OptionRule<Value> {
  return custom(
    `an object whose ${methods.join(', ')}, where it has them, are functions`,
    (value) =>
      object<Value>().accepts(value) &&
      methods.every((method) => value[method] === undefined || typeof value[method] === 'function'),
  );
}

/** An object with these methods. @param allowed What it is: `a clock`. */
/* @__NO_SIDE_EFFECTS__ */
export function having<Value extends object>(
  allowed: string,
  ...methods: readonly ((string | symbol) & keyof Value)[]
): OptionRule<Value> {
  return custom(allowed, (value) =>
    methods.every((method) => typeof (value as Value | null)?.[method] === 'function'),
  );
}

/** An object whose values are all texts, such as headers. */
export const textsByName: OptionRule<Readonly<Record<string, string>>> = custom(
  'an object of texts',
  (value) => object().accepts(value) && Object.values(value).every((one) => typeof one === 'string'),
);

/** One of a few words. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<const Word extends string>(words: readonly Word[]): OptionRule<Word> {
  const quoted = words.map((word) => `'${word}'`).join(', ');
  return custom(quoted.replace(/, (?=[^,]*$)/, ' or '), (value) => words.includes(value as Word));
}

/** A function. */
/* @__NO_SIDE_EFFECTS__ */
export function callback<Value extends (...args: never) => unknown>(): OptionRule<Value> {
  return custom('a function', (value) => typeof value === 'function');
}

/**
 * An array whose elements all follow a rule. It is not copied. Errors name the first element that does not: `thresholds[2]`.
 *
 * @param elements Their name in plural: `texts`.
 */
/* @__NO_SIDE_EFFECTS__ */
export function listOf<Element>(rule: OptionRule<Element>, elements: string): OptionRule<readonly Element[]> {
  const { accepts, assertMembers } = rule;
  const list = custom<readonly Element[]>(
    `an array of ${elements}`,
    (value) => Array.isArray(value) && value.every(accepts),
  );
  return {
    ...list,
    assertParts(what, value): void {
      if (!Array.isArray(value)) return;
      for (const [i, element] of value.entries()) assertFollows(`${what}[${i}]`, rule, element);
    },
    ...(assertMembers !== undefined && {
      assertMembers(what: string, value: readonly Element[]): void {
        for (const [i, element] of value.entries()) assertMembers(`${what}[${i}]`, element);
      },
    }),
  };
}

/** Anything that a test accepts. @param allowed What follows "must be". */
/* @__NO_SIDE_EFFECTS__ */
export function custom<Value>(allowed: string, accepts: (value: unknown) => boolean): OptionRule<Value> {
  return { allowed, accepts: accepts as OptionRule<Value>['accepts'] };
}

/**
 * The names of all options of a type, each with the rule of its values, or `true` where the function checks them itself:
 * `{ unit: text, clock: true }`. The compiler keeps them complete.
 */
export type OptionNames<Options> = Readonly<Record<keyof Options, true | OptionRule<unknown>>>;

/** The function or class that takes options, for messages. */
export interface OptionsOwner<Options> {
  /** The name in messages, such as `Histogram`. */
  readonly name: string;
  readonly names: OptionNames<Options>;
  /** A right call, such as `new Histogram({ significantDigits: 3 })`. @default the name with all options */
  readonly call?: string;
}

/**
 * Refuses options that do not exist, which would be ignored in silence otherwise, positional arguments, and values that do not follow
 * their rule. An option that is `undefined` is left out.
 *
 * @param prefix Comes before the names of options in messages about their values, for options in an option: `rotation.`. @default none
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `options` is not an object, when a value does not follow its rule, or when there is
 *   a name that the owner does not know. The message then has the nearest name; the details are `owner`, `option`, `nearest` and `names`.
 * @example
 * ```ts
 * import { assertOptions } from '@hdrscope/core/internal';
 *
 * const owner = { name: 'delay', names: { timeoutMs: true } } as const;
 * assertOptions({ timeoutMs: 7 }, owner);
 * assertOptions({ timeout: 7 }, owner); //=> throws ERR_INVALID_OPTION
 * ```
 */
export function assertOptions<Options>(
  options: unknown,
  { name, names, call = `${name}({ ${Object.keys(names).join(', ')} })` }: OptionsOwner<Options>,
  prefix = '',
): asserts options is Options {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw mustBe('ERR_INVALID_OPTION', `the options of ${name}`, `one object, as in ${call}`, options);
  }
  for (const option of Object.keys(options)) {
    if (Object.hasOwn(names, option)) continue;
    const known = Object.keys(names);
    const nearest = nearestName(option, known);
    const cure = nearest === undefined ? `its options are ${known.join(', ')}` : `did you mean ${nearest}?`;
    throw new HdrscopeError(
      'ERR_INVALID_OPTION',
      `${name} has no option ${JSON.stringify(option)}: ${cure}`,
      {
        details: { owner: name, option, nearest, names: known },
      },
    );
  }
  // A timer checks its options each time it starts: an array of entries would take longer than all else.
  for (const option in names) {
    const rule: true | OptionRule<unknown> = names[option];
    const value: unknown = (options as Readonly<Record<string, unknown>>)[option];
    if (rule !== true && value !== undefined) assertFollows(`${prefix}${option}`, rule, value);
  }
}
