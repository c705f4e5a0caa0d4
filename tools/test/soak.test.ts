import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ask, emptyReport } from '../soak/attacks.js';
import { growthOf } from '../soak/memory.js';
import { failuresOf } from '../soak/report.js';
import type { SoakReport } from '../soak/soak.js';

test.each<[title: string, answer: (response: ServerResponse) => void, counts: object]>([
  ['is refused', (response) => response.writeHead(403).end(), { refused: 1 }],
  ['is answered', (response) => response.end(), { answered: 1 }],
  ['is refused, and the connection breaks', (response) => breakAfter(response, 413), { refused: 1 }],
  ['is answered, and the connection breaks', (response) => breakAfter(response, 200), { answered: 1 }],
  ['is not answered, and the connection breaks', (response) => response.destroy(), { closed: 1 }],
])('a request that %s counts once', async (_title, answer, counts) => {
  const server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const report = emptyReport('a', true);
  await ask((server.address() as AddressInfo).port, '/', {})(report);
  server.close();
  expect(report).toEqual({ ...emptyReport('a', true), connections: 1, ...counts });
});

/** Ends the connection in the middle of the body. */
function breakAfter(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': 100 });
  response.write('x', () => response.destroy());
}

test('an attack that must be refused and is answered, or has no end, fails the soak', () => {
  const attack = { name: 'a', isRefused: true, times: 5, connections: 5, answered: 0, refused: 3, closed: 2 };
  const report = (changes: object): SoakReport => ({
    recorded: new Float64Array(1),
    ways: [],
    memory: [],
    seconds: 1,
    scrapeMs: [],
    delayMs: { p50: 0, p99: 0, max: 0 },
    attacks: [{ ...attack, ...changes }],
  });
  expect(failuresOf(report({}), { strict: false })).toEqual([]);
  expect(failuresOf(report({ answered: 1, refused: 2 }), { strict: false })).toEqual([
    'a: 1 requests were not refused',
  ]);
  expect(failuresOf(report({ refused: 1 }), { strict: false })).toEqual(['a: 2 requests had no end']);
  expect(failuresOf(report({ refused: 1, isRefused: false }), { strict: false })).toEqual([]);
});

test('the growth of memory has a leak, and no body of a request in flight', () => {
  const steady = new Array<number>(20).fill(100);
  expect(growthOf(steady.map((bytes, i) => bytes + 2 * i))).toBeCloseTo(0.143, 3);
  expect(growthOf(steady.map((bytes, i) => (i % 3 === 0 ? bytes : bytes + 60)))).toBe(0);
});
