import { createRegistry, ingest, type Reading } from '../../src/index.ts';
import { onlySeriesIn, reading, totalIn } from '../support/readings.ts';
import { countOf } from '../support/totals.ts';

/** A source that answers, or throws, what the test sets. */
class ScriptedSource {
  readonly name = 'scripted';
  next: Reading[] | Error = [];
  closed = 0;

  read(): Reading[] {
    if (this.next instanceof Error) throw this.next;
    return this.next;
  }

  close(): void {
    this.closed++;
  }
}

describe('a source that is read', () => {
  test('adds its new values whenever the registry is gathered', async () => {
    const registry = createRegistry();
    const source = new ScriptedSource();
    const ingestion = ingest(registry, source);
    const healthBefore = ingestion.health;
    source.next = [reading([1, 2, 0, 0], { sum: 4 })];
    await registry.gather();
    source.next = [reading([1, 5, 0, 1], { sum: 20 })];
    const { histogram, sum } = await onlySeriesIn(registry);
    expect([histogram.totalCount, sum]).toEqual([7, 20]);
    expect(ingestion.health.reads).toBe(2);
    expect(healthBefore.reads).toBe(0);
  });

  test('adds nothing of its first answer with `since: now`, and all later values', async () => {
    const registry = createRegistry();
    const source = new ScriptedSource();
    ingest(registry, source, { since: 'now' });
    source.next = [reading([7, 0, 0, 0])];
    expect(await totalIn(registry)).toBe(0);
    source.next = [reading([8, 0, 0, 0]), reading([3, 0, 0, 0], { key: 'b' })];
    expect(await totalIn(registry)).toBe(4);
  });

  test('counts as much as the time since the read before began permits, and one more is refused', async () => {
    const registry = createRegistry();
    let now = 0;
    // A read sees its counts when it begins, and then waits for its turn.
    const states = [
      { counts: 5, beganMs: 0, endedMs: 9000 },
      { counts: 25, beganMs: 9500, endedMs: 10_000 },
      { counts: 51, beganMs: 20_000, endedMs: 22_000 },
      { counts: 52, beganMs: 22_600, endedMs: 22_700 },
    ];
    const read = (): Reading[] => {
      const { counts, endedMs } = states.shift()!;
      now = endedMs;
      return [reading([counts, 0, 0, 0], { counter: { mostPerSecond: 2 } })];
    };
    const gather = (): ReturnType<typeof registry.gather> => {
      now = states[0]!.beganMs;
      return registry.gather();
    };
    const clock = { nowMs: () => 0, monotonicMs: () => now };
    const ingestion = ingest(registry, { name: 'slow', read }, { clock });
    expect([countOf(await gather()), countOf(await gather())]).toEqual([5, 25]);
    const { errors } = await gather();
    expect(errors.map(({ error }) => (error as Error).message)).toEqual([
      expect.stringMatching(/counts must grow by at most 25, got 26 in slot 0$/),
    ]);
    expect([countOf(await gather()), ingestion.health.refused.malformed]).toEqual([26, 1]);
  });

  test('is named in the snapshot when it fails, and its values stay', async () => {
    const registry = createRegistry();
    const source = new ScriptedSource();
    const observed: unknown[] = [];
    const ingestion = ingest(registry, source, {
      observer: {
        succeeded: () => observed.push('succeeded'),
        failed: (error) => observed.push(error),
        added: (values) => observed.push(values),
      },
    });
    source.next = [reading([1, 0, 0, 0])];
    await registry.gather();
    const error = new Error('it is gone');
    source.next = error;
    const snapshot = await registry.gather();
    expect(snapshot.errors).toEqual([{ source: 'scripted', error }]);
    expect(countOf(snapshot)).toBe(1);
    expect(observed).toEqual([1, 'succeeded', error]);
    expect(ingestion.health).toMatchObject({ reads: 1, readErrors: 1, values: 1, readings: 1, streams: 1 });
  });

  test('has the name that its user gives it', async () => {
    const registry = createRegistry();
    const source = new ScriptedSource();
    ingest(registry, source, { sourceName: 'mine' });
    source.next = new Error('it is gone');
    expect((await registry.gather()).errors).toMatchObject([{ source: 'mine' }]);
  });

  test('is read once for all gathers that wait for it', async () => {
    const registry = createRegistry();
    let reads = 0;
    let answer: (readings: Reading[]) => void = () => {};
    const read = (): Promise<Reading[]> => {
      reads++;
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    ingest(registry, { name: 'slow', read });
    const gathers = [registry.gather(), registry.gather(), registry.gather()];
    answer([reading([1, 0, 0, 0])]);
    expect((await Promise.all(gathers)).map(countOf)).toEqual([1, 1, 1]);
    expect(reads).toBe(1);
  });

  test('is not read after its ingestion was closed, and is closed too', async () => {
    const registry = createRegistry();
    const source = new ScriptedSource();
    const ingestion = ingest(registry, source);
    await ingestion.close();
    source.next = [reading([1, 0, 0, 0])];
    expect(await totalIn(registry)).toBe(0);
    expect(source.closed).toBe(1);
  });

  test('goes on where an earlier ingestion ended, when it has its memory', async () => {
    const registry = createRegistry();
    const source = new ScriptedSource();
    const first = ingest(registry, source);
    source.next = [reading([5, 0, 0, 0])];
    await registry.gather();
    await first.close();
    ingest(registry, source, { memory: first.memory, since: 'now' });
    source.next = [reading([7, 0, 0, 0])];
    expect(await totalIn(registry)).toBe(7);
  });

  test('adds the attributes of its options to those of its readings, in place of equal keys', async () => {
    const registry = createRegistry();
    const source = new ScriptedSource();
    ingest(registry, source, { attributes: { host: 'a', disk: 'all' } });
    source.next = [reading([1, 0, 0, 0], { attributes: { disk: 'sda', op: 'read' } })];
    expect((await onlySeriesIn(registry)).attributes).toEqual({ host: 'a', disk: 'all', op: 'read' });
  });
});

test('a beginning that does not exist is refused', () => {
  expect(() => ingest(createRegistry(), new ScriptedSource(), { since: 'later' as never })).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_OPTION' }),
  );
  for (const options of [{ maxStreams: 0 }, { maxStreams: Number.NaN }, { forgetAfterMs: 0 }]) {
    expect(() => ingest(createRegistry(), new ScriptedSource(), options)).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_OPTION' }),
    );
  }
});
