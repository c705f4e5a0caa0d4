import { chmodSync, writeFileSync } from 'node:fs';
import { until, urlIn, useWorld } from './support/agents.ts';

const world = useWorld();

const PROMETHEUS = `sinks: [{ type: prometheus, listen: 'localhost:0' }]`;

test('an unreadable map and an unreadable script are named, and the others go on', async () => {
  const agent = await world.start(`sources:
  - { type: ebpf-map, map: ${world.pathOf('no-pin')}, layout: queue-depth }
  - { type: bpftrace, program: ${world.pathOf('no-bpftrace')}, script: 'BEGIN { @a = hist(1); }' }
${PROMETHEUS}`);
  const { errors } = await agent.registry.gather();
  expect(errors.map(({ source }) => source).sort()).toEqual(['bpftrace', 'ebpf-map']);
  expect(agent.health.entries.map(({ state }) => state)).toEqual(['failing', 'failing', 'running']);
});

test('unreadable maps of ebpf_exporter are an error each, and a wrong configuration is named with its line', async () => {
  const bucket = '{ name: bucket, size: 4, decoders: [{ name: uint }] }';
  const histogram = (name: string): string =>
    `{ name: ${name}, bucket_type: exp2, bucket_max: 5, labels: [${bucket}] }`;
  writeFileSync(
    world.pathOf('right.yaml'),
    `metrics: { histograms: [${histogram('a')}, ${histogram('b')}] }`,
  );
  writeFileSync(world.pathOf('wrong.yaml'), 'metrics:\n  histograms: 5');
  const agent = await world.start(`sources:
  - { name: right, type: ebpf-exporter, config: ${world.pathOf('right.yaml')}, pins: ${world.pathOf('no-pins')} }
  - { name: wrong, type: ebpf-exporter, config: ${world.pathOf('wrong.yaml')} }
${PROMETHEUS}`);
  const { errors } = await agent.registry.gather();
  expect(errors.map(({ source }) => source)).toEqual(['right', 'right']);
  const [right] = agent.health.entries;
  expect(right).toMatchObject({ state: 'failing', lastError: expect.stringContaining('no-pins/') });
  // It is started again now and then.
  await until('the second one waits', () => agent.health.entries[1]!.state === 'waiting');
  expect(agent.health.entries[1]!.lastError).toMatch(
    /wrong\.yaml: line 2: metrics\.histograms must be a list, got 5$/,
  );
});

/** Writes a program that prints maps on a signal, as bpftrace does. Everything else is real. */
function fakeBpftrace(...maps: readonly string[]): string {
  const program = world.pathOf('bpftrace');
  writeFileSync(
    program,
    `#!${process.execPath}
const maps = ${JSON.stringify(maps)};
const print = () => maps.forEach((map) => console.log('{"type": "hist", "data": ' + map + '}'));
process.on('SIGUSR1', print);
process.on('SIGINT', () => process.exit(0));
console.log('{"type": "attached_probes", "data": {"probes": 1}}');
print();
setInterval(() => {}, 60_000);
`,
  );
  chmodSync(program, 0o755);
  return program;
}

test('each map of a script has its own metric, description, unit and attributes', async () => {
  const buckets = '[{"min": 4, "max": 7, "count": 9}]';
  const program = fakeBpftrace(
    `{"@wait_us": ${buckets}}`,
    `{"@": ${buckets}}`,
    `{"@d": {"sda": ${buckets}}}`,
  );
  const agent = await world.start(`sources:
  - type: bpftrace
    program: ${program}
    script: x
    unit: us
    attributes: { host: a, zone: b }
    keys: { '@d': [disk] }
    maps:
      '@d': { unit: none, description: Requests in the queue of a disk, attributes: { zone: c } }
      '@': { metric: request.size, unit: KiB }
${PROMETHEUS}`);
  await until('all is counted', async () => {
    await agent.registry.gather();
    return agent.health.entries[0]!.values === 27;
  });
  const { families } = await agent.registry.gather();
  const own = families.filter(({ name }) => !name.startsWith('hdrscope.'));
  const shown = own.map(({ name, unit, description, series }) => [
    name,
    unit,
    description,
    series[0]!.attributes,
  ]);
  const rest = 'a map of a bpftrace script; slots: bpftrace-hist';
  expect(shown).toEqual([
    ['wait', 's', `Values in @wait_us, ${rest}, counted in us`, { host: 'a', zone: 'b' }],
    ['request.size', 'By', `Values in @, ${rest}, counted in KiB`, { host: 'a', zone: 'b' }],
    ['d', '', 'Requests in the queue of a disk', { disk: 'sda', host: 'a', zone: 'c' }],
  ]);
  const page = await (await fetch(urlIn(world.lines))).text();
  expect(page).toContain('d_count{disk="sda",host="a",zone="c"} 9\n');
});

test('a script counts in the configured unit', async () => {
  const program = fakeBpftrace('{"@us": {"read": [{"min": 4, "max": 7, "count": 9}]}}');
  const agent = await world.start(`sources:
  - { type: bpftrace, program: ${program}, script: 'x', unit: us, keys: { '@us': [call] } }
${PROMETHEUS}`);
  await until('it is counted', async () => {
    await agent.registry.gather();
    return agent.health.entries[0]!.values === 9;
  });
  const { families } = await agent.registry.gather();
  const [series] = families.find(({ unit, series }) => unit === 's' && series[0]?.attributes.call)!.series;
  expect(series!.attributes).toEqual({ call: 'read' });
  expect(series!.max).toBeLessThan(8e-6);
});

test('serves the live page', async () => {
  await world.start(`sources: []\nsinks: [{ type: dashboard, listen: 'localhost:0', title: Shop }]`);
  const response = await fetch(urlIn(world.lines, 'dashboard'));
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('Shop');
});

test('a page for other machines asks for its token', async () => {
  await world.start(
    `sources: []\nsinks: [{ type: dashboard, listen: '127.0.0.1:0', token: abcdefghijklmnop }]`,
  );
  expect((await fetch(urlIn(world.lines, 'dashboard'))).status).toBe(401);
});

test('processMetrics shows metrics of the process, also after a reload', async () => {
  const agent = await world.start(
    `sources: []\nsinks: [{ type: prometheus, listen: 'localhost:0', processMetrics: true }]`,
  );
  const text = await (await fetch(urlIn(world.lines))).text();
  expect(text).toContain('process_cpu_seconds_total');
  expect(text).toContain('hdrscope_agent_gather_duration');
  expect(agent.health.entries[0]!.state).toBe('running');
});
