import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importSource } from '../../lib/import-source.js';
import { assertThat } from '../check.js';

/** @typedef {import('../engine.js').Target} Target */

const END_MS = 1_700_000_100_000;

/**
 * Bodies of frames in a file of the past of a page, between two that are right: a checksum would find each changed byte of a frame.
 *
 * @returns {Promise<Target>}
 */
export async function pastRecord() {
  const { encodeFrame } = await importSource('dashboard/src/past/frames.ts');
  const { readPastFile } = await importSource('dashboard/src/past/past-file.ts');
  const { encodeRecord, PAST_VERSION } = await importSource('dashboard/src/past/records.ts');
  const { History } = await importSource('dashboard/src/history/history.ts');
  const { Slices } = await importSource('kit/src/index.ts');
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-fuzz-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'case.past');
  const interval = (/** @type {number} */ startMs, id = 0) => ({
    ...{ kind: 'interval', isLater: startMs > 0, startMs, endMs: startMs + 1000 },
    ids: Int32Array.of(id),
    offsets: Uint32Array.of(0, 2, 2),
    sums: Float64Array.of(1.5),
    bytes: Uint8Array.of(4, 1),
  });
  const definition = { name: 'jobs', unit: 's', description: '', resolution: 1e-9, significantDigits: 2 };
  const records = [
    { kind: 'version', version: PAST_VERSION },
    { kind: 'family', id: 0, family: { ...definition, cardinalityLimit: 1, boundaries: [1, 2] } },
    {
      kind: 'series',
      series: [
        [0, 0, [['queue', 'mail']], new Map([[3, { first: 1, last: 4 }]])],
        [1, 0, [], undefined],
      ],
    },
    interval(1_700_000_000_000),
    interval(1_700_000_001_000, 1),
    { kind: 'end', endMs: 1_700_000_002_000 },
  ].map((record) => encodeRecord(record));
  const slices = new Slices();
  const before = await Promise.all(records.slice(0, 3).map((body) => encodeFrame(body, slices)));
  const after = await encodeFrame(encodeRecord(interval(END_MS - 1000)), slices);
  return {
    form: 'bytes',
    seeds: records,
    words: ['kind', 'interval', 'series', 'family', 'version', 'end', 'hdrframe'],
    gathers: true,
    async run(bytes) {
      writeFileSync(path, Buffer.concat([...before, await encodeFrame(bytes, slices), after]));
      const file = await open(path, 'r');
      try {
        const { history, later, facts } = await readPastFile(file, END_MS);
        const restored = new History({ spanMs: 1e12, mostBytes: 2 ** 20, coarsening: 'older' });
        await restored.restore(history, later);
        const ends = restored.intervals.map((/** @type {{ endMs: number }} */ { endMs }) => endMs);
        // An interval that ends after the start of the last one takes its place, and that is counted.
        const isWhole = ends.at(-1) === END_MS || facts.misplacedIntervals > 0;
        assertThat(isWhole, () => `the intervals end at ${ends}`);
        return ends.length;
      } catch (error) {
        if (/later version/.test(String(error))) return 0;
        throw error;
      } finally {
        await file.close();
      }
    },
  };
}
