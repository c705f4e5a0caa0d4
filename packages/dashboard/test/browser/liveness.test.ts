import { UTC } from '../../browser/clock.ts';
import { type LivenessFacts, livenessOf } from '../../browser/liveness.ts';

const NOON = Date.UTC(2026, 0, 31, 12, 4, 30);
const FACTS: LivenessFacts = {
  ...{ connection: 'live', lastUpdateMs: 1000, nowMs: 1500, everyMs: 10_000 },
  ...{ pausedMs: undefined, recorded: undefined, isReading: false },
};

const stateOf = (facts: Partial<LivenessFacts>) => {
  const { kind, text, isStale } = livenessOf({ ...FACTS, ...facts }, UTC);
  return [kind, text, isStale];
};

test('a page is live until an update is late by half an interval', () => {
  expect(stateOf({})).toEqual(['live', 'Live', false]);
  expect(stateOf({ nowMs: 15_900 })).toEqual(['live', 'Live', false]);
  expect(stateOf({ nowMs: 16_100 })).toEqual(['late', 'No update for 15 s', true]);
});

test('updates that come many times a second may be late by two seconds', () => {
  expect(stateOf({ everyMs: 100, nowMs: 2900 })[0]).toBe('live');
  expect(stateOf({ everyMs: 100, nowMs: 3100 })).toEqual(['late', 'No update for 2 s', true]);
});

test('before the first update, the connection decides', () => {
  expect(stateOf({ lastUpdateMs: undefined, connection: 'connecting' })).toEqual([
    'connecting',
    'Connecting…',
    false,
  ]);
  expect(stateOf({ lastUpdateMs: undefined, connection: 'lost' })).toEqual(['late', 'No connection', false]);
});

test('a pause says of when the data are, and when the server is silent', () => {
  expect(stateOf({ pausedMs: NOON })).toEqual(['paused', 'Paused at 12:04:30', false]);
  expect(stateOf({ pausedMs: NOON, nowMs: 61_000 })).toEqual([
    'late',
    'Paused at 12:04:30, no update for 1 min',
    true,
  ]);
});

test('a record has its date and its times, and is never late', () => {
  const recorded = { fromMs: NOON, toMs: NOON + 90_000 };
  const text = 'Recorded 2026-01-31, 12:04:30 – 12:06:00';
  expect(stateOf({ recorded, nowMs: 1e9 })).toEqual(['recorded', text, false]);
  expect(stateOf({ recorded: { fromMs: 0, toMs: 150_000 } })[1]).toBe(
    'Recorded without a date, 2 min 30 s long',
  );
  expect(stateOf({ recorded, isReading: true })).toEqual([
    'reading',
    'Reading… so far 2026-01-31, 12:04:30 – 12:06:00',
    false,
  ]);
  expect(stateOf({ recorded: { fromMs: 0, toMs: 0 }, isReading: true })[1]).toBe('Reading…');
  const long = { fromMs: NOON, toMs: NOON + 86_400_000 };
  expect(stateOf({ recorded: long })[1]).toBe('Recorded 2026-01-31 12:04:30 – 2026-02-01 12:04:30');
});
