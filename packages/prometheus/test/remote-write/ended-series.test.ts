import { START_MS, testRegistry } from '../support/registry.ts';
import { type Reply, take } from '../support/remote-write.ts';
import { useReceiver } from '../support/use-receiver.ts';

const remote = useReceiver();

describe('a series that has ended', () => {
  const answer =
    (status: number, written?: number): Reply =>
    (_request, response) => {
      const header = { 'x-prometheus-remote-write-histograms-written': String(written) };
      response.writeHead(status, written === undefined ? {} : header).end();
    };
  const fail = answer(503);

  /** The series of the last request, each with whether it is marked as stale. */
  const marks = (): [name: string, isStale: boolean][] =>
    remote
      .lastSeries()
      .map(({ labels, samples, histograms }) => [
        labels.map(([name, value]) => (name === '__name__' ? value : `${name}=${value}`)).join(' '),
        [...samples, ...histograms][0]!.isStale,
      ]);

  /** A family of which the receiver has the series `i=1`. */
  const writtenFamily = async () => {
    const registry = testRegistry();
    const family = registry.histogram({ name: 'x' });
    family.with({ i: 1 }).record(1);
    const writer = remote.writeTo(registry);
    await writer.flush();
    return { family, writer };
  };

  test('is marked as stale once, and the others go on', async () => {
    const registry = testRegistry();
    const family = registry.histogram({ name: 'x' });
    for (const i of [1, 2]) family.with({ i }).record(1);
    const writer = remote.writeTo(registry);
    await writer.flush();
    family.remove({ i: 1 });
    await writer.flush();
    expect(marks()).toEqual([
      ['x i=2', false],
      ['x i=1', true],
    ]);
    // Prometheus takes a histogram with a stale sum for a marker.
    expect(remote.lastSeries()[1]).toMatchObject({
      type: 3,
      samples: [],
      exemplars: [],
      histograms: [{ positive: [], negative: [], startMs: 0, timeMs: START_MS + 2 }],
    });
    await writer.flush();
    expect(marks()).toEqual([['x i=2', false]]);
  });

  test('is marked in each of its parts, when its source leaves it out', async () => {
    const number = { kind: 'number', value: 7 } as const;
    const quantiles = [{ quantile: 0.5, value: 9 }];
    const summary = { kind: 'summary', count: 3, sum: 4.5, quantiles } as const;
    const made = (type: 'counter' | 'gauge' | 'summary', value: typeof number | typeof summary) => ({
      ...{ name: type, help: '', unit: '', type },
      metrics: [{ labels: [['a', 'b']] as const, createdMs: 1000, value }],
    });
    let families = [made('counter', number), made('gauge', number), made('summary', summary)];
    // Labels of a source are new objects each time.
    const writer = remote.writeTo(testRegistry(), { sources: [() => structuredClone(families)] });
    await writer.flush();
    await writer.flush();
    const names = ['counter_total a=b', 'gauge a=b', 'summary a=b quantile=0.5', 'summary_sum a=b'];
    const all = [...names, 'summary_count a=b'].sort();
    expect(marks().map(([name]) => name)).toHaveLength(5);
    expect(marks().every(([, isStale]) => !isStale)).toBe(true);
    families = [];
    await writer.flush();
    expect(
      marks()
        .map(([name]) => name)
        .sort(),
    ).toEqual(all);
    expect(marks().every(([, isStale]) => isStale)).toBe(true);
    expect(writer.health).toMatchObject({ requests: 3, writtenSamples: 15, rejectedSamples: 0 });
  });

  test.each<[end: string, reply: Reply, marked: number[]]>([
    ['a proxy answers whose receiver may have them', fail, [1, 2, 3, 4]],
    ['the receiver refuses requests', answer(401), [1]],
  ])(
    'is marked when the receiver takes requests again, beside those that came and went while %s',
    async (_, reply, marked) => {
      const { family, writer } = await writtenFamily();
      family.remove({ i: 1 });
      remote.receiver.reply = reply;
      for (let i = 2; i < 5; i++) {
        family.with({ i }).record(1);
        await writer.flush().catch(() => {});
        family.remove({ i });
      }
      remote.receiver.reply = take;
      await writer.flush();
      expect(marks()).toEqual(marked.map((i) => [`x i=${i}`, true]));
      await writer.flush();
      expect(remote.receiver.requests).toHaveLength(5);
    },
  );

  test('and begins again is not marked, whether or not the receiver was there', async () => {
    const { family, writer } = await writtenFamily();
    for (const reply of [take, fail]) {
      family.remove({ i: 1 });
      remote.receiver.reply = reply;
      if (reply === fail) await writer.flush().catch(() => {});
      family.with({ i: 1 }).record(1);
      remote.receiver.reply = take;
      await writer.flush();
      expect(marks()).toEqual([['x i=1', false]]);
    }
  });

  const gone: Reply = (_request, response) => void response.destroy();

  test.each<[title: string, reply: Reply, isMarked: boolean]>([
    ['has written a part of it and will take the rest', answer(500, 1), true],
    ['has written a part of it and will not take the rest', answer(400, 1), true],
    ['has written nothing of it and will not take it', answer(400, 0), false],
    ['has refused it', answer(400), false],
    ['is overloaded', answer(503), true],
    ['is too busy', answer(429), true],
    ['has timed out', answer(408), true],
    ['knows nothing of the sender', answer(401), false],
    ['is of another version', answer(204), true],
    ['has not answered to its proxy', answer(504), true],
    ['has broken the connection', gone, true],
  ])('after one request, whose receiver %s', async (_title, reply, isMarked) => {
    const registry = testRegistry();
    const family = registry.histogram({ name: 'x' });
    for (const i of [1, 2]) family.with({ i }).record(1);
    const writer = remote.writeTo(registry);
    remote.receiver.reply = reply;
    await expect(writer.flush()).rejects.toMatchObject({ code: 'ERR_REMOTE_WRITE' });
    family.remove({ i: 1 });
    remote.receiver.reply = take;
    await writer.flush();
    // The answer does not say which of both series the receiver has.
    expect(marks()).toEqual([['x i=2', false], ...(isMarked ? [['x i=1', true]] : [])]);
  });

  test('again before the receiver has it anew is marked, because the receiver has it from before', async () => {
    const { family, writer } = await writtenFamily();
    family.remove({ i: 1 });
    remote.receiver.reply = fail;
    await writer.flush().catch(() => {});
    family.with({ i: 1 }).record(1);
    await writer.flush().catch(() => {});
    family.remove({ i: 1 });
    remote.receiver.reply = take;
    await writer.flush();
    expect(marks()).toEqual([['x i=1', true]]);
  });

  test('because its source fails is marked; a source of the registry that fails keeps its series', async () => {
    const registry = testRegistry();
    let fails = false;
    const throwing = (): void => {
      if (fails) throw new Error('no answer');
    };
    registry.histogram({ name: 'x' }).with({}).record(1);
    registry.add({ name: 'counts', collect: throwing });
    const metrics = [{ labels: [], value: { kind: 'number', value: 7 } as const }];
    const source = () => {
      throwing();
      return [{ name: 'depth', help: '', unit: '', type: 'gauge' as const, metrics }];
    };
    const writer = remote.writeTo(registry, { sources: [source] });
    const states: [name: string, isStale: boolean][][] = [];
    for (fails of [false, true, false]) {
      await writer.flush();
      states.push(marks());
    }
    expect(states).toEqual([
      [
        ['x', false],
        ['depth', false],
      ],
      [
        ['x', false],
        ['hdrscope_source_errors source=counts', false],
        ['depth', true],
      ],
      [
        ['x', false],
        ['depth', false],
        ['hdrscope_source_errors source=counts', true],
      ],
    ]);
  });

  test('is not marked when the writer stops', async () => {
    const registry = testRegistry();
    registry.histogram({ name: 'x' }).with({}).record(1);
    const writer = remote.writeTo(registry);
    await writer.flush();
    await writer.close();
    expect(marks()).toEqual([['x', false]]);
  });
});
