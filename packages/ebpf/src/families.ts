import type { Resolution } from '@hdrscope/core';
import {
  custom,
  flag,
  fromTicks,
  listOf,
  mustBe,
  type OptionTable,
  object,
  oneOf,
  optional,
  type RulesFor,
  resolutionOf,
  type Settings,
  scaledLayout,
  text,
} from '@hdrscope/core/internal';
import {
  type Attributes,
  type CountedUnit,
  type FamilyOptions,
  type Reading,
  type Scope,
  SHOWN_UNITS,
} from '@hdrscope/registry';
import { scope } from '@hdrscope/registry/internal';
import { listCpuCounts } from './cpu-counts.ts';
import { mostPerSecond } from './increases.ts';
import { byIdentity, type Frame, type KernelHistogram } from './source/source.ts';

/** How the histograms of one name become a family. */
export interface KernelFamilyOptions {
  /**
   * Name of the family. @default the name of the histograms, without the `@` of bpftrace, and without a unit of `kernelUnit`
   * at its end
   */
  readonly name?: string;
  /** Description of the family. @default what holds the histograms, their slots and `kernelUnit` */
  readonly description?: string;
  /** Unit in which the program counts. It sets the unit and scale of the family. @default 'none' */
  readonly kernelUnit?: CountedUnit;
  /** Unit of the family, such as `{thread}`. @default the unit that shows `kernelUnit`: `s`, `By` or '' */
  readonly unit?: string;
  /** Size of one unit of the kernel in units of the family: above 0. @default the scale of `kernelUnit` */
  readonly scale?: number;
  /** Attributes of every series. They take precedence over attributes of the histograms. @default no attributes */
  readonly attributes?: Attributes | undefined;
  /**
   * Whether each CPU has its own series, with the attribute `cpu`: its position among the possible CPUs of the machine,
   * from 0. @default false
   */
  readonly perCpu?: boolean;
  /** Significant decimal digits, from 0 to 5. @default the fewest that keep the slots of the kernel apart */
  readonly significantDigits?: number;
  /** Boundaries of explicit buckets, in the unit of the family. @default the bounds of the kernel's slots */
  readonly boundaries?: readonly number[];
  /** How many series a family may have: see `FamilyOptions` of the registry. */
  readonly cardinalityLimit?: number;
  /** See `FamilyOptions` of the registry. */
  readonly expireAfterMs?: number;
  /** See `FamilyOptions` of the registry. */
  readonly scope?: Scope;
}

const UNIT = oneOf(Object.keys(SHOWN_UNITS) as CountedUnit[]);
const NUMBER = custom<number>('a number', (value) => typeof value === 'number');

/** The rules for a family. The registry checks the ranges of what it takes as it is. */
export const KERNEL_FAMILY_RULES: RulesFor<KernelFamilyOptions, keyof KernelFamilyOptions> = {
  name: optional(text),
  description: optional(text),
  kernelUnit: optional(UNIT),
  unit: optional(text),
  scale: optional(NUMBER),
  attributes: optional(object<Attributes>()),
  perCpu: optional(flag),
  significantDigits: optional(NUMBER),
  boundaries: optional(listOf(NUMBER, 'numbers')),
  cardinalityLimit: optional(NUMBER),
  expireAfterMs: optional(NUMBER),
  scope: optional(scope),
};

export const KERNEL_FAMILY: OptionTable<RulesFor<KernelFamilyOptions, keyof KernelFamilyOptions>> = {
  name: 'an entry of families',
  rules: KERNEL_FAMILY_RULES,
  call: "{ families: { queue_hist: { name: 'runqueue.depth' } } }",
};

/** Checked options. */
type FamilySettings = Partial<Settings<KernelFamilyOptions, keyof KernelFamilyOptions>>;

/** The family of the histograms of one name, for all readings of it. */
interface Target extends Required<Pick<KernelFamilyOptions, 'perCpu' | 'attributes'>> {
  readonly family: FamilyOptions;
  readonly resolution: Resolution;
}

/** Parses frames: a reading for each CPU of each histogram, since each CPU counts, falls and turns for itself. */
export class KernelReadings {
  readonly #optionsOf: (name: string) => FamilySettings;
  /** Targets by the names of histograms. */
  readonly #targets = new Map<string, Target>();

  constructor(optionsOf: (name: string) => FamilySettings) {
    this.#optionsOf = optionsOf;
  }

  /** @throws HdrscopeError `ERR_KERNEL` when parts of the frame do not fit each other, `ERR_INVALID_OPTION`. */
  of(frame: Frame): Reading[] {
    const { counterBits } = frame;
    return [...byIdentity(frame)].flatMap(([identity, histogram]) => {
      const { family, resolution, perCpu, attributes } = this.#targetOf(histogram, frame);
      const layout = scaledLayout(histogram.layout.slots, resolution);
      const epoch = histogram.generation ?? frame.generation;
      const counter = { epoch, counterBits, mostPerSecond: mostPerSecond(frame) };
      return listCpuCounts(histogram).map(({ counts, sum }, cpu) => ({
        key: `${identity} ${cpu}`,
        family,
        attributes: { ...histogram.attributes, ...attributes, ...(perCpu && { cpu }) },
        counted: { layout, counts },
        sum: sum === undefined ? undefined : fromTicks(resolution, sum),
        counter,
      }));
    });
  }

  #targetOf(histogram: KernelHistogram, frame: Frame): Target {
    const { name, metric } = histogram;
    const known = this.#targets.get(name);
    if (known !== undefined) return known;
    const { kernelUnit, unit, description, expireAfterMs } = metric ?? {};
    const ofSource = withoutUndefined({ kernelUnit, unit, description, expireAfterMs });
    const target = targetOf(histogram, frame, { ...ofSource, ...withoutUndefined(this.#optionsOf(name)) });
    this.#targets.set(name, target);
    return target;
  }
}

/** Options that are left out must not hide what the source knows. */
function withoutUndefined(options: object): KernelFamilyOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function targetOf(
  histogram: KernelHistogram,
  frame: Frame,
  { kernelUnit = 'none', attributes = {}, perCpu = false, scale, ...given }: KernelFamilyOptions,
): Target {
  // A source may report a unit that does not exist.
  if (!UNIT.accepts(kernelUnit)) throw mustBe('ERR_INVALID_OPTION', 'kernelUnit', UNIT.allowed, kernelUnit);
  const shown = SHOWN_UNITS[kernelUnit];
  const family: FamilyOptions = {
    name: kernelMetricName(histogram.name, kernelUnit),
    description: metricDescription(frame, histogram, kernelUnit),
    unit: shown.unit,
    ...given,
  };
  return { family, resolution: resolutionOf(scale ?? shown.scale), perCpu, attributes };
}

/** Words that end the names of maps, by the unit that they mean. */
const UNIT_ENDINGS: Readonly<Partial<Record<CountedUnit, RegExp>>> = {
  ns: /[_.](?:ns|nsecs?|nanosecs?|nanoseconds?)$/i,
  us: /[_.](?:us|usecs?|microsecs?|microseconds?)$/i,
  ms: /[_.](?:ms|msecs?|millisecs?|milliseconds?)$/i,
  s: /[_.](?:s|secs?|seconds?)$/i,
  bytes: /[_.]bytes?$/i,
  KiB: /[_.](?:kib|kb|kbytes?)$/i,
};

/**
 * The name of the family of a map or a variable, when the options of `ingestKernel` have no other one. The `@` of bpftrace
 * goes, and so does `AT_`, which the kernel has for it. A unit at the end goes, because the family has its own.
 *
 * @param histogram Name of the map or variable.
 * @param kernelUnit Unit in which the program counts.
 * @example
 * ```ts
 * import { kernelMetricName } from '@hdrscope/ebpf/internal';
 *
 * kernelMetricName('@reads', 'none'); //=> 'reads'
 * kernelMetricName('wait_us', 'us'); //=> 'wait'
 * kernelMetricName('wait_us', 'none'); //=> 'wait_us'
 * ```
 */
export function kernelMetricName(histogram: string, kernelUnit: CountedUnit): string {
  const name = histogram.replace(/^(?:@|AT_)(?=.)/, '');
  if (name === '@') return 'bpftrace';
  const ending = UNIT_ENDINGS[kernelUnit];
  const short = ending === undefined ? name : name.replace(ending, '');
  return short === '' ? name : short;
}

/** The description of a metric that has no other one: what counts, in which slots and in which unit. */
function metricDescription(
  { origin }: Frame,
  { name, layout }: KernelHistogram,
  kernelUnit: CountedUnit,
): string {
  const place = origin === undefined ? name : `${name}, ${origin}`;
  const unit = kernelUnit === 'none' ? '' : `, counted in ${kernelUnit}`;
  return `Values in ${place}; slots: ${layout.name}${unit}`;
}
