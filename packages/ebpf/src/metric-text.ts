import type { CountedUnit } from '@hdrscope/registry';
import type { Frame, KernelHistogram } from './source/source.ts';

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
 * import { kernelMetricName } from '@hdrscope/ebpf';
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
export function metricDescription(
  { origin }: Frame,
  { name, layout }: KernelHistogram,
  kernelUnit: CountedUnit,
): string {
  const place = origin === undefined ? name : `${name}, ${origin}`;
  const unit = kernelUnit === 'none' ? '' : `, counted in ${kernelUnit}`;
  return `Values in ${place}; slots: ${layout.name}${unit}`;
}

const MOST_PROGRAMS = 3;

/** The origin of the histograms of a kernel map: see `Frame`. */
export function originOfMap(programs: readonly string[]): string {
  const shown = programs.slice(0, MOST_PROGRAMS);
  const more = programs.length - shown.length;
  const names = [...shown, ...(more > 0 ? [`${more} more`] : [])];
  if (names.length === 0) return 'an eBPF map';
  if (names.length === 1) return `an eBPF map of the program ${names[0]}`;
  return `an eBPF map of the programs ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
