/** `ebpf-reader.mjs PATH`: prints the counts of a pinned map of queue depths and its own user id. */
import { kernelMap, queueDepthLayout, sumCpus } from '@hdrscope/ebpf';

const source = kernelMap({ path: process.argv[2], layout: queueDepthLayout() });
const { histograms } = await source.read();
await source.close();
const { counts } = sumCpus(histograms[0]);
const totals = Array.from({ length: counts.length }, (_, slot) => counts.at(slot));
console.log(JSON.stringify({ uid: process.getuid(), totals }));
