import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Histogram } from '@hdrscope/core';
import { readUtf8 } from '@hdrscope/interval-log/internal';
import type { Io } from '../../src/command.ts';
import type { InputKind } from '../../src/inputs/input.ts';
import { openInputs } from '../../src/inputs/open-inputs.ts';
import { hdrscope } from '../support/fake-io.ts';
import { logText, useFolder } from '../support/logs.ts';

const folder = useFolder();
const ALL: readonly InputKind[] = ['log', 'percentiles', 'encoded', 'numbers', 'json'];
const taking = { takes: ALL, otherwise: 'log' } as const;

function ioOf(stdin: AsyncIterable<Uint8Array>): Io {
  const nowhere = { isTerminal: false, columns: undefined, write: async () => {} };
  return {
    stdout: nowhere,
    stderr: nowhere,
    stdin,
    environment: {},
    signal: new AbortController().signal,
    monotonicMs: () => 0,
  };
}

async function* bytes(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  yield* chunks;
}

const wholeOf = async (source: Parameters<typeof readUtf8>[0]): Promise<string> => {
  let text = '';
  for await (const chunk of readUtf8(source)) text += Buffer.from(chunk).toString('latin1');
  return text;
};

test('the bytes that were read to recognise a stream are part of its content, wherever chunks end', async () => {
  for (const whole of [Buffer.from('1.5\n2.5\n'), gzipSync('1.5\n2.5\n')]) {
    const stdin = bytes(...Array.from(whole, (byte) => Uint8Array.of(byte)));
    const { inputs } = await openInputs(['-'], taking, ioOf(stdin));
    expect(inputs.map(({ kind, name }) => [kind, name])).toEqual([['numbers', 'standard input']]);
    expect(await wholeOf(inputs[0]!.source)).toBe('1.5\n2.5\n');
  }
});

test('with patience for the first chunk, no second chunk is waited for', async () => {
  let isWaitedFor = false;
  async function* slow(): AsyncGenerator<Uint8Array, void> {
    yield Buffer.from('12');
    isWaitedFor = true;
  }
  const options = { ...taking, patience: 'first chunk' } as const;
  const { inputs } = await openInputs(['-'], options, ioOf(slow()));
  expect([inputs[0]!.kind, isWaitedFor]).toEqual(['log', false]);
});

test('files have their names as titles, and their paths when names are equal', async () => {
  const [a, b] = [folder.write('a.txt', '1\n'), folder.write('b.txt', '22\n')];
  const again = join(a, '..', '.', 'a.txt').replace('a.txt', './a.txt');
  const io = ioOf(bytes(Buffer.from('3\n')));
  const unlike = await openInputs([a, b], taking, io);
  expect(unlike.inputs.map(({ title, name }) => [title, name])).toEqual([
    ['a.txt', a],
    ['b.txt', b],
  ]);
  const alike = await openInputs([a, again, '-'], taking, io);
  expect(alike.inputs.map(({ title }) => title)).toEqual([a, again, 'standard input']);
});

const TEXTS: Readonly<Record<InputKind, string>> = {
  log: logText([{ at: 0, ms: [1, 2, 3] }]),
  percentiles: 'Value,Percentile,TotalCount,1/(1-Percentile)\n1.000,0.000000000000,1,1.00\n',
  encoded: new Histogram().toBase64(),
  numbers: '1\n2\n',
  recorded: `{"unit":"ms","resolution":1,"encoded":"${new Histogram().toBase64()}"}\n`,
  json: '{"kind":"bars"}',
};

test.each<[string, readonly string[], readonly InputKind[]]>([
  ['record', [], ['log', 'percentiles', 'encoded', 'recorded', 'json']],
  ['diff', ['OTHER'], ['json']],
  ['log summary', [], ['encoded', 'numbers', 'recorded', 'json']],
  ['log merge', [], ['percentiles', 'encoded', 'numbers', 'recorded', 'json']],
  ['log tail', [], ['percentiles', 'encoded', 'numbers', 'recorded', 'json']],
])(
  '%s refuses an input of another kind, and names a command that takes it',
  async (command, others, kinds) => {
    const other = folder.write('other.hlog', TEXTS.log);
    for (const kind of kinds) {
      const args = [...command.split(' '), '-', ...others.map(() => other)];
      const { exitCode, stdout, stderr } = await hdrscope(args, { stdin: TEXTS[kind] });
      expect([kind, exitCode, stdout]).toEqual([kind, 1, '']);
      expect(stderr).toMatch(
        /^hdrscope: standard input (is|has) .*: hdrscope (log summary|diff|record|plot)/,
      );
      const path = folder.write('it', TEXTS[kind]);
      const ofFile = await hdrscope(args.map((word) => (word === '-' ? path : word)));
      expect(ofFile.stderr).toBe(stderr.replace('standard input', path));
    }
  },
);

test('with --column, record reads every text as a table', async () => {
  const { exitCode, stdout, stderr } = await hdrscope(['record', '--column', '2', '--format', 'json'], {
    stdin: '[a] 1\n[b] 2\n',
  });
  expect([exitCode, stderr, JSON.parse(stdout).count]).toEqual([0, '', 2]);
});
