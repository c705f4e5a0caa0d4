import { createMap, mapInfo, pin } from '../src/bpf/maps.ts';
import { loadBpf } from '../src/bpf/syscall.ts';
import { guessLayout } from '../src/guess-layout.ts';
import {
  bpftraceHistLayout,
  libbpfToolsLayout,
  logLinear8Layout,
  queueDepthLayout,
} from '../src/layout/presets.ts';
import { listMaps, mountsOfBpffs } from '../src/list-maps.ts';
import { kernelTestUnless, mountBpffs, whyNoKernel, whyNoMount } from './support/kernel.ts';

const MAP = { type: 'percpu_array', name: 'x', keySize: 4, valueSize: 8, maxEntries: 8 } as const;

test.each([
  ['run-queue depths', {}, queueDepthLayout()],
  ['libbpf-tools, slot by slot', { maxEntries: 26 }, libbpfToolsLayout()],
  ['log-linear', { type: 'array', maxEntries: 496 }, logLinear8Layout()],
  ['log-linear in one value, with its sum', { maxEntries: 1, valueSize: 497 * 8 }, logLinear8Layout()],
  ['struct hist of libbpf-tools', { type: 'hash', keySize: 8, valueSize: 26 * 4 + 16 }, libbpfToolsLayout()],
  ['hist() of bpftrace', { type: 'percpu_hash', name: 'AT_h', keySize: 8 }, bpftraceHistLayout()],
] as const)('guesses the layout of %s', (_, looks, layout) => {
  const guess = guessLayout({ ...MAP, ...looks })!;
  expect([guess.layout.name, guess.layout.slots.bounds]).toEqual([layout.name, layout.slots.bounds]);
});

test('the slot of bpftrace follows its keys', () => {
  const { shape } = guessLayout({ ...MAP, type: 'percpu_hash', name: 'AT_byc', keySize: 32 })!;
  expect(shape.key).toEqual([
    { name: 'key', type: 'bytes[24]', offset: 0 },
    { name: 'slot', type: 'u64', offset: 24 },
  ]);
});

test.each([
  ['another type', { type: undefined }],
  ['another number of slots', { maxEntries: 9 }],
  ['a hash of numbers', { type: 'hash' }],
  ['values of another size', { valueSize: 12 }],
] as const)('%s does not look like a histogram', (_, looks) => {
  expect(guessLayout({ ...MAP, ...looks })).toBeUndefined();
});

test('finds the mount points of every bpffs', () => {
  const mountinfo = `24 1 0:22 / /sys rw,nosuid - sysfs sysfs rw
33 24 0:29 / /sys/fs/bpf rw,nosuid,nodev shared:10 - bpf bpf rw,mode=700
40 1 0:44 / /tmp/a\\040b rw - bpf none rw
`;
  expect(mountsOfBpffs(mountinfo)).toEqual(['/sys/fs/bpf', '/tmp/a b']);
});

kernelTestUnless((await whyNoKernel()) ?? whyNoMount())('lists a map and its pins', async () => {
  const bpf = await loadBpf();
  const bpffs = mountBpffs();
  const fd = createMap(bpf, { ...MAP, name: 'hdr_listed' });
  try {
    pin(bpf, fd, bpffs.path('one'));
    const { id } = mapInfo(bpf, fd);
    const { maps, incomplete } = await listMaps();
    expect(incomplete).toBeUndefined();
    const found = maps.find((map) => map.id === id);
    expect(found).toMatchObject({ ...MAP, name: 'hdr_listed', pins: [bpffs.path('one')] });
    expect(found?.guess?.layout.name).toBe('queue-depth');
  } finally {
    bpf.close(fd);
    bpffs.unmount();
  }
});
