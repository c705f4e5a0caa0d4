import { parseKernelLayout } from '../../src/index.ts';

test.each([
  ['queue-depth', 'queue-depth', 8],
  ['libbpf-tools', 'libbpf-tools', 26],
  ['libbpf-tools:27', 'libbpf-tools', 27],
  ['0,1,4,8', undefined, 5],
])('%j names a layout', (text, name, slots) => {
  const layout = parseKernelLayout(text);
  if (name !== undefined) expect(layout.name).toBe(name);
  expect(layout.slots.slotCount).toBe(slots);
});

test.each(['log2', '', 'toString', 'bcc:x', 'libbpf-tools:1', '4,1'])('%j does not name a layout', (text) => {
  expect(() => parseKernelLayout(text)).toThrow(expect.objectContaining({ code: 'ERR_INVALID_OPTION' }));
});
