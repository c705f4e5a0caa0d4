import { createRegistry, type Snapshot } from '../../src/index.ts';
import { settled } from '../support/ports.ts';
import { record, remoteOf } from '../support/remotes.ts';
import { countOf } from '../support/totals.ts';

// The states of a worker, by the times that a gather can give it, by the ways to end its being named.
const STATES = ['idle', 'busy', 'stopped', 'killed', 'killed while asked'] as const;
const STATED_MS = [undefined, 5, 30_000] as const;
const CURES = ['removed', 'replaced', 'replaced at once'] as const;

const NAME = 'worker 7';
const OWN_MS = 10;

const rows = [true, false].flatMap((hasAnswered) =>
  STATES.flatMap((state) =>
    STATED_MS.flatMap((statedMs) => CURES.map((cure) => ({ hasAnswered, state, statedMs, cure }))),
  ),
);

const sourcesOf = ({ errors }: Snapshot): string[] => errors.map(({ source }) => source);

test.each(rows)(
  'a worker (answered before: $hasAnswered) that is $state, with $statedMs ms, then $cure',
  async ({ hasAnswered, state, statedMs, cure }) => {
    const main = createRegistry();
    const { registry, ports, stop, leave } = remoteOf(main, { name: NAME, timeoutMs: OWN_MS });
    record(registry, 1);
    if (hasAnswered) await main.gather({ timeoutMs: 30_000 });
    record(registry, 2, 3);
    const [before, all] = [hasAnswered ? 1 : 0, 3];
    const isKilled = state.startsWith('killed');

    if (state === 'busy' || state === 'killed while asked') ports.remote.hold();
    if (state === 'stopped') await stop();
    if (state === 'killed') ports.remote.kill();
    if (cure === 'replaced at once') {
      await settled();
      remoteOf(main, { name: NAME, timeoutMs: 30_000 });
    }
    const gathering = main.gather(statedMs === undefined ? {} : { timeoutMs: statedMs });
    await settled();
    if (state === 'killed while asked') ports.remote.kill();
    // The answer comes after the shorter times.
    await new Promise((resolve) => setTimeout(resolve, 2 * OWN_MS));
    if (state === 'busy') ports.remote.release();
    const first = await gathering;
    const isLate = state === 'busy' && statedMs !== 30_000;
    const reported = isKilled || isLate ? before : all;
    expect(countOf(first)).toBe(reported);
    expect(sourcesOf(first)).toEqual(isKilled || isLate ? [NAME] : []);

    // Nothing is lost but what a killed worker has not reported, which is named until somebody acts.
    await settled();
    const isNamed = isKilled && (cure !== 'replaced at once' || state === 'killed while asked');
    const next = await main.gather({ timeoutMs: 30_000 });
    expect(countOf(next)).toBe(isKilled ? before : all);
    expect(sourcesOf(next)).toEqual(isNamed ? [NAME] : []);
    if (cure === 'removed') leave();
    if (cure === 'replaced') remoteOf(main, { name: NAME, timeoutMs: 30_000 });
    if (cure === 'replaced at once' && isNamed) remoteOf(main, { name: NAME, timeoutMs: 30_000 });
    const last = await main.gather({ timeoutMs: 30_000 });
    expect(countOf(last)).toBe(isKilled ? before : all);
    expect(sourcesOf(last)).toEqual([]);
  },
);
