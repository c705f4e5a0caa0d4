import { testUnless } from '@hdrscope/testing';
import { createMap, mapInfo, pin } from '../src/bpf/maps.ts';
import { loadBpf } from '../src/bpf/syscall.ts';
import { listMaps } from '../src/index.ts';
import { lackOfKernel, lackOfMount, mountBpffs } from './support/kernel.ts';

const MAP = { type: 'percpu_array', keySize: 4, valueSize: 8, maxEntries: 8 } as const;

testUnless((await lackOfKernel()) ?? (await lackOfMount()))('lists a map and its pins', async () => {
  const bpf = await loadBpf();
  const bpffs = mountBpffs();
  const fd = createMap(bpf, { ...MAP, name: 'queue_hist' });
  try {
    pin(bpf, fd, bpffs.path('one'));
    const { id } = mapInfo(bpf, fd);
    const { maps, incomplete } = await listMaps();
    expect(incomplete).toBeUndefined();
    const found = maps.find((map) => map.id === id);
    expect(found).toMatchObject({ ...MAP, name: 'queue_hist', pins: [bpffs.path('one')] });
    // Its name states no layout.
    expect(found?.known).toBeUndefined();
    expect(found?.guesses).toContainEqual({ layout: 'queue-depth' });
  } finally {
    bpf.close(fd);
    bpffs.unmount();
  }
});
