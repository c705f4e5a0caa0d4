/**
 * @typedef {object} Convention
 * @property {string} name
 * @property {string} code C that defines `u64 slot_of(u64 value)`.
 * @property {number} slots Number of slots, which all conventions clamp to.
 * @property {string} layout A text for `parseKernelLayout` with the slots that the code counts.
 * @property {string} [note] What the ground of the measurement must say besides.
 */

const LOG2 = `
static __always_inline u64 log2_32(u32 v)
{
	u32 shift, r;

	r = (v > 0xFFFF) << 4; v >>= r;
	shift = (v > 0xFF) << 3; v >>= shift; r |= shift;
	shift = (v > 0xF) << 2; v >>= shift; r |= shift;
	shift = (v > 0x3) << 1; v >>= shift; r |= shift;
	return r | (v >> 1);
}

static __always_inline u64 log2_64(u64 v)
{
	u32 high = v >> 32;

	return high ? log2_32(high) + 32 : log2_32(v);
}
`;

/** @param {string} expression */
const slotOf = (expression) => `FUNCTION u64 slot_of(u64 v)\n{\n	${expression}\n}\n`;

/** @param {number} step @param {number} count */
const equalSteps = (step, count) => Array.from({ length: count }, (_, i) => (i + 1) * step - 1).join(',');

const CHAIN = Array.from({ length: 25 }, (_, i) => `if (v < ${2 ** (i + 1)}ull) return ${i};`).join('\n	');

/** The conventions of tools, and ways to compute the same. @type {readonly Convention[]} */
export const CONVENTIONS = [
  {
    name: 'log2 by shifts, as libbpf-tools',
    code: LOG2 + slotOf('u64 s = log2_64(v); return s > 25 ? 25 : s;'),
    slots: 26,
    layout: 'libbpf-tools:26',
  },
  {
    name: 'log2 by an unrolled loop',
    code: slotOf(
      'u64 s = 0;\n	for (int i = 0; i < 25; i++) { if (v < 2) break; v >>= 1; s++; }\n	return s;',
    ),
    slots: 26,
    layout: 'libbpf-tools:26',
  },
  {
    name: 'log2 by comparisons',
    code: slotOf(`${CHAIN}\n	return 25;`),
    slots: 26,
    layout: 'libbpf-tools:26',
  },
  {
    name: 'log2 by counting bits',
    code: slotOf(
      [
        'v |= 1; v |= v >> 1; v |= v >> 2; v |= v >> 4; v |= v >> 8; v |= v >> 16; v |= v >> 32;',
        'v = v - ((v >> 1) & 0x5555555555555555ull);',
        'v = (v & 0x3333333333333333ull) + ((v >> 2) & 0x3333333333333333ull);',
        'v = (((v + (v >> 4)) & 0x0f0f0f0f0f0f0f0full) * 0x0101010101010101ull) >> 56;',
        'return v > 26 ? 25 : v - 1;',
      ].join('\n	'),
    ),
    slots: 26,
    layout: 'libbpf-tools:26',
  },
  {
    name: 'log2 of microseconds',
    code: LOG2 + slotOf('u64 s = log2_64(v / 1000); return s > 20 ? 20 : s;'),
    slots: 21,
    layout: 'libbpf-tools:21',
    note: 'of the value divided by 1,000',
  },
  {
    name: '0 and log2 + 1, as Inspektor Gadget',
    code: LOG2 + slotOf('u64 s = v ? log2_64(v) + 1 : 0; return s > 26 ? 26 : s;'),
    slots: 27,
    layout: 'inspektor-gadget:27',
  },
  {
    name: 'log2 + 1, as bcc',
    code: LOG2 + slotOf('u64 s = log2_64(v) + 1; return s > 26 ? 26 : s;'),
    slots: 27,
    layout: 'bcc:27',
  },
  {
    name: 'log2 rounded up, as ebpf_exporter',
    code: LOG2 + slotOf('u64 s = v > 1 ? log2_64(v - 1) + 1 : 0; return s > 26 ? 26 : s;'),
    slots: 27,
    layout: 'exporter-exp2:26',
  },
  {
    name: 'eight slots in each octave',
    code:
      LOG2 +
      slotOf(
        'u64 o = log2_64(v), s = v < 16 ? v : ((o - 2) << 3) + ((v >> (o - 3)) & 7);\n	return s > 255 ? 255 : s;',
      ),
    slots: 256,
    layout: 'log-linear-8:256',
  },
  {
    name: 'equal steps',
    code: slotOf('v /= 50; return v > 20 ? 20 : v;'),
    slots: 21,
    layout: equalSteps(50, 20),
  },
  {
    name: 'equal steps from 1000 on',
    code: slotOf('if (v < 1000) return 0; v = (v - 1000) / 250 + 1; return v > 30 ? 30 : v;'),
    slots: 31,
    layout: Array.from({ length: 30 }, (_, i) => 999 + 250 * i).join(','),
  },
  {
    name: 'bounds in a table',
    code: `static const u64 bounds[7] = { 0, 1, 4, 8, 16, 32, 64 };\n${slotOf(
      'for (int i = 0; i < 7; i++) if (v <= bounds[i]) return i;\n	return 7;',
    )}`,
    slots: 8,
    layout: 'queue-depth',
  },
  {
    name: 'bounds in a table, by halves',
    code: `const volatile u64 bounds[15] = { 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000 };\n${slotOf(
      'u64 s = 0;\n	for (u64 h = 8; h; h >>= 1) { u64 m = s + h - 1; if (m < 15 && v > bounds[m]) s += h; }\n	return s > 15 ? 15 : s;',
    )}`,
    slots: 16,
    layout: '10,20,50,100,200,500,1000,2000,5000,10000,20000,50000,100000,200000,500000',
  },
];

/**
 * @typedef {object} Storage
 * @property {string} name
 * @property {string} map Name of the map, as its pin has it.
 * @property {(slots: number, hasTypes: boolean) => string} define C of the map.
 * @property {string} count C that counts slot `s`, of the label `l`.
 */

/** @param {string} key @param {string} value @param {boolean} hasTypes */
const types = (key, value, hasTypes) =>
  hasTypes
    ? `__type(key, ${key}); __type(value, ${value});`
    : `__uint(key_size, sizeof(${key})); __uint(value_size, sizeof(${value}));`;

const LOOK_UP = 'if (s >= SLOTS) return 0; u32 k = s; u64 *c = bpf_map_lookup_elem(&counts, &k); if (c)';
/** @param {number} slots */
const struct = (slots) =>
  `struct hist { u64 total; u32 slots[${slots}]; u32 pad; };\nstatic const struct hist zero = {};\n`;

/** Where programs keep slots. @type {readonly Storage[]} */
export const STORAGES = [
  {
    name: 'array of each CPU',
    map: 'counts',
    define: (slots, hasTypes) =>
      `struct { __uint(type, 6); __uint(max_entries, ${slots}); ${types('u32', 'u64', hasTypes)} } counts SEC(".maps");`,
    count: `${LOOK_UP} *c += 1;`,
  },
  {
    name: 'array',
    map: 'counts',
    define: (slots, hasTypes) =>
      `struct { __uint(type, 2); __uint(max_entries, ${slots}); ${types('u32', 'u64', hasTypes)} } counts SEC(".maps");`,
    count: `${LOOK_UP} __sync_fetch_and_add(c, 1);`,
  },
  {
    name: 'hash with a key of each slot',
    map: 'counts',
    define: (_, hasTypes) =>
      `struct { __uint(type, 1); __uint(max_entries, 1024); ${types('u32', 'u64', hasTypes)} } counts SEC(".maps");`,
    count: `u32 k = s; u64 zero = 0, *c = bpf_map_lookup_elem(&counts, &k);
	if (!c) { bpf_map_update_elem(&counts, &k, &zero, 1); c = bpf_map_lookup_elem(&counts, &k); }
	if (c) __sync_fetch_and_add(c, 1);`,
  },
  {
    name: 'hash of each CPU with a label and a slot as key',
    map: 'counts',
    define: (_, hasTypes) =>
      `struct key { u32 label; u32 slot; };\nstruct { __uint(type, 5); __uint(max_entries, 1024); ${types('struct key', 'u64', hasTypes)} } counts SEC(".maps");`,
    count: `struct key k = { .label = l, .slot = s }; u64 one = 1, *c = bpf_map_lookup_elem(&counts, &k);
	if (c) *c += 1; else bpf_map_update_elem(&counts, &k, &one, 1);`,
  },
  {
    name: 'hash of structs with slots',
    map: 'counts',
    define: (slots, hasTypes) =>
      `${struct(slots)}struct { __uint(type, 1); __uint(max_entries, 64); ${types('u32', 'struct hist', hasTypes)} } counts SEC(".maps");`,
    count: `u32 k = l; struct hist *h = bpf_map_lookup_elem(&counts, &k);
	if (!h) { bpf_map_update_elem(&counts, &k, &zero, 1); h = bpf_map_lookup_elem(&counts, &k); }
	if (!h) return 0;
	if (s >= SLOTS) return 0;
	__sync_fetch_and_add(&h->slots[s], 1);
	h->total += 1;`,
  },
  {
    name: 'variable',
    map: '.bss',
    define: (slots) => `u64 slots[${slots}];`,
    count: 'if (s >= SLOTS) return 0; __sync_fetch_and_add(&slots[s], 1);',
  },
  {
    name: 'variable of structs',
    map: '.bss',
    define: (slots) => `struct hist { u32 slots[${slots}]; char comm[16]; };\nstruct hist hists[4];`,
    count: 'if (s >= SLOTS) return 0; l &= 3; __sync_fetch_and_add(&hists[l].slots[s], 1);',
  },
  {
    name: 'one struct of a variable, beside other counters',
    map: '.bss',
    define: (slots) =>
      `u64 events[4];\nstruct hist { u32 total; u32 slots[${slots}]; char comm[16]; };\nstruct hist hists[4];`,
    count: `if (s >= SLOTS) return 0; l &= 3;
	__sync_fetch_and_add(&events[3], 1);
	__sync_fetch_and_add(&hists[2].total, 1);
	__sync_fetch_and_add(&hists[2].slots[s], 1);`,
  },
];

const HEAD = `#include "kernel.h"
typedef __u64 u64;
typedef __u32 u32;
#include <bpf/bpf_helpers.h>
char LICENSE[] SEC("license") = "GPL";
`;

/**
 * A program that counts the first argument of its tracepoint, or the time since the last event of its second argument.
 *
 * @param {Convention} convention
 * @param {Storage} storage
 * @param {{ readonly isInline: boolean, readonly hasTypes: boolean, readonly isTime: boolean }} way
 */
export function writeProgram(convention, storage, { isInline, hasTypes, isTime }) {
  const started = `struct { __uint(type, 1); __uint(max_entries, 64); __type(key, u64); __type(value, u64); } started SEC(".maps");`;
  const value = isTime
    ? `u64 id = ctx[1], now = bpf_ktime_get_ns(), *then = bpf_map_lookup_elem(&started, &id), v;
	if (!then) { bpf_map_update_elem(&started, &id, &now, 0); return 0; }
	if (now < *then) return 0;
	v = now - *then;`
    : 'u64 v = ctx[0];';
  return `${HEAD}
#define FUNCTION ${isInline ? 'static __always_inline' : 'static __noinline'}
#define SLOTS ${convention.slots}
${convention.code}
${isTime ? started : ''}
${storage.define(convention.slots, hasTypes)}

SEC("raw_tp") int count(u64 *ctx)
{
	u32 l = ctx[1];
	${value}
	u64 s = slot_of(v);
	${storage.count}
	return 0;
}
`;
}
