import { loadBpf } from '../../src/bpf/syscall.ts';
import { examine, type Finding } from '../../src/index.ts';
import { expectNoMaps, testUnless, whyNoKernel } from '../support/kernel.ts';

const testKernel = testUnless(await whyNoKernel());

let findings: ReadonlyMap<string, Finding>;

beforeAll(async () => {
  findings = new Map((await examine()).map((finding) => [finding.what, finding]));
});

test('looks at all that matters, once', () => {
  expect([...findings.keys()]).toEqual(
    expect.arrayContaining([
      ...['kernel', 'architecture', 'CPUs', 'BTF of the kernel', 'unprivileged_bpf_disabled'],
      ...['capabilities', 'bpffs', 'koffi', 'libbpf', 'bpftool', 'bpftrace', 'bpf(2)'],
    ]),
  );
});

test('has a cure for what is missing, and for nothing else', () => {
  for (const { ok, detail, cure } of findings.values()) {
    expect(detail).not.toBe('');
    expect(cure === undefined).toBe(ok);
  }
});

testKernel('has the kernel count the 4821 values exactly, and leaves nothing', async () => {
  expect(findings.get('counting in the kernel')).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/^4821 values on \d+ CPUs came back exactly, in \d+ ms$/),
  });
  expect(findings.get('bpf(2)')).toEqual({ what: 'bpf(2)', ok: true, detail: 'answers', cure: undefined });
  await expectNoMaps(await loadBpf(), 'hdrscope_doctor');
});
