import { importSource } from '../../lib/import-source.js';
import { assertThat } from '../check.js';

/** @typedef {import('../engine.js').Target} Target */

const kit = () => importSource('kit/src/index.ts');

/** @returns {Promise<Target>} */
export async function durations() {
  const { durationNs, formatDuration } = await kit();
  return {
    form: 'text',
    seeds: ['500ms', '1.5s', '1h30m', '12 µs', '3 d', '1d2h3min4s5ms6us7ns', '0ns'],
    words: ['ns', 'us', 'µs', 'ms', 's', 'm', 'min', 'h', 'd', ' ', '.', '1', '00'],
    run(text) {
      const ns = durationNs(text);
      if (ns === undefined) return;
      assertThat(Number.isInteger(ns) && ns >= 0, () => `${ns} ns`);
      assertThat(ns > 1e300 || durationNs(formatDuration(ns)) !== undefined, () => formatDuration(ns));
    },
  };
}

/** @returns {Promise<Target>} */
export async function sizes() {
  const { sizeBytes, formatSize } = await kit();
  return {
    form: 'text',
    seeds: ['512B', '64KiB', '100MB', '1.5 GiB', '2TB', '0 B'],
    words: ['B', 'kB', 'KB', 'MB', 'GB', 'TB', 'KiB', 'MiB', 'GiB', 'TiB', ' ', '.', '1', '00'],
    run(text) {
      const bytes = sizeBytes(text);
      if (bytes === undefined) return;
      assertThat(Number.isSafeInteger(bytes) && bytes >= 0, () => `${bytes} bytes`);
      assertThat(bytes > 0.999 * 2 ** 53 || sizeBytes(formatSize(bytes)) !== undefined, () =>
        formatSize(bytes),
      );
    },
  };
}

/** @returns {Promise<Target>} */
export async function jsonBudget() {
  const { Budget, parseJson } = await kit();
  return {
    form: 'json',
    seeds: ['{"a":[1,2,{"b":null}],"c":"d\\u0041"}', '[[[]],{},"",-1.5e3]', '{"__proto__":{"x":1}}'],
    words: ['[', ']', '{', '}', ',', ':', '"', '\\"', '\\\\', 'null', '{}', '[]'],
    run(text) {
      const value = parseJson(
        text,
        'the text',
        new Budget('the text', { bytes: 65_536, elements: 1000, depth: 20 }),
      );
      assertThat(
        JSON.stringify(value) === JSON.stringify(JSON.parse(text)),
        () => 'it differs from JSON.parse',
      );
    },
  };
}

/** @returns {Promise<Target>} */
export async function numbers() {
  const { NumberReader } = await importSource('kit/src/number-reader.ts');
  const formats = [
    {},
    { column: 'every' },
    { column: 2 },
    { column: 3, separator: ',' },
    { column: 'every', skip: 2, smallest: -10, largest: 1000 },
  ];
  return {
    form: 'bytes',
    seeds: [
      '# ms\n1.5\ntwo\n3\n',
      '1 2 3\r\n.5,1e-3;7\n\n-4\n',
      'a,b,c\n1,2,3\n"4",5,6.25\n',
      '123456789012345678901234567890.5e-10\n0x10 1_0\n+1\n',
    ].map((text) => Buffer.from(text)),
    run(bytes) {
      const format = formats[bytes.length % formats.length];
      /** @param {number} size */
      const readIn = (size) => {
        /** @type {unknown[]} */
        const found = [];
        const reader = new NumberReader(
          {
            onNumbers: (/** @type {Float64Array} */ values, /** @type {number} */ length) =>
              found.push(...values.slice(0, length)),
            onBadLine: (/** @type {{ lineNumber: number }} */ { lineNumber }) =>
              found.push(`bad ${lineNumber}`),
          },
          format,
        );
        for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
        reader.end();
        return JSON.stringify([
          found.filter((one) => typeof one === 'number'),
          found.filter((one) => typeof one === 'string'),
          reader.lineCount,
        ]);
      };
      const size = 1 + ((bytes[0] ?? 0) % 7);
      assertThat(
        readIn(Math.max(1, bytes.length)) === readIn(size),
        () => `chunks of ${size} bytes differ from one`,
      );
    },
  };
}
