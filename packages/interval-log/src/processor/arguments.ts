import { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { assertScale } from '../writer/format.ts';
import { parseJavaDouble, parseJavaInteger } from './java-numbers.ts';
import { assertTicks, type ProcessorOptions } from './options.ts';

/** The parsed arguments: a request for help, or the options of a run. */
export type ProcessorArguments =
  | { readonly kind: 'help' }
  | { readonly kind: 'process'; readonly options: ProcessorOptions };

type MutableOptions = { -readonly [K in keyof ProcessorOptions]: ProcessorOptions[K] };

/** Arguments without a value. */
const SWITCHES: Readonly<Record<string, (options: MutableOptions) => void>> = {
  '-csv': (options) => {
    options.csv = true;
  },
  '-v': (options) => {
    options.verbose = true;
  },
  '-listtags': (options) => {
    options.listTags = true;
  },
  // Java accepts and ignores it.
  '-alltags': () => {},
};

/** Arguments with a value. As in Java, the next argument is the value, even if it begins with a dash. */
const SETTINGS: Readonly<Record<string, (options: MutableOptions, value: string, name: string) => void>> = {
  '-i': (options, path) => {
    options.inputPath = path;
  },
  '-o': (options, path) => {
    options.outputPath = path;
  },
  '-tag': (options, tag) => {
    options.tag = tag;
  },
  '-start': (options, value, name) => {
    options.startSec = parseJavaDouble(value, name);
  },
  '-end': (options, value, name) => {
    options.endSec = parseJavaDouble(value, name);
  },
  '-outputValueUnitRatio': (options, value, name) => {
    options.valueScale = parseJavaDouble(value, name);
    assertScale(options.valueScale, name);
  },
  '-correctLogWithKnownCoordinatedOmission': (options, value, name) => {
    options.expectedInterval = parseJavaDouble(value, name);
  },
  '-mwp': (options, value, name) => {
    options.movingWindow = { ...options.movingWindow, percentile: parseJavaDouble(value, name) };
  },
  '-mwpl': (options, value, name) => {
    options.movingWindow = { ...options.movingWindow, lengthMs: parseJavaInteger(value, 64, name) };
  },
  '-percentilesOutputTicksPerHalf': (options, value, name) => {
    options.ticksPerHalfDistance = parseJavaInteger(value, 32, name);
    assertTicks(options.ticksPerHalfDistance, name);
  },
};

/**
 * Parses the arguments of Java's `HistogramLogProcessor`. One dash or two may precede a name. The last of repeated
 * arguments counts.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an argument is unknown or wrong; the message names it and the allowed values.
 * @example
 * ```ts
 * import { parseProcessorArgs } from '@hdrscope/interval-log/internal';
 *
 * parseProcessorArgs(['-i', 'hiccup.hlog', '-csv', '-start', '5']);
 * //=> { kind: 'process', options: { inputPath: 'hiccup.hlog', csv: true, startSec: 5 } }
 * ```
 */
export function parseProcessorArgs(args: readonly string[]): ProcessorArguments {
  const options: MutableOptions = {};
  for (let at = 0; at < args.length; at++) {
    const given = args[at]!;
    const name = given.startsWith('--') ? given.slice(1) : given;
    if (name === '-h' || name === '-help') return { kind: 'help' };
    const turnOn = own(SWITCHES, name);
    const set = own(SETTINGS, name);
    if (turnOn !== undefined) turnOn(options);
    else if (set !== undefined) {
      const value = args[++at];
      if (value === undefined) {
        throw new HdrscopeError(
          'ERR_INVALID_OPTION',
          `${given} must be followed by a value, and is the last argument`,
          { details: { argument: given } },
        );
      }
      set(options, value, given);
    } else {
      const known = ['-h', ...Object.keys(SWITCHES), ...Object.keys(SETTINGS)].join(', ');
      throw mustBe('ERR_INVALID_OPTION', 'an argument', `one of ${known}`, given);
    }
  }
  return { kind: 'process', options };
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
