import { countingProgram } from '../../src/bpf/counting-program.ts';
import { MapReader } from '../../src/bpf/map-reader.ts';
import { createMap, deleteElement, mapInfo, updateElement } from '../../src/bpf/maps.ts';
import { allocate } from '../../src/bpf/memory.ts';
import { loadProgram, testRun } from '../../src/bpf/programs.ts';
import type { Bpf } from '../../src/bpf/syscall.ts';
import { COMMANDS, type MapType } from '../../src/bpf/uapi.ts';
import { queueDepthLayout } from '../../src/index.ts';
import { onlineCpus, possibleCpus } from '../../src/system-files.ts';
import { indexKey, kernelSession } from '../support/kernel.ts';

const PREFIX = 'hdr_rd';
const { kernelTest, bpf, open } = await kernelSession(PREFIX);
const cpus = possibleCpus().length;

/** A hash without this flag takes the memory of all its entries at once. */
const BPF_F_NO_PREALLOC = 1;

function newMap(type: MapType, { keySize = 4, valueSize = 8, maxEntries = 8, flags = 0 } = {}): number {
  const fd = createMap(bpf, { type, keySize, valueSize, maxEntries, flags, name: `${PREFIX}_${type}` });
  open.push(fd);
  return fd;
}

function entriesOf(fd: number, options: { batch: boolean; maxBytes?: number }) {
  const info = mapInfo(bpf, fd);
  const reader = new MapReader(bpf, info, options);
  const count = reader.read(fd);
  const size = reader.cpuCount * reader.stride;
  return Array.from({ length: count }, (_, i) => ({
    key: Buffer.from(reader.keys.subarray(i * info.keySize, (i + 1) * info.keySize)).toString('hex'),
    value: Buffer.from(reader.values.subarray(i * size, (i + 1) * size)).toString('hex'),
  })).sort((a, b) => (a.key < b.key ? -1 : 1));
}

describe.each([{ batch: true }, { batch: false }])('with %p', (options) => {
  kernelTest('counts of a program come back exactly, for each CPU', () => {
    const fd = newMap('percpu_array');
    const program = loadProgram(bpf, countingProgram({ mapFd: fd, layout: queueDepthLayout() }));
    open.push(program);
    const counts = [1200, 980, 1400, 800, 400, 30, 10, 1];
    const values = [[0], [1], [2, 3, 4], [5, 8], [9, 16], [17, 32], [33, 64], [65]];
    const online = onlineCpus();
    let runs = 0;
    for (const [slot, count] of counts.entries()) {
      for (let i = 0; i < count; i++) {
        const value = values[slot]![i % values[slot]!.length]!;
        expect(testRun(bpf, program, [value], { cpu: online[runs++ % online.length]! })).toBe(slot);
      }
    }
    const reader = new MapReader(bpf, mapInfo(bpf, fd), options);
    expect(reader.read(fd)).toBe(8);
    const read = new BigUint64Array(reader.values.buffer);
    const sums = counts.map((_, slot) =>
      read.subarray(slot * cpus, (slot + 1) * cpus).reduce((a, b) => a + b, 0n),
    );
    expect(sums).toEqual(counts.map(BigInt));
    expect(runs).toBe(4821);
    if (online.length > 1) expect(read[1]).toBe(600n);
  });

  kernelTest.each(['percpu_hash', 'hash', 'lru_hash', 'lru_percpu_hash'] as const)(
    'all entries of a map of type %s with many buckets are read',
    (type) => {
      const fd = newMap(type, { keySize: 8, valueSize: 16, maxEntries: 20_000 });
      const parts = type.includes('percpu') ? cpus : 1;
      const expected = Array.from({ length: 3000 }, (_, i) => {
        const key = new Uint8Array(new BigUint64Array([BigInt(i)]).buffer);
        const value = new Uint8Array(new BigUint64Array(parts * 2).fill(BigInt(i)).buffer);
        updateElement(bpf, fd, key, value);
        return { key: Buffer.from(key).toString('hex'), value: Buffer.from(value).toString('hex') };
      });
      expect(entriesOf(fd, options)).toEqual(expected.sort((a, b) => (a.key < b.key ? -1 : 1)));
    },
  );

  kernelTest.each([1023, 1024, 1025, 1500])(
    'a hash of %i entries is read beyond the initial room',
    (size) => {
      // The number of buckets is the next power of two: some have several entries, and are read as a whole.
      const fd = newMap('hash', { maxEntries: size });
      for (let i = 0; i < size; i++) updateElement(bpf, fd, indexKey(i), new Uint8Array(8).fill(i & 0xff));
      const entries = entriesOf(fd, options);
      expect(new Set(entries.map(({ key }) => key)).size).toBe(size);
      expect(entries).toHaveLength(size);
      for (const { key, value } of entries) expect(value.slice(0, 2)).toBe(key.slice(0, 2));
    },
  );

  kernelTest('a hash that declares millions and holds one entry is read, and an empty one is empty', () => {
    const fd = newMap('hash', { valueSize: 1024, maxEntries: 1_000_000, flags: BPF_F_NO_PREALLOC });
    expect(entriesOf(fd, options)).toEqual([]);
    updateElement(bpf, fd, indexKey(7), new Uint8Array(1024).fill(1));
    expect(entriesOf(fd, options).map(({ key }) => key)).toEqual(['07000000']);
    deleteElement(bpf, fd, indexKey(7));
    expect(entriesOf(fd, options)).toEqual([]);
  });

  kernelTest('a per-CPU value of 4 bytes takes 8 bytes', () => {
    const fd = newMap('percpu_array', { valueSize: 4, maxEntries: 2 });
    const value = new Uint8Array(new BigUint64Array(cpus).map((_, cpu) => BigInt(100 + cpu)).buffer);
    updateElement(bpf, fd, indexKey(1), value);
    expect(entriesOf(fd, options)[1]!.value).toBe(Buffer.from(value).toString('hex'));
  });

  kernelTest('values of an array that the CPUs share have no gaps', () => {
    const fd = newMap('array', { valueSize: 4, maxEntries: 3 });
    for (const i of [0, 1, 2]) updateElement(bpf, fd, indexKey(i), indexKey(i + 5));
    expect(entriesOf(fd, options).map(({ value }) => value)).toEqual(['05000000', '06000000', '07000000']);
  });
});

describe.each([1, cpus + 3])('where sysfs shows %i CPUs', (cpuCount) => {
  kernelTest.each<MapType>(['percpu_array', 'percpu_hash'])(
    'a %s is read with all CPUs of the kernel, and nothing behind its buffer is written',
    (type) => {
      const fd = newMap(type, { valueSize: 12, maxEntries: 3 });
      const reader = new MapReader(bpf, mapInfo(bpf, fd), { cpuCount, batch: false });
      expect(reader.read(fd)).toBe(type === 'percpu_hash' ? 0 : 3);
      const value = new Uint8Array(cpus * 16).map((_, i) => (i % 16 < 12 ? i + 1 : 0));
      for (const i of [0, 1, 2]) updateElement(bpf, fd, indexKey(i), value);
      expect(reader.read(fd)).toBe(3);
      expect([reader.cpuCount, reader.stride]).toEqual([cpus, 16]);
      expect([...reader.values.subarray(0, 3 * value.length)]).toEqual([...value, ...value, ...value]);
    },
  );

  kernelTest('the memory for the CPUs of the kernel is within maxBytes', () => {
    const fd = newMap('percpu_array', { valueSize: 1024 });
    const maxBytes = 8 * (4 + cpus * 1024) - 1;
    const read = () => new MapReader({ ...bpf }, mapInfo(bpf, fd), { cpuCount, maxBytes }).read(fd);
    expect(read).toThrow(expect.objectContaining({ code: 'ERR_TOO_LARGE' }));
  });
});

kernelTest('a map that takes more than maxBytes is refused before memory is allocated', () => {
  const fd = newMap('percpu_array', { valueSize: 32_768, maxEntries: 64 });
  const needed = 64 * (4 + cpus * 32_768);
  expect(() => new MapReader(bpf, mapInfo(bpf, fd), { maxBytes: needed - 1 })).toThrow(
    expect.objectContaining({
      code: 'ERR_TOO_LARGE',
      message: expect.stringContaining(`must take at most ${needed - 1} bytes, got ${needed}`),
    }),
  );
  expect(new MapReader(bpf, mapInfo(bpf, fd), { maxBytes: needed }).read(fd)).toBe(64);
});

kernelTest('a hash that grows beyond maxBytes is refused when it does', () => {
  const fd = newMap('hash', { valueSize: 1024, maxEntries: 3000 });
  const maxBytes = 1_200_000;
  for (let i = 0; i < 3000; i++) updateElement(bpf, fd, indexKey(i), allocate(1024));
  for (const batch of [true, false]) {
    expect(() => entriesOf(fd, { batch, maxBytes })).toThrow(
      expect.objectContaining({ code: 'ERR_TOO_LARGE' }),
    );
  }
});

kernelTest.each(['ENOTSUPP', 'EINVAL'])(
  'a kernel that answers %s to a batch is asked for each entry',
  (errno) => {
    const fd = newMap('percpu_array');
    const asked: number[] = [];
    const older: Bpf = {
      ...bpf,
      call: (command, attr) => {
        asked.push(command);
        if (command !== COMMANDS.MAP_LOOKUP_BATCH) return bpf.call(command, attr);
        return errno === 'EINVAL' ? -22 : -524;
      },
    };
    const reader = new MapReader(older, mapInfo(bpf, fd));
    expect(reader.read(fd)).toBe(8);
    expect(reader.read(fd)).toBe(8);
    expect(asked.filter((command) => command === COMMANDS.MAP_LOOKUP_BATCH)).toHaveLength(1);
  },
);

kernelTest.each<MapType>(['array', 'percpu_array'])(
  'the one element of an %s is looked up by its index, however often',
  (type) => {
    const fd = newMap(type, { maxEntries: 1, valueSize: 16 });
    const asked: number[] = [];
    const call: typeof bpf.call = (command, attr) => {
      asked.push(command);
      return bpf.call(command, attr);
    };
    const reader = new MapReader({ ...bpf, call }, mapInfo(bpf, fd));
    for (let count = 1; count <= 3; count++) {
      const value = allocate(reader.cpuCount * reader.stride);
      value.fill(count);
      updateElement(bpf, fd, indexKey(0), value);
      expect(reader.read(fd)).toBe(1);
      expect([...reader.keys]).toEqual([0, 0, 0, 0]);
      expect([...reader.values]).toEqual([...value]);
    }
    // The first read of a per-CPU map counts the CPUs of the kernel by one more.
    const lookups = type === 'array' ? 3 : 4;
    expect(asked).toEqual(Array.from({ length: lookups }, () => COMMANDS.MAP_LOOKUP_ELEM));
  },
);

kernelTest('the error for a closed map names the call', () => {
  const fd = newMap('percpu_array');
  const reader = new MapReader(bpf, mapInfo(bpf, fd));
  expect(() => reader.read(99_999)).toThrow(
    expect.objectContaining({
      code: 'ERR_KERNEL',
      message: expect.stringMatching(/MAP_LOOKUP_BATCH.*EBADF/),
    }),
  );
});
