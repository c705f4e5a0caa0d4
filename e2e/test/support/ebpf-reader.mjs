/** `ebpf-reader.mjs PATH`: prints the counts of a pinned map of queue depths, and who has read them. */
import { kernelMap, queueDepthLayout } from '@hdrscope/ebpf';

const layout = queueDepthLayout();
const source = kernelMap({ path: process.argv[2], layout });
const { histograms, cpuCount } = await source.read();
await source.close();
const { counts } = histograms[0];
const totals = Array.from({ length: layout.layout.slotCount }, (_, slot) =>
  Array.from({ length: cpuCount }, (_, cpu) => counts[cpu * layout.layout.slotCount + slot]).reduce(
    (sum, count) => sum + count,
  ),
);
console.log(JSON.stringify({ uid: process.getuid(), totals }));
