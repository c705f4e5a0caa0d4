import { readFileSync } from 'node:fs';
import { HEALTH_NUMBERS } from '../src/health.ts';

test('the README lists all metrics of the agent', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const listed = [...readme.matchAll(/^\| `(hdrscope\.agent\.[\w.]+)` \|/gm)].map(([, name]) => name);
  const names = [...HEALTH_NUMBERS.map(({ name }) => name), 'hdrscope.agent.gather.duration'];
  expect(listed.sort()).toEqual(names.sort());
});
