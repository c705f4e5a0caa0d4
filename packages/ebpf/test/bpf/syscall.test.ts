import { HdrscopeError } from '@hdrscope/core';
import { Attr, call } from '../../src/bpf/call.ts';
import { openMapById, openPinnedMap } from '../../src/bpf/maps.ts';
import { refusal } from '../../src/bpf/refusals.ts';
import { type Bpf, bpfThrough, type Koffi, loadKoffi } from '../../src/bpf/syscall.ts';
import { errnoName } from '../../src/bpf/uapi.ts';
import { errnoOf } from '../../src/errors.ts';
import { parseCpuList } from '../../src/system-files.ts';

const failing = (errno: number): Bpf => ({ call: () => -errno, address: () => 1n, close: () => {} });

test.each([
  ['0', [0]],
  ['0-3', [0, 1, 2, 3]],
  ['0-1,4,6-7\n', [0, 1, 4, 6, 7]],
])('the list %p of CPUs is parsed', (text, cpus) => {
  expect(parseCpuList(text)).toEqual(cpus);
});

test('a text that is not a list of CPUs is refused', () => {
  expect(() => parseCpuList('all')).toThrow(expect.objectContaining({ code: 'ERR_KERNEL' }));
});

test('errnos have names, also the one that is internal to the kernel', () => {
  expect([1, 2, 13, 524, 9999].map(errnoName)).toEqual([
    'EPERM',
    'ENOENT',
    'EACCES',
    'ENOTSUPP',
    'errno 9999',
  ]);
});

test('a refusal names the call, its object, the errno and the cure', () => {
  const bpf = failing(1);
  const error = (() => {
    try {
      return call(bpf, 'MAP_GET_NEXT_ID', new Attr(bpf, 12), { object: 'the list of maps' });
    } catch (error) {
      return error;
    }
  })() as HdrscopeError;
  expect(error).toBeInstanceOf(HdrscopeError);
  expect(error.code).toBe('ERR_KERNEL');
  expect(error.message).toMatch(/^bpf\(MAP_GET_NEXT_ID\) refused the list of maps: EPERM, .*CAP_SYS_ADMIN/);
  expect(error.cause).toMatchObject({ code: 'EPERM', errno: 1, syscall: 'bpf(MAP_GET_NEXT_ID)' });
  expect(errnoOf(error)).toBe('EPERM');
  expect(error.details).toEqual({ errno: 'EPERM', syscall: 'bpf(MAP_GET_NEXT_ID)' });
});

test('a refusal has the path and the id of its object as data', () => {
  const bpf = failing(2);
  const detailsOf = (act: () => unknown) => {
    try {
      return act();
    } catch (error) {
      return (error as HdrscopeError).details;
    }
  };
  expect(detailsOf(() => openPinnedMap(bpf, '/sys/fs/bpf/a'))).toMatchObject({
    errno: 'ENOENT',
    path: '/sys/fs/bpf/a',
  });
  expect(detailsOf(() => openMapById(bpf, 42))).toMatchObject({ errno: 'ENOENT', id: 42 });
});

test('an expected refusal is an answer, not an error', () => {
  const bpf = failing(2);
  expect(call(bpf, 'MAP_GET_NEXT_ID', new Attr(bpf, 12), { object: '', answers: [2] })).toBe(-2);
});

test.each([
  ['OBJ_GET', 2, 'nothing is pinned there'],
  ['OBJ_GET', 13, 'is not in a bpffs'],
  ['OBJ_PIN', 1, 'pinned in a bpffs only'],
  ['BTF_GET_FD_BY_ID', 1, 'describe the shape'],
  ['MAP_UPDATE_ELEM', 1, 'opened for reading'],
  ['PROG_LOAD', 13, 'the verifier rejects'],
  ['PROG_LOAD', 1, 'CAP_BPF and CAP_PERFMON'],
  ['MAP_CREATE', 7, '32768 bytes'],
  ['MAP_LOOKUP_BATCH', 38, 'without bpf(2)'],
] as const)('%s with errno %i has its cure', (command, errno, cure) => {
  expect(refusal({ command, errno, object: '/proc/version' }).message).toContain(cure);
});

test('a pin with a dot in its name has its cure', () => {
  const refused = refusal({ command: 'OBJ_PIN', errno: 1, object: '/sys/fs/bpf/queue.hist' });
  expect(refused.message).toContain('the name of a pin has no dot');
});

test('the error without koffi says what to install', async () => {
  const absent = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  await expect(loadKoffi(() => Promise.reject(absent))).rejects.toMatchObject({
    code: 'ERR_KERNEL',
    message: expect.stringMatching(/koffi, which is not installed: run `npm install koffi`/),
    cause: absent,
  });
  const broken = new Error('no native module');
  await expect(loadKoffi(() => Promise.reject(broken))).rejects.toMatchObject({
    message: expect.stringContaining('no native module'),
  });
});

test('bpf(2) has a number on each architecture of Linux, and none elsewhere', () => {
  const numbers: unknown[] = [];
  const koffi: Koffi = {
    load: () => ({
      func:
        () =>
        (...args) => {
          numbers.push(args[0]);
          return -1;
        },
    }),
    address: () => 0n,
    errno: () => 38,
  };
  for (const arch of ['x64', 'arm64', 's390x']) {
    expect(bpfThrough(koffi, { platform: 'linux', arch }).call(0, new Uint8Array(8))).toBe(-38);
  }
  expect(numbers).toEqual([321, 280, 351]);
  expect(() => bpfThrough(koffi, { platform: 'darwin', arch: 'arm64' })).toThrow(
    expect.objectContaining({ code: 'ERR_KERNEL', message: expect.stringContaining('Linux') }),
  );
});
