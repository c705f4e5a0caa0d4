import { createRegistry } from '@hdrscope/registry';
import { expectMisspelt } from '@hdrscope/testing/refusals';
import {
  bpftoolMap,
  bpftrace,
  bpftraceLhistLayout,
  explicitKernelLayout,
  exporterExp2Layout,
  formatKernelBars,
  formatKernelHistogram,
  framesSource,
  ingestKernel,
  iteratorFile,
  kernelMap,
  kernelQuantile,
  listMaps,
  queueDepthLayout,
} from '../src/index.ts';
import { kernelQuantiles } from '../src/internal.ts';
import { loadProgram, openKernelCounter, openKernelProgram } from '../src/loader/index.ts';

/** Options of any kind, as a program without types passes them. */
const wrong = (options: object): never => options as never;

const layout = queueDepthLayout();
const counts = { layout, counts: new Float64Array(layout.slots.slotCount) };
const source = framesSource([]);

test.each<[call: string, meant: string, action: () => unknown]>([
  ['explicitKernelLayout', 'firstIndex', () => explicitKernelLayout([1], wrong({ firstIdx: 1 }))],
  ['listMaps', 'signal', () => listMaps(wrong({ signl: 1 }))],
  ['exporterExp2Layout', 'min', () => exporterExp2Layout(wrong({ minn: 1, max: 9 }))],
  ['bpftraceLhistLayout', 'step', () => bpftraceLhistLayout(wrong({ min: 0, max: 10, steps: 5 }))],
  ['kernelQuantile', 'interpolation', () => kernelQuantile(counts, 0.5, wrong({ interpolate: 'inclusive' }))],
  [
    'kernelQuantiles',
    'interpolation',
    () => kernelQuantiles(counts, [0.5], wrong({ interpolate: 'inclusive' })),
  ],
  ['kernelMap', 'histogram', () => kernelMap(wrong({ path: '/none', layout, histogramm: 'a' }))],
  [
    'kernelMap, in shape',
    'slot',
    () => kernelMap({ path: '/none', layout, shape: wrong({ slots: 'bucket' }) }),
  ],
  ['bpftoolMap', 'timeoutMs', () => bpftoolMap(wrong({ path: '/none', layout, timeout: 7 }))],
  ['bpftoolMap, in shape', 'sum', () => bpftoolMap({ path: '/none', layout, shape: wrong({ sums: 0 }) })],
  ['bpftrace', 'printEveryMs', () => bpftrace(wrong({ file: './none.bt', printEvery: 1000 }))],
  ['framesSource', 'name', () => framesSource([], wrong({ nam: 'a' }))],
  ['iteratorFile', 'sumIndex', () => iteratorFile(wrong({ path: '/none', layout, sumIdx: 9 }))],
  ['formatKernelBars', 'width', () => formatKernelBars(counts, wrong({ widht: 20 }))],
  ['formatKernelHistogram', 'percentiles', () => formatKernelHistogram(counts, wrong({ percentile: [50] }))],
  ['openKernelCounter', 'name', () => openKernelCounter(wrong({ nam: 'a' }))],
  ['loadProgram', 'libbpf', () => loadProgram('./none.o', wrong({ libpbf: './none.so' }))],
  ['openKernelProgram', 'libbpf', () => openKernelProgram('runqueue', wrong({ libpbf: './none.so' }))],
  ['ingestKernel', 'perCpu', () => ingestKernel(createRegistry(), source, wrong({ perCPU: true }))],
  [
    'ingestKernel, in families',
    'description',
    () => ingestKernel(createRegistry(), source, { families: { queue_hist: wrong({ descriptoin: 'x' }) } }),
  ],
])('%s refuses an option that does not exist, and names %s', async (_call, meant, action) => {
  await expectMisspelt(action, meant);
});
