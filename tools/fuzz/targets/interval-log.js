import { constants, gunzipSync, gzipSync } from 'node:zlib';
import { importSource } from '../../lib/import-source.js';
import { assertThat } from '../check.js';
import { mutateBytes } from '../mutate.js';

/** @typedef {import('../engine.js').Target} Target */

const intervalLog = () => importSource('interval-log/src/index.ts');

const LINES = [
  '#[Histogram log format version 1.3]',
  '#[StartTime: 1441812279.474 (seconds since epoch), Wed Sep 09 08:24:39 PDT 2015]',
  '#[BaseTime: 1441812279.000 (seconds since epoch)]',
  '#[Family: {"name":"rpc","unit":"s","resolution":1e-9,"significantDigits":3,"description":""}]',
  '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
  '0.127,1.007,2.769,HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe',
  'Tag=rpc{op="get"},1.134,0.999,0.000,HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe',
  'Tag=A,2.133 1.001 0,HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe',
];
const TEXT = `${LINES.join('\n')}\n`;
const WORDS = [
  'Tag=',
  ',',
  ' ',
  '#[',
  'StartTime: ',
  'BaseTime: ',
  ']',
  'HISTFAAAA',
  'HISTEw',
  'DHIST',
  '1e9',
  'NaN',
  '#[Family: {',
  '"',
  '\n',
];

/**
 * The reader of browsers beside zlib. What zlib leaves out after the last stream, it refuses.
 *
 * @returns {Promise<Target>}
 */
export async function gzipStreams() {
  const { gunzip } = await importSource('interval-log/src/reader/gunzip.portable.ts');
  const one = gzipSync(TEXT);
  /** @param {Uint8Array} bytes @param {number} length */
  const read = async (bytes, length) => {
    const texts = [];
    for await (const text of gunzip(cut(bytes, length))) texts.push(text);
    return Buffer.concat(texts);
  };
  const seeds = [
    one,
    Buffer.concat([one, gzipSync('second\n', { level: 0 }), Buffer.alloc(20)]),
    gzipSync(TEXT, { strategy: constants.Z_FIXED }),
    gzipSync(TEXT, { strategy: constants.Z_HUFFMAN_ONLY, level: 1 }),
  ];
  return {
    form: 'bytes',
    seeds,
    gathers: true,
    mostMs: 1500,
    make: (random, make) =>
      random.oneIn(4)
        ? Buffer.concat([gzipSync(mutateBytes(random, Buffer.from(TEXT), seeds)), random.of(seeds)])
        : make(),
    async run(bytes) {
      let text;
      try {
        text = await read(bytes, bytes.length);
      } catch (error) {
        const isMoreStrict = /after it are not compressed|header is longer/.test(String(error));
        assertThat(isMoreStrict || !isTaken(bytes), () => `zlib takes what is refused: ${error}`);
        throw error;
      }
      assertThat(text.equals(gunzipSync(bytes)), () => 'the text is not that of zlib');
      assertThat(text.equals(await read(bytes, 7)), () => 'pieces give another text');
    },
  };
}

/** @param {Uint8Array} bytes */
function isTaken(bytes) {
  try {
    gunzipSync(bytes);
    return true;
  } catch {
    return false;
  }
}

/** @param {Uint8Array} bytes @param {number} length */
async function* cut(bytes, length) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** @returns {Promise<Target>} */
export async function log() {
  const { readEntries } = await intervalLog();
  const seeds = [
    Buffer.from(TEXT),
    gzipSync(TEXT),
    Buffer.from(`\ufeff${TEXT}`, 'utf16le'),
    Buffer.from(LINES.slice(5).join('\r\n')),
  ];
  return {
    form: 'bytes',
    seeds,
    gathers: true,
    mostMs: 1500,
    mostMb: 512,
    make: (random, make) =>
      random.oneIn(5) ? gzipSync(mutateBytes(random, Buffer.from(TEXT), seeds), { level: 1 }) : make(),
    async run(bytes) {
      for await (const entry of readEntries(bytes)) if (entry.kind === 'interval') decoded(entry);
    },
  };
}

/** @returns {Promise<Target>} */
export async function logLine() {
  const { readEntries } = await intervalLog();
  return {
    form: 'text',
    seeds: LINES,
    words: WORDS,
    gathers: true,
    mostMs: 1500,
    async run(text) {
      for await (const entry of readEntries(Buffer.from(text))) {
        if (entry.kind !== 'interval') continue;
        assertThat(Number.isFinite(entry.startSec ?? 0), () => `it starts at ${entry.startSec}`);
        decoded(entry);
      }
    },
  };
}

/** @param {any} entry */
function decoded(entry) {
  try {
    entry.histogram();
  } catch (error) {
    if (/** @type {any} */ (error).name !== 'HdrscopeError') throw error;
  }
}

/** @returns {Promise<Target>} */
export async function logOperations() {
  const { summarizeLogs, sliceLog, reintervalLog, convertToV2, mergeLogs } = await intervalLog();
  return {
    form: 'text',
    seeds: [TEXT, LINES.slice(4).join('\n')],
    words: WORDS,
    gathers: true,
    mostMs: 2000,
    mostMb: 512,
    async run(text) {
      const bytes = Buffer.from(text);
      const operations = [
        () => summarizeLogs([bytes]),
        () => taken(sliceLog(bytes, { since: { offsetSec: 1 } })),
        () => taken(reintervalLog(bytes, { lengthSec: 5 })),
        () => taken(convertToV2(bytes)),
        () => taken(mergeLogs([bytes, bytes])),
      ];
      await operations[bytes.length % operations.length]?.();
    },
  };
}

/** @param {AsyncIterable<unknown>} items */
async function taken(items) {
  for await (const _ of items);
}

/** @returns {Promise<Target>} */
export async function textKind() {
  const { recogniseText } = await importSource('interval-log/src/parser.ts');
  return {
    form: 'text',
    seeds: [
      TEXT,
      '       Value     Percentile TotalCount 1/(1-Percentile)\n\n',
      ' Latency Distribution\n 50.000% 1.2ms\n',
      '"#[Histogram',
      '1\n2\n',
    ],
    words: [...WORDS, ' Latency Distribution\n', ' 50.0% 1.1ms\n', 'Value', 'Percentile', '    '],
    run: (text) => recogniseText(text),
  };
}

/** @returns {Promise<Target>} */
export async function seriesTag() {
  const { parseSeriesTag, formatSeriesTag } = await intervalLog();
  return {
    form: 'text',
    seeds: [
      'rpc',
      'rpc{op="get"}',
      'a.b{x="1";y="%2C%20"}',
      formatSeriesTag('na me', { op: 'a,b "c"', n: 5, list: ['x', 'y'], b: true }),
    ],
    words: ['{', '}', '=', '"', '%', ';', '%2C', '\\', '[', ']'],
    run(text) {
      const { name, attributes } = parseSeriesTag(text);
      const tag = formatSeriesTag(name, attributes);
      const again = parseSeriesTag(tag);
      assertThat(formatSeriesTag(again.name, again.attributes) === tag, () => `${tag} is read differently`);
    },
  };
}

/** @returns {Promise<Target>} */
export async function familyNote() {
  const { parseFamilyNote, formatFamilyNote } = await importSource('interval-log/src/internal.ts');
  return {
    form: 'json',
    seeds: [
      '{"name":"rpc","unit":"s","resolution":1e-9,"significantDigits":3,"description":""}',
      '{"name":"x","unit":"By","resolution":1,"significantDigits":2,"description":"d","scope":{"name":"s","version":"1"},"tagAttributes":{"a":"b","c":[1,2]}}',
    ],
    run(text) {
      const note = parseFamilyNote(`[Family: ${text}]`);
      if (note !== undefined) formatFamilyNote(note);
    },
  };
}

/** @returns {Promise<Target>} */
export async function processorArguments() {
  const { parseProcessorArgs } = await importSource('interval-log/src/internal.ts');
  return {
    form: 'text',
    seeds: [
      '-i a.hlog -o b -csv',
      '-start 1 -end 2.5 -tag A',
      '-mwp 99.9 -mwpl 60 -v',
      '-outputValueUnitRatio 1e6 -percentilesOutputTicksPerHalf 5',
      '-h',
    ],
    words: [
      '-i',
      '-o',
      '-csv',
      '-start',
      '-end',
      '-tag',
      '-mwp',
      '-mwpl',
      '-correctLogWithKnownCoordinatedOmission',
      '0x1p3',
      'NaN',
      '1e400',
      ' ',
    ],
    run: (text) => parseProcessorArgs(text.split(' ')),
  };
}
