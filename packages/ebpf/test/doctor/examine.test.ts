import { testUnless } from '@hdrscope/testing';
import { loadBpf } from '../../src/bpf/syscall.ts';
import { examineKernel, type Finding } from '../../src/index.ts';
import { expectNoMaps, lackOfKernel } from '../support/kernel.ts';

const testKernel = testUnless(await lackOfKernel());

let findings: ReadonlyMap<string, Finding>;

beforeAll(async () => {
  findings = new Map((await examineKernel()).map((finding) => [finding.what, finding]));
});

test('checks every subject', () => {
  expect([...findings.keys()]).toEqual(
    expect.arrayContaining([
      ...['kernel', 'architecture', 'CPUs', 'BTF of the kernel', 'unprivileged_bpf_disabled'],
      ...['capabilities', 'bpffs', 'koffi', 'libbpf', 'bpftool', 'bpftrace', 'bpf(2)'],
    ]),
  );
});

test('has a cure for every problem, and only for problems', () => {
  for (const { ok, detail, cure } of findings.values()) {
    expect(detail).not.toBe('');
    expect(cure === undefined).toBe(ok);
  }
});

testKernel('makes the kernel count 4821 values exactly, and leaves no map', async () => {
  expect(findings.get('counting in the kernel')).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/^4821 values on \d+ CPUs came back exactly, in \d+ ms$/),
  });
  expect(findings.get('bpf(2)')).toEqual({ what: 'bpf(2)', ok: true, detail: 'answers', cure: undefined });
  await expectNoMaps(await loadBpf(), 'hdrscope_doctor');
});
