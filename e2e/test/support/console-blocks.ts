/** A command that a document shows, and the output below it. */
export interface ShownCommand {
  readonly document: string;
  /** Line number, from 1. */
  readonly line: number;
  readonly command: string;
  /** Empty when the document shows no output. A line `…` stands for any lines. */
  readonly output: string;
  /** Whether the numbers differ from run to run: the fence is `console varying`. */
  readonly varies: boolean;
  /** Whether it is typed on a machine with OSDs of Ceph: the fence is `console cluster`. */
  readonly isOfCluster: boolean;
}

/** The commands of the blocks of language `console`: lines that start with `$`, each with its output below. */
export function listCommands(document: string, text: string): ShownCommand[] {
  const found: ShownCommand[] = [];
  let fence: string | undefined;
  for (const [at, line] of text.split('\n').entries()) {
    if (line.startsWith('```')) {
      fence = fence === undefined ? line : undefined;
      continue;
    }
    if (!fence?.startsWith('```console')) continue;
    const previous = found.at(-1);
    if (line.startsWith('$ ')) {
      const [, ...words] = fence.split(' ');
      found.push({
        ...{ document, line: at + 1, command: line.slice(2), output: '' },
        ...{ varies: words.includes('varying'), isOfCluster: words.includes('cluster') },
      });
    } else if (previous !== undefined) {
      found[found.length - 1] = { ...previous, output: `${previous.output}${line}\n` };
    }
  }
  return found;
}

/** The files that a document asks its reader to save: "`shop.mjs`:", and a block with the content below. */
export function listFiles(text: string): { readonly name: string; readonly content: string }[] {
  const found = text.matchAll(
    /`([\w.-]+\.(?:mjs|ts|ya?ml|json))`.*:\n\n```(?:[jt]s|ya?ml|json)[^\n]*\n([\s\S]*?)^```$/gm,
  );
  return [...found].map(([, name = '', content = '']) => ({ name, content }));
}

/** Whether the output of a command is the one that the document shows. */
export function matches(shown: ShownCommand, output: string): boolean {
  const pattern = comparable(shown, shown.output)
    .split('\n…\n')
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('\n[\\s\\S]*');
  return new RegExp(`^${pattern}$`).test(comparable(shown, output));
}

/** Sources and sinks of the agent start at the same time, so their lines come in any order. */
const STARTED = /(?:^hdrscope: (?:source|sink) .* has started.*\n)+/gm;

/** A text without what may differ: blanks at the ends of lines, and numbers that vary with their padding. */
function comparable({ varies }: ShownCommand, text: string): string {
  const lines = `\n${text.replace(/[ \t]+$/gm, '').trim()}\n`.replace(
    STARTED,
    (started) => `${started.trimEnd().split('\n').toSorted().join('\n')}\n`,
  );
  return varies ? lines.replace(/-?\d[\d,.]*(e-?\d+)?/g, '#').replace(/ +/g, ' ') : lines;
}
