import { HdrscopeError, mustBe } from './errors.ts';
import { nearestName } from './nearest-name.ts';

/** The names of all options of a type: `{ unit: true, clock: true }`. The compiler keeps them complete. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** The function or class that takes options, for messages. */
export interface OptionsOwner<Options> {
  /** The name in messages, such as `Histogram`. */
  readonly name: string;
  readonly names: OptionNames<Options>;
  /** A right call, such as `new Histogram({ significantDigits: 3 })`. @default the name with all options */
  readonly call?: string;
}

/**
 * Refuses options that do not exist, which would be ignored in silence otherwise, and positional arguments.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `options` is not an object, or has a name that the owner does not know. The
 *   message has the nearest name; the details are `owner`, `option`, `nearest` and `names`.
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
}
