import { assertText, mustBe } from '@hdrscope/core/internal';
import { exporterExp2Layout, exporterExp2ZeroLayout, exporterLinearLayout } from './exporter-layouts.ts';
import { explicitKernelLayout, type KernelLayout } from './kernel-layout.ts';
import {
  BPFTRACE_HIST_SLOTS,
  bccLayout,
  bpftraceHistLayout,
  bpftraceLhistLayout,
  inspektorGadgetLayout,
  libbpfToolsLayout,
  logLinear8Layout,
  queueDepthLayout,
} from './presets.ts';

/** Makes a layout from the numbers after its name. */
type LayoutMaker = (...numbers: readonly (number | undefined)[]) => KernelLayout;

/** Layouts by name. The number after the name is the number of slots, or another parameter of the layout. */
const LAYOUTS: Readonly<Record<string, LayoutMaker>> = {
  'queue-depth': () => queueDepthLayout(),
  'libbpf-tools': (slots) => libbpfToolsLayout(slots),
  bcc: (slots) => bccLayout(slots),
  'inspektor-gadget': (slots) => inspektorGadgetLayout(slots),
  'log-linear-8': (slots) => logLinear8Layout(slots),
  'bpftrace-hist': (k = 0, slots = k === 0 ? BPFTRACE_HIST_SLOTS : undefined) => bpftraceHistLayout(k, slots),
  'bpftrace-lhist': (min, max, step) => bpftraceLhistLayout({ min: min!, max: max!, step: step! }),
  'exporter-exp2': (max = 26) => exporterExp2Layout({ max }),
  'exporter-exp2zero': (max = 26) => exporterExp2ZeroLayout({ max }),
  'exporter-linear': (max = 20) => exporterLinearLayout({ max }),
};

/** How many numbers follow a name: at least and at most. The others have up to one. */
const NUMBERS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  'queue-depth': [0, 0],
  'bpftrace-hist': [0, 2],
  'bpftrace-lhist': [3, 3],
};

/** Describes the texts that `parseKernelLayout` takes, for help texts and errors. */
export const KERNEL_LAYOUT_SYNTAX: string = `${Object.keys(LAYOUTS).join(', ')}, most also with the number of slots (libbpf-tools:27), hist(n, k) as bpftrace-hist:K, lhist(n, min, max, step) as bpftrace-lhist:MIN:MAX:STEP, or upper bounds (0,1,4,8)`;

/**
 * Parses the name of a layout, as command lines and configurations contain it: `bcc`, `libbpf-tools:27` with the number of
 * slots, `bpftrace-hist:K` for `hist(n, K)`, `bpftrace-lhist:MIN:MAX:STEP`, or inclusive upper bounds, `0,1,4,8`. With
 * `exporter-…`, the number is the largest key.
 *
 * `bpftrace-hist` counts all integers from 2^31 on in one slot, which is right with every version of bpftrace. Versions above
 * 0.17 have slots for larger integers too: `bpftrace-hist:0:66`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when no layout has the name, or the layout cannot have that number of slots.
 * @example
 * ```ts
 * import { parseKernelLayout } from '@hdrscope/ebpf';
 *
 * parseKernelLayout('libbpf-tools:27').slots.slotCount; //=> 27
 * parseKernelLayout('0,1,4,8').slots.slotOf(3); //=> 2
 * parseKernelLayout('bpftrace-lhist:0:100:10').slots.slotOf(15); //=> 2
 * ```
 */
export function parseKernelLayout(text: string): KernelLayout {
  assertText('the text', text);
  if (/^-?\d+(,-?\d+)*$/.test(text)) return explicitKernelLayout(text.split(',').map(Number));
  const [name = '', ...numbers] = text.split(':');
  const make = Object.hasOwn(LAYOUTS, name) ? LAYOUTS[name] : undefined;
  const [least, most] = (make && NUMBERS[name]) ?? [0, 1];
  const isCount = numbers.length >= least && numbers.length <= most;
  if (make === undefined || !isCount || !numbers.every((number) => /^-?\d{1,16}$/.test(number))) {
    throw mustBe('ERR_INVALID_OPTION', 'the layout', KERNEL_LAYOUT_SYNTAX, text);
  }
  // Bounded: a layout has three numbers at most.
  return make(...numbers.map(Number));
}
