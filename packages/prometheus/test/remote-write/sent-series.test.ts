import { atOnce } from '@hdrscope/kit';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { showSnapshot } from '@hdrscope/registry/internal';
import { toLazyFamilies } from '../../src/from-registry.ts';
import { type PresentSeries, type SentSeries, SentSeriesLedger } from '../../src/remote-write/sent-series.ts';

interface Begun {
  readonly present: readonly PresentSeries[];
  readonly ended: readonly SentSeries[];
}

const begin = async (ledger: SentSeriesLedger, registry: Registry): Promise<Begun> =>
  atOnce(ledger.begin(toLazyFamilies(showSnapshot(await registry.gather()), {})));

test('the series of a family share its facts, also those of later snapshots', async () => {
  const registry = createRegistry();
  const ledger = new SentSeriesLedger();
  const family = registry.histogram({ name: 'x', description: 'Some' });
  for (const i of [1, 2]) family.with({ i }).record(1);
  await begin(ledger, registry);
  family.with({ i: 3 }).record(1);
  const { present } = await begin(ledger, registry);
  const facts = present.map(({ sent }) => sent.family);
  expect(facts).toHaveLength(3);
  expect(new Set(facts).size).toBe(1);
  // The states of a snapshot would stay in memory with its parts.
  expect(facts[0]).toEqual({ name: 'x', help: 'Some', unit: '', type: 'histogram' });
});

test('a series keeps the facts that it began with, and later ones have those of their time', () => {
  const ledger = new SentSeriesLedger();
  const snapshotOf = (help: string, ...series: string[]): Begun => {
    const part = {
      states: series.map((name) => ({ name })),
      recipe: undefined,
      metricOf: () => ({ labels: [], value: { kind: 'number', value: 1 } as const }),
      labelsOf: (state: object) => [['name', (state as { name: string }).name]] as const,
      identityOf: (state: object) => state,
    };
    return atOnce(ledger.begin([{ name: 'x', help, unit: '', type: 'gauge', parts: [part] }]));
  };
  snapshotOf('old', 'a');
  const { present } = snapshotOf('new', 'a', 'b');
  expect(present.map(({ sent }) => sent.family.help)).toEqual(['old', 'new']);
});

test('an outage with unknown ends makes a limited number of markers, and none of those of written series is lost', async () => {
  const registry = createRegistry();
  const ledger = new SentSeriesLedger();
  const family = registry.histogram({ name: 'x', cardinalityLimit: 5000 });
  family.with({ i: 'written' }).record(1);
  ledger.sent((await begin(ledger, registry)).present[0]!.sent, 'written');
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 4000; i++) family.with({ round, i }).record(1);
    const { present } = await begin(ledger, registry);
    for (const { sent } of present) ledger.sent(sent, 'possible');
    if (round < 2) for (let i = 0; i < 4000; i++) family.remove({ round, i });
  }
  family.clear();
  const { ended } = await begin(ledger, registry);
  expect(ended.filter(({ presence }) => presence === 'possible')).toHaveLength(10_000);
  expect(ended.filter(({ presence }) => presence === 'written')).toHaveLength(1);
});
