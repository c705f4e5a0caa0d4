import { lackOfProgram, testUnless } from '@hdrscope/testing';
import { createMap, mapInfo, pin, updateElement } from '../../src/bpf/maps.ts';
import { loadBpf } from '../../src/bpf/syscall.ts';
import { bpftoolMap, kernelMap, queueDepthLayout } from '../../src/index.ts';
import { indexKey, lackOfKernel, lackOfMount, mountBpffs } from '../support/kernel.ts';

testUnless(
  lackOfProgram('bpftool'),
  await lackOfKernel(),
  await lackOfMount(),
)('reads what kernelMap reads', async () => {
  const bpf = await loadBpf();
  const bpffs = mountBpffs();
  const shape = {
    type: 'percpu_array',
    keySize: 4,
    valueSize: 8,
    maxEntries: 8,
    name: 'hdr_tool_depths',
  } as const;
  const fd = createMap(bpf, shape);
  try {
    const cpus = await import('../../src/system-files.ts').then(({ possibleCpus }) => possibleCpus().length);
    const counts = BigUint64Array.from({ length: cpus }, (_, cpu) => BigInt(cpu + 5));
    updateElement(bpf, fd, indexKey(3), new Uint8Array(counts.buffer));
    const path = bpffs.path('depths');
    pin(bpf, fd, path);
    const { id } = mapInfo(bpf, fd);
    const layout = queueDepthLayout();
    for (const which of [{ path }, { id }, { name: 'hdr_tool_depths' }]) {
      const [tool, direct] = [bpftoolMap({ ...which, layout }), kernelMap({ ...which, layout })];
      const [one, other] = [await tool.read(), await direct.read()];
      expect({ ...one, histograms: one.histograms.map((histogram) => ({ ...histogram, name: '' })) }).toEqual(
        {
          ...other,
          histograms: other.histograms.map((histogram) => ({ ...histogram, name: '' })),
        },
      );
      await direct.close();
    }
    const missing = bpftoolMap({ name: 'hdr_no_such_map', layout });
    await expect(missing.read()).rejects.toThrow('it does not find the map');
  } finally {
    bpf.close(fd);
    bpffs.unmount();
  }
});
