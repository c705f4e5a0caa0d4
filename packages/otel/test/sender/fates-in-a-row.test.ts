import { readdir } from 'node:fs/promises';
import { caseCount } from '@hdrscope/testing/case-count';
import type { RequestEnd } from '@hdrscope/testing/fates';
import fc from 'fast-check';
import { HOUR, type Reply, SECOND, startCell } from './cells.ts';
import { untilDelivered } from './fates.ts';
import { copyOf, newFolder } from './folders.ts';

/** Fates that follow each other in one sender's life. Receivers do not refuse what they have taken. */
const IN_A_ROW: readonly RequestEnd<Reply>[] = [
  ...[503, 500, 302, 'page' as const, 'cut' as const].flatMap((reply) => [
    { reply, isTaken: true },
    { reply, isTaken: false },
  ]),
  ...[400, 401, 413, 422, 'cut before' as const].map((reply) => ({ reply, isTaken: false })),
  { reply: 200, isTaken: true },
];

test.each(['delta', 'cumulative'] as const)(
  'whatever happens to requests and to the clock, a receiver that knows repetitions has each value once: %s',
  async (temporality) => {
    const step = fc.record({
      fates: fc.array(fc.constantFrom(...IN_A_ROW), { maxLength: 3 }),
      offsetMs: fc.constantFrom(0, 0, 24 * HOUR, -HOUR, 1),
      series: fc.array(fc.nat({ max: 4 }), { maxLength: 4 }),
    });
    const steps = fc.array(step, { minLength: 1, maxLength: 10 });
    const sizes = fc.constantFrom(1, 300, 4_000_000);
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(steps, sizes, fc.boolean(), async (given, maxRequestBytes, isStrict) => {
        const cell = `${temporality} ${runs++}`;
        const { ledger, clock, family, sender } = startCell(cell, isStrict, {
          ...{ protocol: 'http/protobuf', temporality },
          maxRequestBytes,
        });
        let recorded = 0;
        for (const { fates, offsetMs, series } of given) {
          clock.offsetMs = offsetMs;
          for (const i of series) family.with({ i }).record(i);
          recorded += series.length;
          ledger.nowMs += SECOND;
          ledger.fates.push(...fates);
          await sender.flush().catch(() => {});
        }
        ledger.fates.length = 0;
        clock.offsetMs = 0;
        ledger.nowMs += SECOND;
        await untilDelivered(sender);
        const { pendingValues, givenUpValues, uncertainValues } = sender.health;
        const accounted = ledger.values + givenUpValues;
        // Cumulative points are not repeated: after several doubts, one that a receiver drops as late is followed by a newer one.
        expect([pendingValues, temporality === 'delta' ? ledger.late : 0]).toEqual([0, 0]);
        expect(accounted).toBeGreaterThanOrEqual(recorded);
        expect(accounted).toBeLessThanOrEqual(recorded + uncertainValues);
        // Only points that are too large are given up.
        expect(givenUpValues > 0).toBe(temporality === 'delta' && sender.health.tooLargePoints > 0);
        await sender.close();
      }),
      { numRuns: caseCount(15, 2000) },
    );
  },
);

const TAKEN_503 = { reply: 503, isTaken: true } as const;
const NOTHING = { fates: [], offsetMs: 0, series: [], isKilled: false, isStopped: false };

/** The clock of a process is set back before it has read all files of the process before it. */
const SET_BACK = [
  { ...NOTHING, fates: [TAKEN_503], series: [3] },
  { ...NOTHING, fates: [TAKEN_503, TAKEN_503, TAKEN_503], offsetMs: -HOUR, series: [3], isStopped: true },
  { ...NOTHING, series: [3] },
  { ...NOTHING, fates: [TAKEN_503, TAKEN_503], offsetMs: -HOUR, isStopped: true },
  NOTHING,
];

test('whatever happens to requests, to the clock and to processes, a queue delivers each value once', async () => {
  const step = fc.record({
    fates: fc.array(fc.constantFrom(...IN_A_ROW.filter(({ reply }) => reply !== 413)), { maxLength: 3 }),
    offsetMs: fc.constantFrom(0, 0, 24 * HOUR, -HOUR, 1),
    series: fc.array(fc.nat({ max: 4 }), { maxLength: 4 }),
    isKilled: fc.boolean(),
    isStopped: fc.boolean(),
  });
  const steps = fc.array(step, { minLength: 1, maxLength: 10 });
  const sizes = fc.constantFrom(1, 300, 4_000_000);
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(steps, sizes, fc.boolean(), async (given, maxRequestBytes, isStrict) => {
      let folder = await newFolder();
      const started = startCell(`queue ${runs++}`, isStrict, {
        ...{ protocol: 'http/protobuf', temporality: 'delta', maxRequestBytes },
        queue: { folder },
      });
      const { ledger, clock, restart } = started;
      let { family, sender } = started;
      let recorded = 0;
      for (const { fates, offsetMs, series, isKilled, isStopped } of given) {
        clock.offsetMs = offsetMs;
        for (const i of series) family.with({ i }).record(i);
        recorded += series.length;
        ledger.nowMs += SECOND;
        ledger.fates.push(...fates);
        await sender.flush().catch(() => {});
        if (isStopped) await sender.close().catch(() => {});
        if (isKilled) folder = await copyOf(folder);
        if (isStopped || isKilled) ({ family, sender } = restart({ queue: { folder } }));
      }
      ledger.fates.length = 0;
      clock.offsetMs = 0;
      ledger.nowMs += SECOND;
      await untilDelivered(sender);
      const { pendingValues, givenUpValues, damagedFiles, queueProblem } = sender.health;
      expect({ values: ledger.values, pendingValues, givenUpValues, damagedFiles, queueProblem }).toEqual({
        ...{ values: recorded, pendingValues: 0, givenUpValues: 0, damagedFiles: 0 },
        queueProblem: undefined,
      });
      await sender.close();
      expect(await readdir(folder)).toEqual([]);
    }),
    { numRuns: caseCount(15, 2000), examples: [[SET_BACK, 1, false]] },
  );
});
