import { mustBe } from '@hdrscope/core/internal';
import { exporterExp2Layout, exporterExp2ZeroLayout, exporterLinearLayout } from './exporter-layouts.ts';
import { explicitKernelLayout, type KernelLayout } from './kernel-layout.ts';
import {
  bccLayout,
  bpftraceHistLayout,
  inspektorGadgetLayout,
  libbpfToolsLayout,
  logLinear8Layout,
  queueDepthLayout,
} from './presets.ts';

/** Layouts by name. The number after the name is the number of slots, or another parameter of the layout. */
const LAYOUTS: Readonly<Record<string, (number: number | undefined) => KernelLayout>> = {
  'queue-depth': () => queueDepthLayout(),
  'libbpf-tools': (slots) => libbpfToolsLayout(slots),
  bcc: (slots) => bccLayout(slots),
  'inspektor-gadget': (slots) => inspektorGadgetLayout(slots),
  'log-linear-8': (slots) => logLinear8Layout(slots),
  'bpftrace-hist': (k) => bpftraceHistLayout(k),
  'exporter-exp2': (max = 26) => exporterExp2Layout({ max }),
  'exporter-exp2zero': (max = 26) => exporterExp2ZeroLayout({ max }),
  'exporter-linear': (max = 20) => exporterLinearLayout({ max }),
};

/** Describes the texts that `kernelLayoutOf` takes, for help texts and errors. */
export const KERNEL_LAYOUT_SYNTAX: string = `${Object.keys(LAYOUTS).join(', ')}, each also with the number of its slots (libbpf-tools:27), or upper bounds (0,1,4,8)`;

/**
 * Parses the name of a layout, as command lines and configurations contain it: `bcc`, `libbpf-tools:27` with the number of
 * slots, or inclusive upper bounds, `0,1,4,8`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when no layout has the name, or the layout cannot have that number of slots.
 * @example
 * ```ts
 * import { kernelLayoutOf } from '@hdrscope/ebpf';
 *
 * kernelLayoutOf('libbpf-tools:27').slots.slotCount; //=> 27
 * kernelLayoutOf('0,1,4,8').slots.slotOf(3); //=> 2
 * ```
 */
export function kernelLayoutOf(text: string): KernelLayout {
  if (/^-?\d+(,-?\d+)*$/.test(text)) return explicitKernelLayout(text.split(',').map(Number));
  const [, name = '', count] = /^([a-z0-9-]+?)(?::(\d+))?$/.exec(text) ?? [];
  const make = Object.hasOwn(LAYOUTS, name) ? LAYOUTS[name] : undefined;
  if (make === undefined) throw mustBe('ERR_INVALID_OPTION', 'the layout', KERNEL_LAYOUT_SYNTAX, text);
  return make(count === undefined ? undefined : Number(count));
}
