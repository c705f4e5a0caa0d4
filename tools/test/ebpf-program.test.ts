import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { differenceOf } from '../ebpf-program.js';
import { outlineOf } from '../lib/elf.js';

const object = readFileSync(
  fileURLToPath(new URL('../../packages/ebpf/program/runqueue.bpf.o', import.meta.url)),
);

/** The object with a text replaced by another text of the same length. */
function withText(text: string, other: string): Buffer {
  const changed = Buffer.from(object);
  for (let at = changed.indexOf(text); at !== -1; at = changed.indexOf(text, at + 1))
    changed.write(other, at);
  return changed;
}

test('the outline of an object names its programs and its maps', () => {
  const { sections, symbols } = outlineOf(object);

  expect(sections).toEqual(
    expect.arrayContaining(['.BTF', '.maps', 'license', 'tp_btf/sched_switch', 'tp_btf/sched_wakeup']),
  );
  expect(symbols).toEqual(expect.arrayContaining(['hdrscope_switch', 'queue_hist', 'latency_hist']));
  expect(() => outlineOf(Buffer.alloc(64))).toThrow('it is not an ELF file');
});

test('bytes are compared with the same tools, and outlines with other versions', () => {
  const [otherBytes, otherMap] = [
    withText('./runqueue.bpf.c', './runqueue.bpf.d'),
    withText('queue_hist', 'queue_host'),
  ];

  expect(differenceOf(object, object, 'clang 14, libbpf 1.1')).toBeUndefined();
  expect(differenceOf(object, otherBytes, 'clang 14, libbpf 1.1')).toMatch(
    /its sources produce \d+ different bytes$/,
  );
  expect(differenceOf(object, otherBytes, 'clang 19, libbpf 1.5')).toBeUndefined();
  expect(differenceOf(object, otherMap, 'clang 19, libbpf 1.5')).toContain('queue_host');
});
