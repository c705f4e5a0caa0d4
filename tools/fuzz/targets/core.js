import { deflateSync, inflateSync } from 'node:zlib';
import { importSource } from '../../lib/import-source.js';
import { assertThat } from '../check.js';
import { mutateBytes } from '../mutate.js';

/** @typedef {import('../engine.js').Target} Target */

const core = () => importSource('core/src/index.ts');

/** The compressed form has the cookie of version 2, the length of the stream and the stream. @param {Uint8Array} raw @param {number} cookie */
function wrapped(raw, cookie) {
  const stream = deflateSync(raw, { level: 1 });
  const bytes = Buffer.alloc(8 + stream.length);
  bytes.writeUInt32BE(cookie);
  bytes.writeUInt32BE(stream.length, 4);
  stream.copy(bytes, 8);
  return bytes;
}

// Version 0 and 1, with counts of fixed words and a header of 40 bytes.
/** @param {number} cookie @param {number} wordSize */
function oldEncoding(cookie, wordSize) {
  const bytes = Buffer.alloc(40 + 64 * wordSize);
  bytes.writeUInt32BE(cookie);
  bytes.writeInt32BE(64 * wordSize, 4);
  bytes.writeInt32BE(1, 12);
  bytes.writeBigInt64BE(1n, 16);
  bytes.writeBigInt64BE(100n, 24);
  bytes.writeDoubleBE(1, 32);
  for (let i = 0; i < 64; i += 5) bytes[40 + i * wordSize + wordSize - 1] = i;
  return bytes;
}

const OLD_COOKIES = [0x1c849301, 0x1c849308].flatMap((cookie) =>
  [2, 4, 8].map((size) => oldEncoding(cookie | (size << 4), size)),
);

/** @returns {Promise<Target>} */
export async function histogram() {
  const { Histogram } = await core();
  const seeds = [...OLD_COOKIES];
  for (const [significantDigits, values] of /** @type {const} */ ([
    [0, [1, 2, 3]],
    [1, [1, 50, 4000]],
    [2, [7, 7, 1e6]],
    [3, [0, 1, 2 ** 40]],
  ])) {
    const made = new Histogram({ significantDigits, storage: 'sparse' });
    for (const value of values) made.record(value, value + 1);
    seeds.push(made.encode(), made.encodeCompressed());
  }
  const raw = seeds.filter((bytes) => bytes[3] !== 0x14 && bytes[3] !== 0x09);
  return {
    form: 'bytes',
    seeds,
    // A giant layout may be dense.
    mostMb: 512,
    mostMs: 1500,
    make: (random, make) =>
      random.oneIn(4)
        ? wrapped(mutateBytes(random, random.of(raw), raw), random.oneIn(8) ? random.next() : 0x1c849314)
        : make(),
    run(bytes) {
      const text = bytes.length % 4 === 1 ? Buffer.from(bytes).toString('latin1') : undefined;
      const read = Histogram.decode(text ?? bytes, { storage: 'sparse' });
      assertThat(
        read.totalCount >= 0 && read.min <= read.max,
        () => `${read.totalCount}, ${read.min} to ${read.max}`,
      );
      assertThat(read.valueAtPercentile(100) >= read.valueAtPercentile(50), () => 'percentiles decrease');
      const again = Histogram.decode(read.encode(), { storage: 'sparse' });
      assertThat(again.equals(read), () => 'it differs from what is encoded again');
    },
  };
}

/** @returns {Promise<Target>} */
export async function doubleHistogram() {
  const { DoubleHistogram } = await core();
  /** @type {Uint8Array[]} */
  const seeds = [];
  for (const values of [[], [1], [0.001, 0.5, 12.25], [1e-300, 1e-299], [3e10, 4e12]]) {
    const made = new DoubleHistogram({ significantDigits: 2, storage: 'sparse' });
    for (const value of values) made.record(value);
    seeds.push(made.encode(), made.encodeCompressed());
  }
  return {
    form: 'bytes',
    seeds,
    mostMb: 512,
    mostMs: 1500,
    make(random, make) {
      const bytes = Buffer.from(make());
      // The integers within are compressed in some seeds: they are changed before they are compressed again.
      if (!random.oneIn(3)) return bytes;
      const seed = Buffer.from(random.of(seeds));
      try {
        const inner = seed.subarray(16);
        const changed = wrapped(
          mutateBytes(random, inflateSync(inner.subarray(8)), [inner]),
          inner.readUInt32BE(),
        );
        return Buffer.concat([seed.subarray(0, 16), changed]);
      } catch {
        return bytes;
      }
    },
    run(bytes) {
      const read = DoubleHistogram.decode(bytes, { storage: 'sparse' });
      assertThat(
        read.totalCount >= 0 && read.min <= read.max,
        () => `${read.totalCount}, ${read.min} to ${read.max}`,
      );
      const again = DoubleHistogram.decode(read.encode(), { storage: 'sparse' });
      assertThat(again.equals(read), () => 'it differs from what is encoded again');
    },
  };
}

/** @returns {Promise<Target>} */
export async function histogramJson() {
  const { Histogram, DoubleHistogram, LayoutHistogram, explicitLayout, log2Layout, linearLayout } =
    await core();
  const integers = new Histogram({ significantDigits: 2, storage: 'sparse' });
  integers.record(12_345, 6);
  integers.tag = 'A';
  integers.startTimeMs = 1000;
  const doubles = new DoubleHistogram({ storage: 'sparse' });
  doubles.record(0.25);
  const layouts = [
    explicitLayout([1, 2.5, 10]),
    log2Layout({ slots: 12 }),
    linearLayout({ slots: 9, width: 5 }),
  ].map((layout) => {
    const made = new LayoutHistogram(layout);
    made.record(2);
    return made;
  });
  const kinds = [Histogram, DoubleHistogram, LayoutHistogram];
  return {
    form: 'json',
    seeds: [integers, doubles, ...layouts].map((one) => JSON.stringify(one)),
    mostMb: 512,
    mostMs: 1500,
    allows: (error) => error instanceof SyntaxError,
    run(text) {
      const json = JSON.parse(text);
      for (const [i, kind] of kinds.entries()) {
        try {
          const read = kind.fromJSON(json, i < 2 ? { storage: 'sparse' } : {});
          const again = kind.fromJSON(JSON.parse(JSON.stringify(read)));
          assertThat(again.totalCount === read.totalCount, () => 'it differs from what is written again');
        } catch (error) {
          if (/** @type {any} */ (error)?.name !== 'HdrscopeError') throw error;
        }
      }
    },
  };
}

/** @returns {Promise<Target>} */
export async function percentileText() {
  const { Histogram, formatPercentiles, parsePercentiles } = await core();
  const made = new Histogram();
  for (let i = 1; i < 200; i++) made.record(i * 37);
  return {
    form: 'text',
    seeds: [
      formatPercentiles(made),
      formatPercentiles(made, { format: 'csv' }),
      formatPercentiles(made, { valueScale: 1000 }),
      'Value,Percentile,TotalCount,1/(1-Percentile)\n1.000,0.000000,1,1.00\n20.000,1.000000,10,inf\n',
    ],
    words: [
      '#[',
      'Mean',
      'StdDeviation',
      'Total count',
      ' = ',
      'inf',
      'nan',
      '1.000000',
      'Value',
      'Percentile',
      '  ',
    ],
    mostMb: 512,
    run(text) {
      const { histogram: read, loss } = parsePercentiles(text);
      assertThat(read.totalCount === loss.totalCount, () => 'the total differs from the loss');
    },
  };
}
