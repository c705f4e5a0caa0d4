import { caseCount } from '@hdrscope/testing/case-count';
import { shareDuckDb } from '@hdrscope/testing/shared-duckdb';
import fc from 'fast-check';
import { historySql, queryHistory } from '../../src/index.ts';
import { wellFormed } from '../../src/rows/attribute-texts.ts';
import { runInDuckDb } from '../support/duckdb.ts';
import { writeRows } from '../support/folder.ts';
import { anyText, rowsOf } from '../support/recorded.ts';
import { newDirectory } from '../support/sandbox.ts';

shareDuckDb();

test('DuckDB finds a metric and its attributes whatever their characters are, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, anyText, anyText, anyText, async (metric, key, value, other) => {
      const [row] = await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[1, 2, 3]] }]);
      const attributes = Object.fromEntries([[key, value]]);
      const folder = newDirectory();
      await writeRows(folder, [
        { ...row!, metric, attributes },
        { ...row!, metric: `${metric}x`, attributes, producer: 'another metric' },
        { ...row!, metric, attributes: Object.fromEntries([[`${key}x`, value]]), producer: 'another key' },
        { ...row!, metric, attributes: Object.fromEntries([[key, `${value}x`]]), producer: 'another value' },
      ]);
      const found = await queryHistory(folder, { metric, by: [key], where: attributes });
      expect(found.map(({ attributes, count }) => [attributes, count])).toEqual([[attributes, 3]]);
      expect((await queryHistory(folder, { metric, by: [key] })).map(({ count }) => count)).toEqual([
        3, 3, 3,
      ]);
      expect((await queryHistory(folder, { metric: `${metric}${other}y` })).length).toBe(0);
    }),
    { numRuns: caseCount(8, 40) },
  );
});

test('DuckDB finds a table whatever the characters of its name are', async () => {
  const name = anyText.filter((text) => text !== '' && !text.includes('\0'));
  await fc.assert(
    fc.asyncProperty(name, async (table) => {
      const sql = historySql({ metric: 'lat' }, 'duckdb', { table });
      await expect(runInDuckDb(sql, {})).rejects.toThrow(
        `Table with name ${wellFormed(table)} does not exist`,
      );
    }),
    { numRuns: 60 },
  );
});

test('a folder may have a name with quotes and wildcards', async () => {
  const folder = `${newDirectory()}/it's [a] *folder*?`;
  await writeRows(folder, await rowsOf([{ significantDigits: 2, attributes: {}, intervals: [[1, 2, 3]] }]));
  expect(await queryHistory(folder, { metric: 'lat' })).toMatchObject([{ count: 3 }]);
  const sql = historySql({ metric: 'lat' }, 'duckdb', { folder });
  expect(await runInDuckDb(sql, {})).toMatchObject([{ count: 3n }]);
});

describe('literals', () => {
  const literalOf = (metric: string, dialect: 'clickhouse' | 'postgres' | 'spark') =>
    /metric = (.*)\n\), totals/s
      .exec(historySql({ metric }, dialect))?.[1]
      ?.replace(/ LIMIT 1 BY .*| ORDER BY .*|\) WHERE copy.*/s, '');

  test('of ClickHouse escape quotes, backslashes and NULs', () => {
    expect(literalOf("a'b\\c\0", 'clickhouse')).toBe("'a\\'b\\\\c\\0'");
  });

  test('of PostgreSQL are right whatever standard_conforming_strings is', () => {
    expect(literalOf("a'b", 'postgres')).toBe("'a''b'");
    expect(literalOf("a'b\\c", 'postgres')).toBe("E'a''b\\\\c'");
  });

  test('of Spark escape quotes, backslashes, NULs, and the dollars by which Spark would insert its settings', () => {
    expect(literalOf("a'b\\c\0", 'spark')).toBe("'a\\'b\\\\c\\u0000'");
    expect(literalOf('$' + '{x}', 'spark')).toBe("'\\u0024{x}'");
    const source = { table: '$' + '{x}' };
    expect(() => historySql({ metric: 'a' }, 'spark', source)).toThrow(
      'spark cannot hold the characters ${ in a name',
    );
  });

  test('with a NUL are refused for PostgreSQL, which has no such text', () => {
    expect(() => historySql({ metric: 'a\0' }, 'postgres')).toThrow(
      'postgres cannot hold the character U+0000, got "a\\u0000"',
    );
  });
});
