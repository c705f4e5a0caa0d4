import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeUnless, lackOfPeer, lackOfProgram } from '@hdrscope/testing';
import { listCommands, listFiles, matches } from './support/console-blocks.ts';
import { createFolder, freePort, type PeerProcess, startPeer } from './support/peer-process.ts';
import { Terminal } from './support/terminal.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOCUMENT = 'docs/get-started.md';
const text = readFileSync(join(ROOT, DOCUMENT), 'utf8');
const commands = listCommands(DOCUMENT, text);

/** The terminal may have a network of its own, in which there is no registry. */
const isForNpm = (command: string): boolean => command.startsWith('npm ');

describeUnless(
  lackOfPeer('verdaccio'),
  lackOfProgram('bash'),
  lackOfProgram('curl'),
)('a project that has the packages from a registry', () => {
  let registry: PeerProcess | undefined;
  let folder: string | undefined;
  let terminal: Terminal | undefined;

  beforeAll(async () => {
    const port = await freePort();
    registry = await startPeer(
      process.execPath,
      [join(ROOT, 'tools/release/serve.js'), '--no-build', '--port', `${port}`],
      {
        folder: await createFolder(),
        isReady: (output) => output.includes('npm config set --location=project registry'),
        // It publishes fourteen packages, and stays until the document is typed.
        readyMs: 600_000,
        deadlineSeconds: 900,
      },
    );
    folder = mkdtempSync(join(tmpdir(), 'hdrscope-started-'));
    writeFileSync(join(folder, '.npmrc'), `registry=http://127.0.0.1:${port}/\naudit=false\n`);
    for (const { name, content } of listFiles(text)) writeFileSync(join(folder, name), content);
    terminal = new Terminal(folder);
  }, 620_000);

  afterAll(async () => {
    // What has not started needs no end.
    await terminal?.close();
    await registry?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });

  for (const shown of commands) {
    const { line, command } = shown;
    if (command.startsWith('kill ')) {
      test('shows the routes on the live page', async () => {
        const { output } = await terminal!.type('curl -sN --max-time 3 127.0.0.1:9465/events || true');
        expect(output).toContain('http.route=/search');
      });
    }
    test(`${DOCUMENT}:${line}: ${command}`, async () => {
      if (isForNpm(command)) {
        execFileSync('bash', ['-c', command], { cwd: folder, stdio: 'pipe' });
        return;
      }
      const { output, exitCode } = await terminal!.type(
        command,
        (printed) => !command.endsWith(' &') || matches(shown, printed),
      );
      expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
      if (shown.output !== '' && !matches(shown, output)) expect(output).toBe(shown.output);
    }, 100_000);
  }
});
