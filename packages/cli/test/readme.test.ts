import { readFileSync } from 'node:fs';
import { hdrscope } from './support/fake-io.ts';
import { useFolder } from './support/logs.ts';
import { README_LOGS } from './support/readme-logs.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const folder = useFolder();

/** A command of the README, and the output below it. */
interface Shown {
  readonly command: string;
  readonly output: string;
}

const shown: Shown[] = [...readme.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [command = '', ...lines] = text.split('\n');
      return { command, output: lines.join('\n') };
    }),
);

beforeAll(async () => {
  for (const [name, textOf] of Object.entries(README_LOGS)) folder.write(name, textOf());
  const args = ['log', 'process', '-i', folder.pathOf('service.hlog'), '-tag', 'get'];
  folder.write('get.hgrm', (await hdrscope(args)).stdout);
});

/** Whether a word of a command is a file, or the folder of a history: `history` is the name of a command, too. */
function isPath(word: string, before: string | undefined): boolean {
  if (word === 'history')
    return before === '-o' || before === 'query' || before === 'compact' || before === 'report';
  return /\.(hlog|hgrm|json|txt|csv|log)$/.test(word);
}

/** The output of a shell line: of commands joined by pipes, and of `echo $?`. */
async function print(line: string): Promise<string> {
  let exitCode = 0;
  let stdin = '';
  for (const command of line.replace(/; echo \$\?$/, '').split(' | ')) {
    const [, errorsTo] = / 2>(&1|\/dev\/null)$/.exec(command) ?? [];
    const showsErrors = errorsTo === '&1';
    const [program, ...args] = command
      .replace(/ 2>\S+$/, '')
      .split(' ')
      .map((word) => word.replace(/^'(.*)'$/, '$1'))
      .map((word, at, words) => (isPath(word, words[at - 1]) ? folder.pathOf(word) : word));
    if (program === 'hdrscope') {
      const ran = await hdrscope(args, { stdin });
      if (errorsTo === undefined) expect(ran.stderr).toBe('');
      ({ exitCode } = ran);
      stdin = showsErrors ? ran.stderr + ran.stdout : ran.stdout;
    } else if (program === 'head') {
      stdin = stdin.match(/.*\n/g)!.slice(0, -Number(args[0])).join('');
    } else if (program === 'cut') {
      const width = Number(args[0]!.replace('-c1-', ''));
      stdin = stdin.replace(/.+/g, (text) => text.slice(0, width));
    } else throw new Error(`${program} is not among what this test can run`);
  }
  const output = stdin.replaceAll(`${folder.pathOf('')}/`, '');
  return line.endsWith('; echo $?') ? `${output}${exitCode}\n` : output;
}

test('the README shows commands', () => {
  expect(shown.length).toBeGreaterThanOrEqual(8);
});

test.each(shown.map(({ command, output }) => [command, output]))('%s', async (command, output) => {
  expect(await print(command)).toBe(output);
});
