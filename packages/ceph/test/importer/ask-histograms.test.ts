import { OSD_DUMP } from '@hdrscope/testing/osd';
import { askHistograms, dumpIncrease, type ImportedHistogram } from '../../src/index.ts';
import { FakeOsd } from '../support/fake-osd.ts';

const first = async (osd: FakeOsd, options = {}): Promise<ImportedHistogram> =>
  (await askHistograms(osd.ask, options))[0]!;

test('the sums of an idle daemon are exact, after one attempt', async () => {
  const osd = new FakeOsd();
  osd.write(123_456_789, 4096);
  osd.write(987_654_321, 65_536);
  expect((await first(osd)).measured).toEqual([
    { lower: 1_111_111_110, upper: 1_111_111_110, value: 1_111_111_110 },
    { lower: 69_632, upper: 69_632, value: 69_632 },
  ]);
  expect(osd.asked).toEqual(['perf dump', 'perf histogram dump', 'perf dump']);
});

test('the sums of a busy daemon lie between bounds', async () => {
  const osd = new FakeOsd();
  for (let i = 0; i < 10; i++) osd.write(1_000_000, 4096);
  // A write before each answer: one between the earlier counters and the histogram, one between it and the later counters.
  osd.beforeAnswer = () => osd.write(2_000_000, 4096);
  const { histogram, measured } = await first(osd);
  const count = histogram.totalCount;
  const sumNs = 10_000_000 + (count - 10) * 2_000_000;
  expect(measured).toEqual([
    { lower: sumNs - 2_000_000, upper: sumNs + 2_000_000, value: sumNs },
    { lower: (count - 1) * 4096, upper: (count + 1) * 4096, value: count * 4096 },
  ]);
  expect(osd.asked.filter((prefix) => prefix === 'perf histogram dump')).toHaveLength(3);
});

test('asks again until the daemon rests', async () => {
  const osd = new FakeOsd();
  let left = 4;
  osd.beforeAnswer = () => left-- > 0 && osd.write(5000, 1);
  const { histogram, measured } = await first(osd);
  expect([histogram.totalCount, measured![1]]).toEqual([4, { lower: 4, upper: 4, value: 4 }]);
});

test('a reset between the answers leaves no wrong sums', async () => {
  const osd = new FakeOsd();
  osd.write(5000, 1);
  osd.write(5000, 1);
  osd.beforeAnswer = (prefix) => {
    if (prefix === 'perf dump' && osd.asked.length === 3) osd.reset();
  };
  const { histogram, measured } = await first(osd, { attempts: 1 });
  expect([histogram.totalCount, measured]).toEqual([
    0,
    [
      { lower: 0, upper: 0, value: 0 },
      { lower: 0, upper: 0, value: 0 },
    ],
  ]);
  const again = new FakeOsd();
  again.write(5000, 1);
  again.beforeAnswer = () => again.asked.length === 2 && again.reset();
  expect((await first(again)).measured).toEqual([
    { lower: 0, upper: 0, value: 0 },
    { lower: 0, upper: 0, value: 0 },
  ]);
});

test('counters that have not counted the same operations give no sums', async () => {
  const osd = new FakeOsd();
  osd.write(5000, 1);
  osd.countOnly(5000, 1);
  expect((await first(osd)).measured).toBeUndefined();
});

test('a daemon without such counters has no sums, and is asked once', async () => {
  const asked: string[] = [];
  const ask = async (prefix: string): Promise<string> => {
    asked.push(prefix);
    return prefix === 'perf dump' ? '{}' : OSD_DUMP;
  };
  const [one] = await askHistograms(ask);
  expect([one!.measured, one!.histogram.totalCount]).toEqual([undefined, 62_049]);
  expect(asked).toEqual(['perf dump', 'perf histogram dump']);
});

test('the answers of `ceph tell` are matched by the names of the daemons', async () => {
  const [busy, idle] = [new FakeOsd(), new FakeOsd()];
  busy.write(7000, 512);
  const ask = async (prefix: string, args: Record<string, string>): Promise<string> =>
    `osd.3: ${await busy.ask(prefix, args)}\nosd.12: ${await idle.ask(prefix, args)}\n`;
  const all = await askHistograms(ask);
  expect(all.map(({ daemon, measured }) => [daemon, measured?.[0]?.value])).toEqual([
    ['osd.3', 7000],
    ['osd.12', 0],
  ]);
});

test('the sums of an increase are the differences of the sums', async () => {
  const osd = new FakeOsd();
  osd.write(5000, 100);
  const before = await askHistograms(osd.ask);
  osd.write(7000, 200);
  const [increase] = dumpIncrease(before, await askHistograms(osd.ask));
  expect(increase!.measured!.map(({ value }) => value)).toEqual([7000, 200]);
  osd.reset();
  const [anew] = dumpIncrease(before, await askHistograms(osd.ask));
  expect([anew!.isReset, anew!.measured!.map(({ value }) => value)]).toEqual([true, [0, 0]]);
});

test('another life is new as a whole, even when no count is lower', async () => {
  const osd = new FakeOsd();
  osd.write(5000, 100);
  const before = await askHistograms(osd.ask, { life: async () => '1' });
  osd.write(5000, 100);
  const after = await askHistograms(osd.ask, { life: async () => '2' });
  const [increase] = dumpIncrease(before, after);
  expect([increase!.isReset, increase!.histogram.totalCount]).toEqual([true, 2]);
});

test('a restart while the daemon is asked is refused', async () => {
  const osd = new FakeOsd();
  let life = 0;
  const ask = askHistograms(osd.ask, { life: async () => `${life++}` });
  await expect(ask).rejects.toThrow('the daemon has started anew while it was asked');
});
