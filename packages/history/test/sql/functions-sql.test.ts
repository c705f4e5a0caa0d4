import { caseCount } from '@hdrscope/testing/case-count';
import { runStatements } from '@hdrscope/testing/shared-duckdb';
import fc from 'fast-check';
import { historyFunctionsSql, mergeRows, percentilesOf } from '../../src/index.ts';
import { writeRows } from '../support/folder.ts';
import { rowsOfHosts } from '../support/merged-series.ts';
import { groupedBy } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';

const PERCENTILES = [0, 50, 99.9, 100];

test('hdr_percentile gives the percentiles of merged rows, with their bounds', async () => {
  await fc.assert(
    fc.asyncProperty(rowsOfHosts, async (make) => {
      const rows = await make();
      if (rows.length === 0) return;
      const folder = newDirectory();
      await writeRows(folder, rows);
      const percentiles = PERCENTILES.map((p, i) => `hdr_percentile(k, c, w, bits, scale, ${p}) AS p${i}`);
      const statements = [
        ...historyFunctionsSql(),
        `SELECT scale, ${percentiles.join(', ')} FROM '${folder}/*/*.parquet' GROUP BY scale`,
      ];
      const found = await runStatements(statements.join(';\n'));
      const groups = groupedBy(rows, ({ scale }) => String(scale));
      expect(found.length).toBe(groups.size);
      for (const group of found) {
        const expected = percentilesOf(mergeRows(groups.get(String(group.scale))!), PERCENTILES);
        for (const [i, { lower, upper }] of expected.entries()) {
          const answer = group[`p${i}`] as { lower: number; upper: number };
          expect([answer.lower, answer.upper]).toEqual([
            expect.closeTo(lower, 9 - Math.ceil(Math.log10(lower + 1e-9))),
            upper === Number.POSITIVE_INFINITY
              ? upper
              : expect.closeTo(upper, 9 - Math.ceil(Math.log10(upper + 1e-9))),
          ]);
        }
      }
    }),
    { numRuns: caseCount(4, 100) },
  );
});

test('rows of several scales are refused', async () => {
  const sql = `SELECT hdr_percentile(k, c, w, bits, scale, 50) FROM (VALUES
    ([1], [1::BIGINT], []::INTEGER[], 7, 1e-9::DOUBLE), ([1], [1::BIGINT], []::INTEGER[], 7, 1::DOUBLE)) AS t(k, c, w, bits, scale)`;
  await expect(runStatements([...historyFunctionsSql(), sql].join(';\n'))).rejects.toThrow(
    'rows of several scales have no common slots',
  );
});
