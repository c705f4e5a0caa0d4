import { createRequire } from 'node:module';
import { createRoutes, findRoute } from '../src/routes.ts';
import { trafficOf } from '../src/traffic.ts';

const asText = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

test('all connections send the same requests, each from another start', () => {
  const days = [0, 1, 2, 3].map((connection) => trafficOf(connection, 4).map(asText));

  expect(new Set(days.map((day) => [...day].sort().join()))).toHaveProperty('size', 1);
  expect(new Set(days.map((day) => day.join()))).toHaveProperty('size', 4);
  expect(trafficOf(499, 500)).toHaveLength(days[0]!.length);
});

test('the traffic visits every route', () => {
  const routes = createRoutes({ random: Math.random, sleep: () => Promise.resolve() });

  const visited = trafficOf(0, 1).map(
    ({ method, path }) => findRoute(routes, method, path.split('?')[0]!)?.route,
  );

  expect(new Set(visited)).toEqual(new Set(routes));
});

test('the load client records with the engine of hdrscope', () => {
  const autocannon = createRequire(createRequire(import.meta.url).resolve('autocannon'));
  const { name } = autocannon('hdr-histogram-js/package.json') as { name: string };
  expect(name).toBe('@hdrscope/hdr-histogram-js');
});
