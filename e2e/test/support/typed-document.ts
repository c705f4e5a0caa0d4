import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  describeUnless,
  type Lack,
  lack,
  lackOfFile,
  lackOfPeer,
  lackOfProgram,
  type PeerName,
  programOf,
  testUnless,
} from '@hdrscope/testing';
import { listCommands, listFiles, matches, type ShownCommand } from './console-blocks.ts';
import { Terminal, type Typed } from './terminal.ts';

// These tests need the built packages, as a reader has them after `npm run build`.

export const ROOT = join(import.meta.dirname, '../../..');

/** Commands that other tests type, and why this one does not. */
const ELSEWHERE: readonly [RegExp, string][] = [
  [/^npm (install|run build)/, 'it has run before this test'],
  [/^npm start/, 'demo.test.ts types it'],
];

/** Commands that go on until Ctrl-C. */
const ENDLESS =
  /^(?!.*&)(sudo |.*\| )?npx hdrscope (serve|run|log tail -f|ceph (top(?!.*--once)|watch)|ebpf (watch|serve))\b/;

/** The peers that a command needs, and the word of the command that stands for the path of each. */
const PEERS: readonly { readonly needs: RegExp; readonly word: string; readonly peer: PeerName }[] = [
  { needs: /^promtool /, word: 'promtool', peer: 'promtool-3' },
  { needs: /^prometheus |localhost:9090|^until ask /, word: 'prometheus', peer: 'prometheus-3' },
  { needs: /^java /, word: 'HdrHistogram.jar', peer: 'hdrhistogram-java' },
];

/** Programs that a reader has, and a small machine may not have. */
const PROGRAMS = ['curl'];

const doctor = spawnSync(process.execPath, [join(ROOT, 'packages/cli/bin/hdrscope.js'), 'ebpf', 'doctor'], {
  encoding: 'utf8',
}).stdout;
const [counting] = /^.*counting in the kernel.*$/m.exec(doctor) ?? [];
if (counting === undefined)
  throw new Error(`ebpf doctor says nothing about counting in the kernel: ${doctor}`);
const reason = counting.startsWith('ok') ? undefined : `no command with sudo: ebpf doctor says: ${counting}`;
const noSudo = lack('kernel', reason);

/** The title of the test of a command. */
const titleOf = ({ document, line, command }: ShownCommand): string => `${document}:${line}: ${command}`;

/**
 * Types the commands of a document one after the other, in a folder that looks like the clone, and compares what they print with
 * the document. Files that the document asks its reader to save are in the folder.
 *
 * @param document Its path in the repository.
 * @param sockets Where the sockets of a cluster of Ceph are, which stand for `/var/run/ceph`: then the commands for such a machine are
 *   typed. @default the commands for any machine are typed
 */
export function describeTyping(document: string, sockets?: () => string): void {
  describeUnless(lackOfProgram('bash'), lackOfFile('/proc'))(`the commands of ${document}`, () => {
    const text = readFileSync(join(ROOT, document), 'utf8');
    const commands = listCommands(document, text).filter(
      ({ command, isOfCluster }) =>
        isOfCluster === (sockets !== undefined) && !ELSEWHERE.some(([pattern]) => pattern.test(command)),
    );
    let folder: string;
    let terminal: Terminal;

    beforeAll(() => {
      // The files that the commands write do not stay.
      folder = mkdtempSync(join(tmpdir(), 'hdrscope-readme-'));
      for (const name of ['examples', 'node_modules', 'packages'])
        symlinkSync(join(ROOT, name), join(folder, name));
      for (const { name, content } of listFiles(text)) writeFileSync(join(folder, name), content);
      terminal = new Terminal(folder);
    });

    afterAll(async () => {
      await terminal.close();
      rmSync(folder, { recursive: true });
    });

    test('are there', () => {
      expect(commands).not.toEqual([]);
    });

    for (const shown of commands) {
      testUnless(...listLacks(shown.command))(titleOf(shown), async () => {
        const command = shown.command.replaceAll('/var/run/ceph', () => sockets?.() ?? '/var/run/ceph');
        const { output, exitCode } = await type(terminal, { ...shown, command });
        if (shown.output !== '' && !matches(shown, output)) expect(output).toBe(shown.output);
        if (!ENDLESS.test(shown.command)) expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
        else expect(output).not.toBe('');
        expect(output).not.toMatch(/^hdrscope: cannot|^error:/m);
      });
    }
  });
}

/** What a command needs beside Node.js, and this machine does not have. */
function listLacks(command: string): readonly (Lack | undefined)[] {
  return [
    command.startsWith('sudo ') ? noSudo : undefined,
    ...peersOf(command).map(({ peer }) => lackOfPeer(peer)),
    ...PROGRAMS.filter((name) => new RegExp(`\\b${name} `).test(command)).map(lackOfProgram),
  ];
}

function peersOf(command: string): typeof PEERS {
  return PEERS.filter(({ needs }) => needs.test(command));
}

/** A command that asks a server of this machine and changes nothing. */
const QUESTION = /^curl -s (?:-H '[^']*' )?(?:http:\/\/)?(?:localhost|127\.0\.0\.1):[^&]*$/;

function type(terminal: Terminal, shown: ShownCommand): Promise<Typed> {
  // A reader who may count in the kernel here is root, and needs no sudo.
  let typed = shown.command.replace(/^sudo /, '');
  for (const { word, peer } of peersOf(typed)) {
    typed = typed.replace(new RegExp(`(^| )${word} `), (_, blank: string) => `${blank}'${programOf(peer)}' `);
  }
  if (ENDLESS.test(typed)) return terminal.typeUntilPrinted(typed);
  // On a busy machine, a server of an earlier command may start later than the document says.
  if (QUESTION.test(typed))
    return terminal.typeUntilAnswered(typed, (output) => shown.output === '' || matches(shown, output));
  return terminal.type(typed, (output) => !typed.endsWith(' &') || matches(shown, output));
}
