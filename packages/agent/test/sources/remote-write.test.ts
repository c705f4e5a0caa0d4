import { sendRemoteWrite } from '@hdrscope/prometheus/remote-write';
import { createRegistry } from '@hdrscope/registry';
import { type Agent, parseConfig } from '../../src/index.ts';
import { configOf, until, useWorld } from '../support/agents.ts';

const world = useWorld();

const SINK = "sinks: [{ type: prometheus, listen: '127.0.0.1:0' }]";
const source = (more = ''): string =>
  `sources: [{ type: remote-write, listen: '127.0.0.1:0', attributes: { via: write }${more} }]\n${SINK}`;

/** The address of the receiver of the agent that started last. */
function receiver(): string {
  const line = world.lines.findLast((text) => text.startsWith('source remote-write has started: '))!;
  return line.slice(line.indexOf('http')).split(',')[0]!;
}

const health = (agent: Agent) => agent.health.entries.find(({ kind }) => kind === 'source')!;

async function totals(agent: Agent): Promise<Record<string, number>> {
  const { families } = await agent.registry.gather();
  return Object.fromEntries(
    families
      .filter(({ name }) => !name.startsWith('hdrscope.'))
      .flatMap(({ name, series }) =>
        series.map(({ attributes, histogram }) => [
          `${name} ${Object.values(attributes).join()}`,
          histogram.totalCount,
        ]),
      ),
  );
}

/** A service that counts, and writes when the test says so. */
function service(headers: Readonly<Record<string, string>> = {}) {
  const registry = createRegistry();
  const [jobs, mails] = ['job.duration', 'mail.duration'].map((name) =>
    registry.histogram({ name, unit: 's' }),
  );
  return {
    record(value: number) {
      for (const family of [jobs!, mails!]) family.with({ queue: 'a' }).record(value);
    },
    async write() {
      const writer = sendRemoteWrite(registry, { url: receiver(), headers });
      // It rejects when the last request fails.
      await writer.close().catch(() => {});
      return writer.health;
    },
  };
}

test('counts what is written to it, once, also when its configuration changes', async () => {
  const agent = await world.start(source());
  const { record, write } = service();
  record(0.1);
  await write();
  record(0.2);
  expect(await write()).toMatchObject({ failedRequests: 0, rejectedSamples: 0 });
  const both = { 'job_duration_seconds write,a': 2, 'mail_duration_seconds write,a': 2 };
  expect(await totals(agent)).toEqual(both);
  expect(health(agent)).toMatchObject({ values: 4, state: 'running' });

  await agent.reload(() => configOf(source(', metrics: [job_*]')));
  record(0.3);
  await write();
  expect(await totals(agent)).toEqual({ ...both, 'job_duration_seconds write,a': 3 });
});

test('refuses requests without its token, and says what it has refused', async () => {
  const agent = await world.start(source(", token: 'sixteen-letters-x'"));
  const { record, write } = service();
  record(0.1);
  expect((await write()).failedRequests).toBe(1);
  expect(await totals(agent)).toEqual({});

  const authorization = 'Bearer sixteen-letters-x';
  const { status } = await fetch(receiver(), {
    ...{ method: 'POST', body: '<html>' },
    headers: { authorization, 'content-type': 'text/html' },
  });
  expect(status).toBe(415);
  await agent.registry.gather();
  await until('the refusal is in its health', () => health(agent).lastError !== undefined);
  expect(health(agent).lastError).toMatch(/has refused 1 request or histogram: content-type must be/);
  const authorised = service({ authorization });
  authorised.record(0.1);
  expect((await authorised.write()).failedRequests).toBe(0);
});

test('listens for other machines only with a token, or when it may', () => {
  const issuesOf = (more: string) =>
    parseConfig(`sources: [{ type: remote-write, listen: '0.0.0.0:9201'${more} }]\n${SINK}`).issues;
  expect(issuesOf('')).toEqual([
    expect.objectContaining({ message: expect.stringMatching(/address of this machine alone/) }),
  ]);
  expect(issuesOf(', allowRemote: true')).toEqual([]);
  expect(issuesOf(", token: 'sixteen-letters-x'")).toEqual([]);
});
