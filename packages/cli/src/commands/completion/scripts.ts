import type { CommandNode, OptionNode, ValueNode } from '../../group.ts';

/** Quotes a text as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A case for each option with a value: what a shell does behind it. */
function valueCases(
  nodes: readonly CommandNode[],
  [begin, or]: readonly [begin: string, or: string],
  action: (value: ValueNode) => string,
): string {
  const cases = nodes.flatMap(({ path, options }) =>
    options.map(({ flags, value }) => {
      const places = flags.map((flag) => quoted(`${path} ${flag}`)).join(or);
      return value === undefined ? '' : `    ${begin}${places}) ${action(value)}; return ;;\n`;
    }),
  );
  return cases.join('');
}

// bash.

/** For bash 3.2 and later. */
export function bashScript(nodes: readonly CommandNode[]): string {
  const [, ...below] = nodes;
  return `# Completion of hdrscope in bash. To have it in every shell:
#   hdrscope completion bash > ~/.local/share/bash-completion/completions/hdrscope
_hdrscope() {
  local word at place=hdrscope IFS=$'\\n'
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}"
  # --unit=ms comes as three words.
  if [ "$current" = = ]; then
    current=
  elif [ "$before" = = ]; then
    before="\${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    case "$place $word" in
      ${below.map(({ path }) => quoted(path)).join(' | ')}) place="$place $word" ;;
    esac
  done
  case "$place $before" in
${valueCases(nodes, ['', ' | '], bashAction)}  esac
  case "$place" in
${nodes.map(bashPlaceCase).join('')}  esac
}

# Words are a line each by now.
_hdrscope_words() {
  COMPREPLY=($(compgen -W "$*" -- "$current"))
}

_hdrscope_files() {
  compopt -o filenames 2> /dev/null
  COMPREPLY=($(compgen -f -- "$current"))
}

complete -F _hdrscope hdrscope
`;
}

function bashPlaceCase({ path, options, commands, operand }: CommandNode): string {
  const flags = options.flatMap((option) => option.flags);
  const words = commands.length > 0 ? commands.map(({ name }) => name) : operand;
  return `    ${quoted(path)})
      if [ "\${current:0:1}" = - ]; then ${bashAction(flags)}; else ${bashAction(words)}; fi
      ;;
`;
}

function bashAction(value: ValueNode): string {
  if (value === 'file') return '_hdrscope_files';
  if (value === 'anything' || value.length === 0) return 'COMPREPLY=()';
  return `_hdrscope_words ${value.map(quoted).join(' ')}`;
}

// zsh.

/** For zsh with its completion system. */
export function zshScript(nodes: readonly CommandNode[]): string {
  const [, ...below] = nodes;
  return `#compdef hdrscope
# Completion of hdrscope in zsh. To have it in every shell, in a folder of $fpath:
#   hdrscope completion zsh > ~/.zsh/completions/_hdrscope
_hdrscope() {
  local word place=hdrscope current="$words[CURRENT]" before="$words[CURRENT-1]"
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in
      (${below.map(({ path }) => quoted(path)).join('|')}) place="$place $word" ;;
    esac
  done
  case "$place $before" in
${valueCases(nodes, ['(', '|'], zshAction)}  esac
  case "$place" in
${nodes.map(zshPlaceCase).join('')}  esac
}

if [ "$funcstack[1]" = _hdrscope ]; then
  _hdrscope "$@"
else
  compdef _hdrscope hdrscope
fi
`;
}

function zshPlaceCase({ path, options, commands, operand }: CommandNode): string {
  const flags = options.flatMap((option) => option.flags.map((flag) => described(flag, option.description)));
  const words =
    commands.length > 0
      ? describe(
          'command',
          commands.map(({ name, summary }) => described(name, summary)),
        )
      : zshAction(operand);
  return `    (${quoted(path)})
      if [[ "$current" == -* ]]; then
        ${describe('option', flags)}
      else
        ${words}
      fi
      ;;
`;
}

function describe(what: string, found: readonly string[]): string {
  return `found=(${found.join(' ')}); _describe ${what} found`;
}

/** A word and its description, separated by a colon. */
function described(word: string, about: string): string {
  const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll(':', '\\:');
  return quoted(`${escaped(word)}:${escaped(about)}`);
}

function zshAction(value: ValueNode): string {
  if (value === 'file') return '_files';
  return value === 'anything' ? ':' : `compadd -- ${value.map(quoted).join(' ')}`;
}

// fish.

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
${nodes.map(fishLines).join('')}`;
}

function fishLines({ path, options, commands, operand }: CommandNode): string {
  const here = `complete -c hdrscope -n ${fishQuoted(`__hdrscope_is_at ${fishQuoted(path)}`)}`;
  const names = commands.map(
    ({ name, summary }) => `${here} -a ${fishQuoted(name)} -d ${fishQuoted(summary)}\n`,
  );
  const own = commands.length > 0 ? '' : fishOperand(here, operand);
  return [...names, own, ...options.map((option) => `${here}${fishOption(option)}\n`)].join('');
}

function fishOperand(here: string, operand: ValueNode): string {
  if (operand === 'anything') return '';
  return `${here} ${operand === 'file' ? '-F' : `-a ${fishQuoted(operand.join(' '))}`}\n`;
}

function fishOption({ flags, value, description }: OptionNode): string {
  const names = flags.map((flag) => {
    if (flag.startsWith('--')) return ` -l ${fishQuoted(flag.slice(2))}`;
    // Several letters after one dash, as in Java's tools.
    return `${flag.length > 2 ? ' -o' : ' -s'} ${fishQuoted(flag.slice(1))}`;
  });
  return `${names.join('')}${fishArgument(value)} -d ${fishQuoted(description)}`;
}

function fishArgument(value: ValueNode | undefined): string {
  if (value === undefined) return '';
  if (value === 'file') return ' -r -F';
  return value === 'anything' ? ' -x' : ` -x -a ${fishQuoted(value.join(' '))}`;
}

/** Quotes a text as one word of fish, where a backslash within quotes escapes. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
