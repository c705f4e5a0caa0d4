import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { importSource } from '../../lib/import-source.js';
import { assertThat } from '../check.js';
import { meaningOf, yamlMaker } from '../yaml.js';

/** @typedef {import('../engine.js').Target} Target */

/** @param {string} path Relative to the fixtures of the package. */
const fixture = (path) =>
  readFileSync(new URL(`../../../packages/ebpf/test/fixtures/${path}`, import.meta.url), 'utf8');

/** @returns {Promise<Target>} */
export async function bpftrace() {
  const { learnLayout, parseBpftraceLine } = await importSource('ebpf/src/source/bpftrace-output.ts');
  return {
    form: 'json',
    seeds: fixture('bpftrace/kinds.v0.17.ndjson')
      .split('\n')
      .filter((line) => line !== '')
      .slice(0, 20),
    words: ['"min":', '"max":', '"count":', '"hist"', '"-9223372036854775808"'],
    run(text) {
      const line = parseBpftraceLine(text);
      if (line.kind !== 'histograms') return;
      for (const { buckets } of line.printed) {
        const { slots } = learnLayout(line.variable, buckets);
        assertThat(slots.slotCount > 0 && slots.slotCount < 100_000, () => `${slots.slotCount} slots`);
      }
    },
  };
}

/** @returns {Promise<Target>} */
export async function bpftool() {
  const { infoOfShow, entriesOfDump } = await importSource('ebpf/src/source/bpftool-json.ts');
  const names = ['percpu-hash', 'percpu-array', 'value-of-slots', 'empty-hash'];
  const shown = names.map((name) => fixture(`bpftool/${name}.show.v7.1.json`));
  const infos = shown.map((text) => infoOfShow(text, ['id', '1']));
  return {
    form: 'json',
    seeds: names
      .flatMap((name, i) => [/** @type {string} */ (shown[i]), fixture(`bpftool/${name}.dump.v7.1.json`)])
      .filter((text) => text.length < 20_000),
    words: ['"key":', '"value":', '"0xff"', '"cpu":', '['],
    run(text) {
      for (const read of [
        () => infoOfShow(text, ['id', '1']),
        () => entriesOfDump(text, infos[text.length % infos.length]),
      ]) {
        try {
          read();
        } catch (error) {
          if (/** @type {any} */ (error)?.name !== 'HdrscopeError') throw error;
        }
      }
    },
  };
}

/** @returns {Promise<Target>} */
export async function btf() {
  const { Budget } = await importSource('kit/src/index.ts');
  const { parseBtf, resolveBtf, sizeOfBtf } = await importSource('ebpf/src/bpf/btf.ts');
  const { BtfBuilder } = await importSource('ebpf/test/support/kernel-btf.ts');
  const builder = new BtfBuilder();
  const int = builder.int(4, { isSigned: true });
  const alias = builder.typedef('u32', builder.const(builder.volatile(int)));
  const array = builder.array(alias, 27);
  builder.struct(112, [
    { name: 'slots', type: array, bitOffset: 0 },
    { name: '', type: builder.union(4, [{ name: 'x', type: int, bitOffset: 0 }]), bitOffset: 864 },
  ]);
  return {
    form: 'bytes',
    seeds: [builder.build()],
    run(bytes) {
      const types = parseBtf(new Uint8Array(bytes));
      for (const [id, type] of types.entries()) {
        if (id === 0 || type === undefined) continue;
        try {
          resolveBtf(types, id);
          const size = sizeOfBtf(types, id, new Budget('BTF', { depth: 64 }));
          assertThat(size >= 0, () => `the size is ${size}`);
        } catch (error) {
          if (/** @type {any} */ (error)?.name !== 'HdrscopeError') throw error;
        }
      }
    },
  };
}

const NAMES = ['a', 'bio_latency_seconds', 'x_bytes', "it's", 'ünï', '7'];

const LABELS = ['a', 'bucket_', '_x', 'operation', 'B7'];

/** A label with its decoders. @param {import('../../lib/random.js').Random} random @param {string} name */
function label(random, name) {
  const size = random.of([1, 2, 4, 8]);
  const named = { name: 'static_map', static_map: { 0: 'read', 1: random.of(NAMES) } };
  const next = random.of([[], [named], [{ ...named, allow_unknown: random.oneIn(2) }], [{ name: 'hex' }]]);
  const { bytes = size, decoders } = random.of([
    { decoders: [{ name: 'uint' }, ...next] },
    { decoders: [{ name: 'uint' }, { name: random.of(['cgroup', 'errno']) }] },
    { decoders: [{ name: 'string' }, { name: 'regexp', regexps: ['^a.*$'] }, ...next] },
    { decoders: [{ name: random.of(['hex', 'dname']) }] },
    { bytes: 4, decoders: [{ name: random.of(['majorminor', 'ifname', 'inet_ip']) }, ...next] },
    { bytes: 8, decoders: [{ name: random.of(['ksym', 'kstack']) }] },
  ]);
  const padding = random.oneIn(3) ? { padding: random.below(5) } : {};
  return { name, size: bytes, ...padding, decoders };
}

/** A right configuration. @param {import('../../lib/random.js').Random} random */
function configuration(random) {
  const shared = [label(random, 'shared')];
  const histograms = Array.from({ length: random.below(5) }, () => {
    const min = random.below(20);
    const range = { bucket_min: min, bucket_max: min + 1 + random.below(30) };
    const type = random.of(['exp2', 'exp2zero', 'linear', 'fixed']);
    const labels = random.oneIn(2)
      ? shared
      : LABELS.slice(0, random.below(4)).map((name) => label(random, name));
    const bucket = { name: 'bucket', size: 8, decoders: [{ name: 'uint' }] };
    return {
      name: random.of(NAMES),
      ...(random.oneIn(2) ? { help: random.of([...NAMES, 'Two\nlines']) } : {}),
      bucket_type: type,
      ...(type === 'fixed' ? { bucket_keys: [0, 1, 5, 10 + random.below(90)] } : range),
      ...(random.oneIn(2) ? { bucket_multiplier: random.of([1e-6, 0.5, 1, 512]) } : {}),
      labels: [...labels, bucket],
    };
  });
  return { metrics: { histograms, ...(random.oneIn(5) ? { counters: [{ name: 'c' }] } : {}) }, programs: [] };
}

/** What histograms say. @param {readonly any[]} histograms */
function contentOf(histograms) {
  return histograms.map(({ name, family, map }) => ({
    name,
    family,
    shape: map.shape,
    edges: Array.from({ length: 8 }, (_, slot) =>
      map.layout.slots.upper(Math.min(slot, map.layout.slots.slotCount - 1)),
    ),
  }));
}

/** @returns {Promise<Target>} */
export async function exporterYaml() {
  const { parseEbpfExporterConfig } = await importSource('ebpf/src/index.ts');
  const seeds = [
    `metrics:
  histograms:
  - name: bio_latency_seconds
    help: Block IO latency
    bucket_type: exp2
    bucket_min: 0
    bucket_max: 26
    bucket_multiplier: 0.000001
    labels:
      - name: operation
        size: 8
        decoders:
          - name: uint
          - { name: static_map, static_map: { 0: read, 1: write } }
      - { name: bucket, size: 8, decoders: [{ name: uint }] }
`,
    'metrics:\n  histograms:\n    - name: x\n      bucket_type: fixed\n      bucket_keys: [1, 5, 10]\n      labels: [{ name: bucket, size: 4, padding: 4, decoders: [{ name: uint }] }]\n',
    'metrics: { histograms: [{ name: y, bucket_type: linear, bucket_max: 20, labels: [{ name: a, size: 16, decoders: [{ name: string }] }, { name: b, size: 8 }] }] }\n',
  ];
  const words = [
    '- ',
    '  ',
    'bucket_type: ',
    'exp2zero',
    'size: ',
    'decoders:',
    '&a ',
    '*a',
    '[',
    '{',
    '|\n',
    '!!binary ',
  ];
  return {
    form: 'text',
    seeds,
    words,
    mostMs: 1500,
    mostMb: 256,
    make: yamlMaker(configuration, seeds, words),
    run(text) {
      const json = meaningOf(text);
      if (json === undefined) return parseEbpfExporterConfig(text);
      let found;
      try {
        found = contentOf(parseEbpfExporterConfig(text));
      } catch (error) {
        throw new Error('contradiction: it is right, and refused', { cause: error });
      }
      const meant = contentOf(parseEbpfExporterConfig(json));
      assertThat(isDeepStrictEqual(found, meant), () => 'it means something else in JSON');
      return found;
    },
  };
}

/** @returns {Promise<Target>} */
export async function kernelLayout() {
  const { parseKernelLayout } = await importSource('ebpf/src/index.ts');
  return {
    form: 'text',
    seeds: ['bcc', 'libbpf-tools:27', '0,1,4,8', '-5,0,9', 'exporter-linear:20', 'bpftrace-hist:3'],
    words: [
      'queue-depth',
      'inspektor-gadget',
      'log-linear-8',
      'exporter-exp2',
      'exporter-exp2zero',
      ':',
      ',',
      '-',
      '999999999',
    ],
    run: (text) => parseKernelLayout(text),
  };
}

/** @returns {Promise<Target>} */
export async function mapShape() {
  const { parseMapShape } = await importSource('ebpf/src/index.ts');
  return {
    form: 'text',
    seeds: ['key { char comm[16]; u64 slot; } value { u64 count; }', 'value { __u32 slots[26], sum }'],
    words: ['key', 'value', '{', '}', '[', ']', ';', 'unsigned long', 'uint8_t', 's64', 'bool', '99999'],
    run: (text) => parseMapShape(text),
  };
}

/** @returns {Promise<Target>} */
export async function bpftraceScript() {
  const { mapsOfScript, layoutOfScriptMap, keyOfBpftrace } = await importSource(
    'ebpf/src/source/bpftrace-script.ts',
  );
  return {
    form: 'text',
    seeds: ['BEGIN { @us[comm, pid] = lhist(nsecs, 0, MAX, 10); }', '#define MAX 9\n// x\n@ = hist(1, 3)'],
    words: [
      '@',
      '=',
      'hist(',
      'lhist(',
      'count()',
      '"',
      '/*',
      '*/',
      '//',
      '[',
      ']',
      '#define ',
      '0x',
      'str(',
    ],
    run: (text) =>
      mapsOfScript(text).map((/** @type {any} */ map) => [
        layoutOfScriptMap(map)?.name,
        keyOfBpftrace(32, map.keys).length,
      ]),
  };
}
