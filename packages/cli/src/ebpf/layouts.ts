import {
  bccLayout,
  bpftraceHistLayout,
  explicitKernelLayout,
  exporterExp2Layout,
  exporterExp2ZeroLayout,
  exporterLinearLayout,
  inspektorGadgetLayout,
  type KernelLayout,
  libbpfToolsLayout,
  logLinear8Layout,
  queueDepthLayout,
} from '@hdrscope/ebpf';
import { wrongOption } from '../arguments.ts';

type MakeLayout = (count: number | undefined) => KernelLayout;

const LAYOUTS: Readonly<Record<string, MakeLayout>> = {
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

/** For the help. */
export const LAYOUTS_HELP: string = `${Object.keys(LAYOUTS).join(', ')}, each also with the number of its slots (libbpf-tools:27), or upper bounds (0,1,4,8)`;

/** @throws UsageError */
export function parseLayout(text: string): KernelLayout {
  if (/^-?\d+(,-?\d+)*$/.test(text)) return explicitKernelLayout(text.split(',').map(Number));
  const [, name = '', count] = /^([a-z0-9-]+?)(?::(\d+))?$/.exec(text) ?? [];
  const make = Object.hasOwn(LAYOUTS, name) ? LAYOUTS[name] : undefined;
  if (make === undefined) throw wrongOption('--layout', LAYOUTS_HELP, text);
  return make(count === undefined ? undefined : Number(count));
}
