import type { CommandNode, ValueNode } from './nodes.ts';
import { quoted } from './quoted.ts';

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
${nodes.flatMap(valueCases).join('')}  esac
  case "$place" in
${nodes.map(placeCase).join('')}  esac
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

function valueCases({ path, options }: CommandNode): string[] {
  return options.flatMap(({ flags, value }) => {
    if (value === undefined) return [];
    const places = flags.map((flag) => quoted(`${path} ${flag}`)).join(' | ');
    return [`    ${places}) ${action(value)}; return ;;\n`];
  });
}

function placeCase({ path, options, commands, operand }: CommandNode): string {
  const flags = options.flatMap((option) => option.flags);
  const words = commands.length > 0 ? commands.map(({ name }) => name) : operand;
  return `    ${quoted(path)})
      if [ "\${current:0:1}" = - ]; then ${action(flags)}; else ${action(words)}; fi
      ;;
`;
}

function action(value: ValueNode): string {
  if (value === 'file') return '_hdrscope_files';
  if (value === 'anything' || value.length === 0) return 'COMPREPLY=()';
  return `_hdrscope_words ${value.map(quoted).join(' ')}`;
}
