import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kernelTypes, parseBtf } from '../../src/bpf/btf.ts';
import { BtfBuilder } from '../support/kernel-btf.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hdrscope-btf-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function looked(bytes: Uint8Array): ReturnType<typeof kernelTypes> {
  const path = join(folder, 'vmlinux');
  writeFileSync(path, bytes);
  return kernelTypes(path);
}

test('shows the size of types', () => {
  expect(looked(Uint8Array.from({ length: 48 }, (_, at) => [0x9f, 0xeb, 1][at] ?? 0))).toEqual({
    sizeBytes: 48,
  });
});

test.each([
  [0, /vmlinux is empty$/, /mask of a container/],
  [48, /vmlinux does not begin as BTF does$/, /mask of a container/],
])('reports a file of %d zeros', (length, problem, cure) => {
  expect(looked(new Uint8Array(length))).toEqual({
    problem: expect.stringMatching(problem),
    cure: expect.stringMatching(cure),
  });
});

test('reports a device in place of the file, as container runtimes mount it', () => {
  expect(kernelTypes('/dev/null')).toMatchObject({ problem: '/dev/null is empty' });
});

test('reports a missing file and a folder', () => {
  expect(kernelTypes(join(folder, 'nope'))).toEqual({
    problem: `${folder}/nope is missing`,
    cure: 'use a kernel that was built with CONFIG_DEBUG_INFO_BTF',
  });
  expect(kernelTypes(folder)).toMatchObject({ problem: `${folder} cannot be read: EISDIR` });
});

test('global variables have offsets of their own', () => {
  const btf = new BtfBuilder();
  const u64 = btf.int(8);
  btf.section('.bss', [btf.variable('first', u64), btf.variable('second', u64), btf.variable('third', u64)]);
  const [section] = parseBtf(btf.build()).filter((type) => 'variables' in type);
  expect(section).toMatchObject({ variables: [{ offset: 0 }, { offset: 32 }, { offset: 64 }] });
});
