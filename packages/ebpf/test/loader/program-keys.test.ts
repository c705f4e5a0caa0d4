import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cgroupKeys, deviceKey, remoteKey, taskKey } from '../../src/loader/program-keys.ts';

function keyOf(...words: readonly (number | bigint)[]): Uint8Array {
  return new Uint8Array(BigUint64Array.from(words.map(BigInt)).buffer);
}

/** A list of mounts, in which cgroups are at a folder. */
function mountsOf(folder: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'hdrscope-mounts-')), 'mountinfo');
  folders.push(dirname(file));
  writeFileSync(file, `1 2 0:3 / ${folder} rw - cgroup2 cgroup2 rw\n`);
  return file;
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

test('a task has its name, its process and its own id', () => {
  const key = new Uint8Array(24);
  key.set(keyOf((4_000_000_001n << 32n) | 17n));
  key.set(new TextEncoder().encode('osd_srv_agent\0ol'), 8);

  expect(taskKey(key)).toEqual({ comm: 'osd_srv_agent', pid: 4_000_000_001, tid: 17 });
});

test('a cgroup has the path whose folder has its id, and otherwise the id', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-cgroups-'));
  try {
    mkdirSync(join(folder, 'system.slice', 'a b.service'), { recursive: true });
    const idOf = (path: string) => statSync(join(folder, path), { bigint: true }).ino;
    const mountinfo = mountsOf(folder);
    const read = cgroupKeys(mountinfo);
    const keys = read();

    expect(keys(keyOf(idOf('.'), 0, 0))).toEqual({ cgroup: '/' });
    expect(keys(keyOf(idOf('system.slice/a b.service'), 0, 0))).toEqual({
      cgroup: '/system.slice/a b.service',
    });
    expect(keys(keyOf(2n ** 60n + 1n, 0, 0))).toEqual({ cgroup: '1152921504606846977' });
    // Where they are mounted is read once, and which of them there are for each reading.
    rmSync(mountinfo);
    mkdirSync(join(folder, 'later.service'));
    expect(read()(keyOf(idOf('later.service'), 0, 0))).toEqual({ cgroup: '/later.service' });
    expect(cgroupKeys(mountsOf(join(folder, 'nowhere')))()(keyOf(1, 0, 0))).toEqual({ cgroup: '1' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('without cgroups of version 2 a cgroup has its id, and no file is read before a key comes', () => {
  const keys = cgroupKeys('/nowhere/mountinfo')();
  expect(() => keys(keyOf(1, 0, 0))).toThrow('ENOENT');
  expect(cgroupKeys('/dev/null')()(keyOf(1, 0, 0))).toEqual({ cgroup: '1' });
});

test('a request has a device and an operation, by number when they have no name', () => {
  const key = (...numbers: number[]) => new Uint8Array(Uint32Array.from(numbers).buffer);

  expect(deviceKey(key(4095, 1048575, 0))).toEqual({ device: '4095:1048575', operation: 'read' });
  expect(deviceKey(key(0, 0, 34))).toEqual({ device: 'none', operation: 'driver_in' });
  expect(deviceKey(key(0, 0, 13)).operation).toBe('operation_13');
});

test.each([
  ['00000000000000000000ffff0a000102', '10.0.1.2'],
  ['00000000000000000000000000000001', '::1'],
  ['00000000000000000000000000000000', '::'],
  ['20010db8000000000001000000000001', '2001:db8::1:0:0:1'],
  ['20010db8000000010000000000000001', '2001:db8:0:1::1'],
  ['20010db8000100020003000400050006', '2001:db8:1:2:3:4:5:6'],
  ['20010db8000000020003000400050006', '2001:db8:0:2:3:4:5:6'],
  ['fe800000000000000000000000000000', 'fe80::'],
  ['fe8000000000000010000000a0000000', 'fe80::1000:0:a000:0'],
])('the address %s is %s', (bytes, text) => {
  expect(remoteKey(Buffer.from(bytes, 'hex'))).toEqual({ remote: text });
});
