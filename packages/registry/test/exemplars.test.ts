import { ExemplarReservoir } from '../src/exemplars.ts';
import { createRegistry, EMPTY_SNAPSHOT } from '../src/index.ts';
import { familyIn, onlySeries } from './support/state.ts';

const at = (value: number, timeMs = 0): { value: number; timeMs: number; attributes: object } => ({
  value,
  timeMs,
  attributes: {},
});

test('the latest exemplar of each octave is kept', () => {
  const reservoir = new ExemplarReservoir();
  for (const [timeMs, value] of [4, 5, 7.9, 8, 3].entries()) reservoir.offer(at(value, timeMs) as never);
  expect(reservoir.snapshot()).toEqual([at(3, 4), at(7.9, 2), at(8, 3)]);
});

test('at most twenty octaves have an exemplar, those with the latest ones', () => {
  const reservoir = new ExemplarReservoir();
  for (let octave = 0; octave < 25; octave++) reservoir.offer(at(2 ** octave) as never);
  reservoir.offer(at(0) as never);
  const values = reservoir.snapshot().map(({ value }) => value);
  expect(values).toEqual([0, ...Array.from({ length: 19 }, (_, i) => 2 ** (i + 6))]);
});

test('a series shows its exemplars, and an interval those that are not older than it', async () => {
  const registry = createRegistry();
  const series = registry.histogram({ name: 'x', unit: 's' }).with({});
  expect(series.snapshot().exemplars).toEqual([]);
  series.record(0.5);
  series.offerExemplar({ value: 0.5, timeMs: 1000, attributes: { trace_id: 'a' } });
  const before = await registry.gather({ nowMs: 2000 });
  series.record(4);
  series.offerExemplar({ value: 4, timeMs: 3000, attributes: { trace_id: 'b' } });
  const after = await registry.gather({ nowMs: 4000 });
  expect(onlySeries(familyIn(after.since(EMPTY_SNAPSHOT), 'x')).exemplars.map(({ value }) => value)).toEqual([
    0.5, 4,
  ]);
  expect(onlySeries(familyIn(after.since(before), 'x')).exemplars.map(({ value }) => value)).toEqual([4]);
});
