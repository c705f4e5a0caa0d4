import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importSource } from '../../lib/import-source.js';

/** @typedef {import('../engine.js').Target} Target */
/** @typedef {import('../../lib/random.js').Random} Random */

/**
 * Files of rows without a seal, as version 1 and engines write them: the seal of other files finds each changed byte.
 *
 * @returns {Promise<Target>}
 */
export async function historyFile() {
  const { readRows } = await importSource('history/src/index.ts');
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-fuzz-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'case.parquet');
  const seeds = await makeSeeds(folder);
  return {
    form: 'bytes',
    seeds,
    words: ['PAR1', 'attributes', 'key_value', 'list', 'element'],
    make: (random, make) => (random.oneIn(2) ? make() : withRun(random, random.of(seeds))),
    gathers: true,
    async run(bytes) {
      writeFileSync(path, bytes);
      let rows = 0;
      for await (const _ of readRows(path)) rows++;
      return rows;
    },
  };
}

/**
 * Writes the header of a very long run somewhere. Few places of a file have such headers, and changes of single bits seldom make one.
 *
 * @param {Random} random
 * @param {Buffer} seed
 */
function withRun(random, seed) {
  const bytes = Buffer.from(seed);
  const run = random.of(LONG_RUNS);
  bytes.set(run, random.below(bytes.length - run.length));
  return bytes;
}

const LONG_RUNS = [
  [0xfe, 0xff, 0xff, 0x3f],
  // Packed values whose number is 0 modulo 2^32, a byte, and a run.
  [0x81, 0x80, 0x80, 0x80, 0x04, 0, 0x80, 0x80, 0x80, 0x80, 0x08],
];

/**
 * Makes equal seeds in each run, so that a case can be repeated.
 *
 * @param {string} folder
 */
async function makeSeeds(folder) {
  const { rowsBetween, writeRows } = await importSource('history/src/index.ts');
  const { createRegistry } = await importSource('registry/src/index.ts');
  const nowMs = () => 1_700_000_000_000;
  const registry = createRegistry({ clock: { nowMs, monotonicMs: nowMs } });
  const family = registry.histogram({ name: 'rpc.duration', unit: 's' });
  for (const method of ['get', 'put']) {
    const series = family.with({ method, route: `/${method}` });
    for (let i = 1; i <= 15; i++) series.record(i / 100);
  }
  const few = [...rowsBetween(undefined, await registry.gather(), { producer: 'shop 7d1f' })];
  // An engine makes dictionaries where values are repeated.
  const many = [0, 2, 4, 6].flatMap((n) => few.map((row) => ({ ...row, sequence: n + row.sequence })));
  const seeds = [];
  for (const rows of [few, many]) {
    const sealed = join(folder, `${rows.length}.parquet`);
    await writeRows(sealed, rows);
    seeds.push(await asVersion1(readFileSync(sealed)), ...(await copies(sealed, folder)));
  }
  return seeds;
}

/** @param {Buffer} bytes */
async function asVersion1(bytes) {
  const { SEAL_BYTES } = await importSource('history/src/parquet/seal.ts');
  const footer = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
  const file = Buffer.concat([bytes.subarray(0, footer - SEAL_BYTES), bytes.subarray(footer)]);
  const key = 'hdrscope.history.version';
  file.write('1', file.indexOf('2', file.indexOf(key) + key.length));
  return file;
}

/**
 * Copies that an engine makes: without compression, so that changed bytes reach the decoders of pages.
 *
 * @param {string} path
 * @param {string} folder
 */
async function copies(path, folder) {
  const { DuckDBInstance } = await import('@duckdb/node-api').catch(() => ({ DuckDBInstance: undefined }));
  if (DuckDBInstance === undefined) return [];
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const made = [];
  for (const version of ['V1', 'V2']) {
    const copy = join(folder, `${version}.parquet`);
    await connection.run(
      `COPY (SELECT * FROM read_parquet('${path}')) TO '${copy}' (FORMAT parquet, COMPRESSION uncompressed, PARQUET_VERSION ${version})`,
    );
    made.push(readFileSync(copy));
  }
  connection.closeSync();
  return made;
}
