import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { parseConfig } from '../../src/index.ts';
import { until, useWorld } from '../support/agents.ts';

const world = useWorld();

async function* input(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

const yaml = (path: string, keys = ''): string => `sources:
  - { type: stdin, metric: { name: job.duration, unit: ms } }
sinks:
  - { type: textfile, path: ${path}${keys} }`;

test('the file has the counts and the health of the agent, and is replaced as a whole', async () => {
  const path = world.pathOf('jobs.prom');
  const agent = await world.start(yaml(path, ', interval: 5ms'), input('12 7.5\n300\n'));
  expect(world.lines).toContain(`sink textfile has started: ${path}`);
  const read = (): string => readFileSync(path, 'utf8');
  await until('all is in the file', () => {
    return (
      readdirSync(world.pathOf('.')).includes('jobs.prom') &&
      read().includes('job_duration_seconds_count 3\n')
    );
  });
  for (let reads = 0; reads < 200; reads++) {
    expect(read()).toMatch(/^# HELP .*\n$/s);
    await new Promise(setImmediate);
  }
  expect(read()).toContain('job_duration_seconds_bucket{le="+Inf"} 3\n');
  expect(read()).toContain('hdrscope_agent_up{kind="sink",name="textfile",type="textfile"} 1\n');
  // node_exporter refuses a file whose samples have times.
  expect(read()).not.toMatch(/ \d{13}$/m);
  expect(agent.health.entries[1]).toMatchObject({ state: 'running', errors: 0 });
});

test('a stop writes what came last, and leaves the file alone in its folder', async () => {
  const path = world.pathOf('jobs.prom');
  const agent = await world.start(yaml(path, ', interval: 1h'), input('1 2\n'));
  await until('both are counted', () => agent.health.entries[0]!.values === 2);
  expect(await agent.stop()).toEqual([]);
  expect(readFileSync(path, 'utf8')).toContain('job_duration_seconds_count 2\n');
  expect(readdirSync(world.pathOf('.'))).toEqual(['jobs.prom']);
});

test('a file that cannot be written fails the sink, which goes on by itself', async () => {
  const path = world.pathOf('jobs.prom');
  mkdirSync(path);
  const agent = await world.start(yaml(path, ', interval: 5ms'), input('1\n'));
  await until('it fails', () => agent.health.entries[1]!.state === 'failing');
  await until('its part is removed', () => readdirSync(world.pathOf('.')).length === 1);
  rmSync(path, { recursive: true });
  await until('it works again', () => agent.health.entries[1]!.state === 'running');
  expect(readFileSync(path, 'utf8')).toContain('job_duration_seconds_count 1\n');
});

test('a folder that does not exist is a failure at the start', async () => {
  const path = world.pathOf('gone/jobs.prom');
  const agent = await world.start(yaml(path));
  expect(agent.health.entries[1]).toMatchObject({
    state: 'waiting',
    lastError: expect.stringMatching(/gone/),
  });
  mkdirSync(world.pathOf('gone'));
  await until('it has started', () => agent.health.entries[1]!.state === 'running');
});

test('a file that node_exporter would not read is refused', () => {
  const { issues } = parseConfig(yaml('/var/lib/node_exporter/jobs.txt'));
  expect(issues.map(({ message }) => message)).toEqual([
    'sinks[0].path must be the path of a file that ends in .prom: node_exporter reads no other, got "/var/lib/node_exporter/jobs.txt"',
  ]);
});
