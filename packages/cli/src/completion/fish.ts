import type { CommandNode, OptionNode, ValueNode } from './nodes.ts';

/** For fish 3 and later. */
export function fishScript(nodes: readonly CommandNode[]): string {
  const [, ...below] = nodes;
  return `# Completion of hdrscope in fish. To have it in every shell:
#   hdrscope completion fish > ~/.config/fish/completions/hdrscope.fish
function __hdrscope_is_at
    set -l place hdrscope
    for word in (commandline -opc)[2..-1]
        switch "$place $word"
            case ${below.map(({ path }) => fishQuoted(path)).join(' ')}
                set place "$place $word"
        end
    end
    test "$place" = "$argv[1]"
end

complete -c hdrscope -f
${nodes.map(linesOf).join('')}`;
}

function linesOf({ path, options, commands, operand }: CommandNode): string {
  const here = `complete -c hdrscope -n ${fishQuoted(`__hdrscope_is_at ${fishQuoted(path)}`)}`;
  const names = commands.map(
    ({ name, summary }) => `${here} -a ${fishQuoted(name)} -d ${fishQuoted(summary)}\n`,
  );
  const own = commands.length > 0 ? '' : operandOf(here, operand);
  return [...names, own, ...options.map((option) => `${here}${optionOf(option)}\n`)].join('');
}

function operandOf(here: string, operand: ValueNode): string {
  if (operand === 'anything') return '';
  return `${here} ${operand === 'file' ? '-F' : `-a ${fishQuoted(operand.join(' '))}`}\n`;
}

function optionOf({ flags, value, description }: OptionNode): string {
  const names = flags.map((flag) => {
    if (flag.startsWith('--')) return ` -l ${fishQuoted(flag.slice(2))}`;
    // Several letters after one dash, as in Java's tools.
    return `${flag.length > 2 ? ' -o' : ' -s'} ${fishQuoted(flag.slice(1))}`;
  });
  return `${names.join('')}${argumentOf(value)} -d ${fishQuoted(description)}`;
}

function argumentOf(value: ValueNode | undefined): string {
  if (value === undefined) return '';
  if (value === 'file') return ' -r -F';
  return value === 'anything' ? ' -x' : ` -x -a ${fishQuoted(value.join(' '))}`;
}

/** Quotes a text as one word of fish, where a backslash within quotes escapes. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
