import { Readable } from 'node:stream';
import {
  bccLayout,
  bpftoolMap,
  bpftrace,
  bpftraceHistLayout,
  bpftraceLhistLayout,
  explicitKernelLayout,
  exporterExp2Layout,
  exporterExp2ZeroLayout,
  exporterFixedLayout,
  exporterLinearLayout,
  formatKernelBars,
  formatKernelHistogram,
  framesSource,
  ingestKernel,
  inspektorGadgetLayout,
  iteratorFile,
  type KernelSource,
  kernelMap,
  kernelQuantile,
  libbpfToolsLayout,
  listCpuCounts,
  listMaps,
  logLinear8Layout,
  parseEbpfExporterConfig,
  parseKernelLayout,
  parseMapShape,
  queueDepthLayout,
  readEbpfExporterConfig,
  sumCpus,
} from '@hdrscope/ebpf';
import { loadProgram, measureCost, openKernelCounter, openKernelProgram } from '@hdrscope/ebpf/loader';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { gathered } from './registry.ts';
import { type RightCalls, right } from './right-call.ts';

const layout = queueDepthLayout();
const counts = { layout, counts: new Float64Array(layout.slots.slotCount).fill(1) };

/** A configuration of ebpf_exporter, and the file of the test that holds it. */
export const EXPORTER_CONFIG = {
  path: './exporter.yaml',
  text: `metrics:
  histograms:
    - name: bio_latency_seconds
      help: Block IO latency
      bucket_type: exp2
      bucket_max: 26
      bucket_multiplier: 0.000001
      labels:
        - name: bucket
          size: 8
          decoders: [{ name: uint }]
`,
};

const source = (): KernelSource => framesSource([]);

async function readOnce(from: KernelSource): Promise<void> {
  try {
    await from.read();
  } finally {
    await from.close();
  }
}

async function closed(opened: Promise<{ close(): void }>): Promise<void> {
  (await opened).close();
}

export const EBPF: RightCalls = {
  'ebpf.bccLayout': right(bccLayout, 64),
  'ebpf.bpftoolMap': right((options: object) => readOnce(bpftoolMap(options as never)), {
    name: 'none',
    program: 'false',
    layout,
    shape: { counts: { type: 'u64' } },
  }),
  'ebpf.bpftrace': right((options: object) => readOnce(bpftrace(options as never)), {
    stream: Readable.from([]),
    startTimeoutMs: 10,
  }),
  'ebpf.bpftraceHistLayout': right(bpftraceHistLayout, 0, 64),
  'ebpf.bpftraceLhistLayout': right(bpftraceLhistLayout, { min: 0, max: 10, step: 5 }),
  'ebpf.explicitKernelLayout': right(explicitKernelLayout, [1, 2], {}),
  'ebpf.exporterExp2Layout': right(exporterExp2Layout, { min: 0, max: 9 }),
  'ebpf.exporterExp2ZeroLayout': right(exporterExp2ZeroLayout, { min: 0, max: 9 }),
  'ebpf.exporterFixedLayout': right(exporterFixedLayout, [1, 2]),
  'ebpf.exporterLinearLayout': right(exporterLinearLayout, { min: 0, max: 9 }),
  'ebpf.formatKernelBars': right(formatKernelBars, counts, {}),
  'ebpf.formatKernelHistogram': right(formatKernelHistogram, counts, {}),
  'ebpf.framesSource': right((frames: [], options: object) => framesSource(frames, options).close(), [], {}),
  'ebpf.ingestKernel': right(
    async (registry: Registry, from: () => KernelSource, options: object) =>
      gathered(registry, ingestKernel(registry, typeof from === 'function' ? from() : from, options)),
    createRegistry(),
    source,
    {},
  ),
  'ebpf.inspektorGadgetLayout': right(inspektorGadgetLayout, 64),
  'ebpf.iteratorFile': right((options: object) => readOnce(iteratorFile(options as never)), {
    path: './none',
    layout,
  }),
  'ebpf.kernelMap': right((options: object) => readOnce(kernelMap(options)), {
    name: 'none',
    layout,
    shape: { counts: { type: 'u64' } },
  }),
  'ebpf.kernelQuantile': right(kernelQuantile, counts, 0.5, {}),
  'ebpf.libbpfToolsLayout': right(libbpfToolsLayout, 64),
  'ebpf.listCpuCounts': right(listCpuCounts, counts),
  'ebpf.listMaps': right(listMaps, {}),
  'ebpf.loadProgram': right(
    (...args: Parameters<typeof loadProgram>) => closed(loadProgram(...args)),
    './none.o',
    {},
  ),
  'ebpf.logLinear8Layout': right(logLinear8Layout, 64),
  'ebpf.measureCost': right((...args: Parameters<typeof measureCost>) => closed(measureCost(...args)), {
    programs: [],
    maps: new Map(),
    isClosed: false,
  }),
  'ebpf.openKernelCounter': right((options: object) => closed(openKernelCounter(options)), {}),
  'ebpf.openKernelProgram': right(
    (...args: Parameters<typeof openKernelProgram>) => closed(openKernelProgram(...args)),
    'tcprtt',
    { libbpf: './none.so' },
  ),
  'ebpf.parseEbpfExporterConfig': right(parseEbpfExporterConfig, EXPORTER_CONFIG.text, {}),
  'ebpf.parseKernelLayout': right(parseKernelLayout, 'queue-depth'),
  'ebpf.parseMapShape': right(parseMapShape, 'key { u64 slot; } value { u64 count; }'),
  'ebpf.readEbpfExporterConfig': right(readEbpfExporterConfig, EXPORTER_CONFIG.path, {}),
  'ebpf.sumCpus': right(sumCpus, counts),
};
