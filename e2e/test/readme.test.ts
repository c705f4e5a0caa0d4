import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listCommands, listPrograms, matches, type ShownCommand } from './support/console-blocks.ts';
import { Terminal, type Typed } from './support/terminal.ts';

// These tests need the built packages, as a reader has them after `npm run build`.

const ROOT = join(import.meta.dirname, '../..');
const DOCUMENTS = ['README.md', 'docs/first-minutes.md', 'examples/data/README.md'];

/** Commands that other tests type, and why this one does not. */
const ELSEWHERE: readonly [RegExp, string][] = [
  [/^npm (install|run build)/, 'it has run before this test'],
  [/^npm start/, 'demo.test.ts types it'],
];

/** Commands that go on until Ctrl-C. */
const ENDLESS = /^(?!.*&)(.*\| )?npx hdrscope (serve|run|log tail -f|ceph (top|watch)|ebpf (watch|serve))\b/;

const doctor = spawnSync(process.execPath, [join(ROOT, 'packages/cli/bin/hdrscope.js'), 'ebpf', 'doctor'], {
  encoding: 'utf8',
}).stdout;
const [counting] = /^.*counting in the kernel.*$/m.exec(doctor) ?? [];
if (counting === undefined)
  throw new Error(`ebpf doctor says nothing about counting in the kernel: ${doctor}`);
const canCount = counting.startsWith('ok');
if (!canCount) console.log(`skipped: the commands with sudo, because ebpf doctor says: ${counting}`);

/** The title of the test of a command. */
const titleOf = ({ document, line, command }: ShownCommand): string => `${document}:${line}: ${command}`;

for (const document of DOCUMENTS) {
  describe(`the commands of ${document}`, () => {
    const text = readFileSync(join(ROOT, document), 'utf8');
    const commands = listCommands(document, text).filter(
      ({ command }) => !ELSEWHERE.some(([pattern]) => pattern.test(command)),
    );
    // A folder that looks like the clone, so that the files which the commands write do not stay.
    const folder = mkdtempSync(join(tmpdir(), 'hdrscope-readme-'));
    let terminal: Terminal;

    beforeAll(() => {
      for (const name of ['examples', 'node_modules', 'packages'])
        symlinkSync(join(ROOT, name), join(folder, name));
      for (const { name, code } of listPrograms(text)) writeFileSync(join(folder, name), code);
      terminal = new Terminal(folder);
    });

    afterAll(async () => {
      await terminal.close();
      rmSync(folder, { recursive: true });
    });

    test('are typed', () => {
      expect(commands.length).toBeGreaterThanOrEqual(5);
    });

    for (const shown of commands) {
      const isPrivileged = shown.command.startsWith('sudo ');
      (isPrivileged && !canCount ? test.skip : test)(titleOf(shown), async () => {
        const { output, exitCode } = await type(terminal, shown);
        if (shown.output !== '' && !matches(shown, output)) expect(output).toBe(shown.output);
        if (!ENDLESS.test(shown.command)) expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
        else expect(output).not.toBe('');
        expect(output).not.toMatch(/^hdrscope: cannot|^error:/m);
      });
    }
  });
}

function type(terminal: Terminal, shown: ShownCommand): Promise<Typed> {
  // A reader who may count in the kernel here is root, and needs no sudo.
  const typed = shown.command.replace(/^sudo /, '');
  if (ENDLESS.test(typed)) return terminal.typeUntilPrinted(typed);
  return terminal.type(typed, (output) => !typed.endsWith(' &') || matches(shown, output));
}
