import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { sample, until, urlIn, useWorld } from '../support/agents.ts';

const world = useWorld();

const yaml = (path: string): string => `
sources: [{ type: pipe, path: ${path}, metric: { name: job, unit: ms }, attributes: { a: b } }]
sinks: [{ type: prometheus, listen: 'localhost:0' }]`;

function newPipe(): string {
  const path = world.pathOf('jobs');
  execFileSync('mkfifo', [path]);
  return path;
}

test('programs write numbers into a pipe, one after the other, and the pipe goes on', async () => {
  const path = newPipe();
  const agent = await world.start(yaml(path));
  const valuesOf = (): number => agent.health.entries[0]!.values;
  execFileSync('sh', ['-c', `seq 100 > ${path}`]);
  await until('a hundred are counted', () => valuesOf() === 100);
  execFileSync('sh', ['-c', `echo nonsense 7 > ${path}; echo 8 > ${path}`]);
  await until('two more are counted', () => valuesOf() === 102);
  expect(await sample(urlIn(world.lines), 'job_seconds_count{a="b"}')).toBe(102);
  expect(await sample(urlIn(world.lines), 'job_seconds_sum{a="b"}')).toBeCloseTo((5050 + 15) / 1000);
  expect(agent.health.entries[0]).toMatchObject({ errors: 1 });
  expect(world.lines).toContain(
    `source pipe has failed: ${path} must be numbers, got "nonsense" in line 101`,
  );
});

test('a stop of the agent leaves the pipe, and a later agent reads on', async () => {
  const path = newPipe();
  const first = await world.start(yaml(path));
  await first.stop();
  const second = await world.start(yaml(path));
  execFileSync('sh', ['-c', `echo 5 > ${path}`]);
  await until('it is counted', () => second.health.entries[0]!.values === 1);
});

test('a path that is no pipe is a failure that names the cure', async () => {
  const path = world.pathOf('jobs');
  writeFileSync(path, '1\n');
  const agent = await world.start(yaml(path));
  await until('it has failed', () => agent.health.entries[0]!.errors > 0);
  expect(world.lines.join('\n')).toContain(`${path} must be a named pipe: mkfifo makes one`);
});
