import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Termination } from '../../src/command.ts';
import { runCli } from '../../src/program.ts';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();

test('refuses an invalid configuration, with lines', async () => {
  const path = folder.write('a.yaml', 'sources: []\nsinks: []\n');
  expect(await hdrscope(['run', path])).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `hdrscope: ${path}:2:8: sinks must be a list of at least one sink, got an empty list\n`,
  });
});

test('ends with the reason when no sink can start', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const path = folder.write(
    'taken.yaml',
    `sources: []\nsinks: [{ type: prometheus, listen: '127.0.0.1:${port}' }]\n`,
  );
  const { exitCode, stderr } = await hdrscope(['run', path]);
  server.close();
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/no sink could start\nprometheus: \S+:\d+ is taken: another port is needed/);
});

/** Runs a configuration. Calls `act` when the sink has started, with functions that act as signals do. */
async function running(
  yaml: string,
  act: (url: string, reload: () => void, end: () => void) => void | Promise<void>,
): Promise<{ exitCode: number; lines: string[] }> {
  const path = folder.write('run.yaml', yaml);
  const ending = new AbortController();
  const lines: string[] = [];
  let reload = (): void => {};
  const output = (onText: (text: string) => void) => ({
    isTerminal: false,
    columns: undefined,
    write: async (text: string) => onText(text),
  });
  const exitCode = await runCli(['run', path], {
    stdout: output(() => {}),
    stderr: output((text) => {
      lines.push(text);
      const [, url] = /^hdrscope: sink prometheus has started: (.*)\n$/.exec(text) ?? [];
      if (url !== undefined) {
        // Later, when the command waits for its end.
        setImmediate(() =>
          act(
            url,
            () => reload(),
            () => ending.abort(new Termination('SIGTERM', 143)),
          ),
        );
      }
      if (text.includes('is refused')) ending.abort(new Termination('SIGTERM', 143));
    }),
    stdin: (async function* () {
      yield new TextEncoder().encode('1 2 3\n');
    })(),
    environment: {},
    signal: ending.signal,
    onReload(listener) {
      reload = listener;
      return () => {
        reload = () => {};
      };
    },
    monotonicMs: () => 0,
  });
  return { exitCode, lines };
}

const YAML = `sources: [{ type: stdin, metric: { name: n } }]
sinks: [{ type: prometheus, listen: 'localhost:0' }]
`;

test('serves until a signal ends it, and exits as a success', async () => {
  let served = '';
  const { exitCode } = await running(YAML, async (url, _, end) => {
    while (!served.includes('n_count 3')) served = await (await fetch(url)).text();
    end();
  });
  expect(exitCode).toBe(0);
  expect(served).toMatch(/^n_count 3$/m);
});

test('a reload refuses an invalid configuration, and the previous one stays', async () => {
  const { exitCode, lines } = await running(YAML, (_, reload) => {
    folder.write('run.yaml', 'sources: []\nsinks: 7\n');
    reload();
  });
  expect(exitCode).toBe(0);
  expect(lines.join('')).toMatch(
    /the configuration is refused, the one before goes on: .*run\.yaml:2:8: sinks must be a list of sinks, got 7\n/,
  );
});
