import { writeFile } from 'node:fs/promises';
import { parseConfig } from '../../src/index.ts';
import { until, urlIn, useWorld } from '../support/agents.ts';

const world = useWorld();

const configuration = (history: string): string =>
  `sources: []\nsinks: [{ type: dashboard, listen: 'localhost:0', history: ${history} }]`;

/** What a page says about its past, once the page passes the check. */
async function pastOf(url: string): Promise<unknown> {
  const response = await fetch(`${url}events`, { signal: AbortSignal.timeout(20_000) });
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const table = /^event: table\n.*\ndata: (.*)\n\n/m.exec(text)?.[1];
    if (table !== undefined) return (JSON.parse(table) as { readonly past: unknown }).past;
  }
  throw new Error('the events have ended');
}

test('a page keeps its history in the folder, and is served without it where the folder cannot be used', async () => {
  await world.start(configuration(`{ folder: ${world.pathOf('page')}, keep: 8d, size: 16MiB }`));
  expect(await pastOf(urlIn(world.lines, 'dashboard'))).toMatchObject({ isKept: true, problem: null });

  await writeFile(world.pathOf('file'), '');
  world.lines.length = 0;
  await world.start(configuration(`{ folder: ${world.pathOf('file')}/page }`));
  const past = await pastOf(urlIn(world.lines, 'dashboard'));
  expect(past).toMatchObject({ isKept: false, problem: expect.stringContaining('ENOTDIR') });
  const isFailure = (line: string): boolean => /dashboard has failed: the history is not kept in/.test(line);
  await until('the log says so', () => world.lines.some(isFailure));
});

test.each([
  ['{}', /history must have folder|folder/],
  ['{ folder: x, keep: 1s }', /keep must be from 10s to 30d/],
  ['{ folder: x, size: 1KiB }', /size must be from 1MiB to 4GiB/],
])('the history %s is refused', (history, problem) => {
  const { issues } = parseConfig(configuration(history));
  expect(issues.map(({ message }) => message).join('\n')).toMatch(problem);
});
