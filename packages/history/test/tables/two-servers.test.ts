import { describeWithPeers } from '@hdrscope/testing';
import { ClickHouse } from '@hdrscope/testing/clickhouse';
import { clickHouseTable, type HistoryRow, historySql } from '../../src/index.ts';
import { expectMergedPercentiles, withNumbers } from '../support/merged-percentiles.ts';

describeWithPeers(['chdb'])('two servers of ClickHouse, each with the rows of other services', () => {
  const servers: ClickHouse[] = [];
  beforeAll(async () => {
    servers.push(await ClickHouse.start(), await ClickHouse.start());
  }, 60_000);
  afterAll(async () => {
    for (const server of servers) await server.stop();
  });

  async function write({ url }: ClickHouse, rows: readonly HistoryRow[]): Promise<void> {
    const target = await clickHouseTable({ url, create: true }).open();
    await target.prepare!();
    if (rows.length > 0) await target.write({ producer: 'shop 1', number: 0, rows });
    await target.close();
  }

  test('answer as one, through a view of both', async () => {
    const [first, second] = servers as [ClickHouse, ClickHouse];
    await expectMergedPercentiles(6, async ([rows]) => {
      for (const server of servers) await server.run('DROP TABLE IF EXISTS history');
      const isFirst = ({ producer }: HistoryRow): boolean => producer.endsWith('0');
      await write(first, rows!.filter(isFirst));
      // A row that both have, as after a retry by way of the other server.
      await write(second, [...rows!.filter((row) => !isFirst(row)), rows![0]!]);
      const columns = await first.ask('DESCRIBE TABLE history');
      const structure = columns.map(({ name, type }) => `\`${name}\` ${type}`).join(', ');
      const address = `${second.url}/?query=${encodeURIComponent('SELECT * FROM history FORMAT JSONEachRow')}`;
      await first.run(`CREATE OR REPLACE VIEW fleet AS SELECT * FROM history UNION ALL
        SELECT * FROM url('${address}', 'JSONEachRow', '${structure.replaceAll("'", "\\'")}')`);
      return [
        async (question) =>
          withNumbers(await first.ask(historySql(question, 'clickhouse', { table: 'fleet' }))),
      ];
    });
  }, 120_000);
});
