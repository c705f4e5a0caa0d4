import { createRegistry } from '@hdrscope/registry';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { sendRemoteWrite } from '../../src/remote-write/index.ts';
import { START_MS } from '../support/registry.ts';
import { type Reply, take } from '../support/remote-write.ts';
import { type Receiver, useReceiver } from '../support/use-receiver.ts';

const remote = useReceiver();

describe('counts', () => {
  /** What the receiver has by its last samples: the sum over all starts of all series. */
  function countsIn({ requests }: Receiver): number {
    const last = new Map<string, number>();
    for (const { series } of requests) {
      for (const { labels, histograms } of series) {
        for (const { startMs, count } of histograms) last.set(JSON.stringify([labels, startMs]), count);
      }
    }
    return [...last.values()].reduce((sum, count) => sum + count, 0);
  }

  const FAILURES: readonly Reply[] = [
    (_request, response) => void response.writeHead(500).end(),
    (_request, response) => void response.writeHead(503, { 'retry-after': '0' }).end('busy'),
    (_request, response) => void response.writeHead(429).end(),
    (_request, response) => void response.destroy(),
  ];

  test('arrive once, whatever fails, without a sample that goes back', async () => {
    const step = fc.record({
      values: fc.nat(20),
      failure: fc.option(fc.constantFrom(...FAILURES), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, size) => {
          remote.receiver.requests.length = 0;
          const registry = createRegistry();
          const family = registry.histogram({ name: 'x' });
          const writer = remote.writeTo(registry, {
            maxSeriesPerRequest: size,
            labels: { run: `${Math.random()}` },
          });
          let recorded = 0;
          for (const { values, failure } of steps) {
            for (let i = 0; i < values; i++) family.with({ i: i % 7 }).record(i);
            recorded += values;
            remote.receiver.reply = failure ?? take;
            await writer.flush().catch(() => {});
          }
          remote.receiver.reply = take;
          await writer.close();
          expect(countsIn(remote.receiver)).toBe(recorded);
        },
      ),
      { numRuns: caseCount(15, 40) },
    );
  });

  test('are neither lost nor doubled over 100 restarts', async () => {
    let recorded = 0;
    let nowMs = START_MS;
    const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
    for (let start = 0; start < 100; start++) {
      nowMs += 1000;
      const registry = createRegistry({ clock });
      const series = registry.histogram({ name: 'x' }).with({});
      // The same count after each restart: only its start shows that it counts anew.
      for (let i = 0; i < 10; i++) series.record(i);
      recorded += 10;
      nowMs += 1000;
      const writer = sendRemoteWrite(registry, { url: remote.receiver.url });
      remote.receiver.reply = FAILURES[start % 5] ?? take;
      await writer.flush().catch(() => {});
      remote.receiver.reply = take;
      nowMs += 1000;
      await writer.close();
    }
    expect(countsIn(remote.receiver)).toBe(recorded);
  });
});
