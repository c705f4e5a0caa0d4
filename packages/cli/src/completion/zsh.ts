import type { CommandNode, ValueNode } from './nodes.ts';
import { quoted } from './quoted.ts';

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
${nodes.flatMap(valueCases).join('')}  esac
  case "$place" in
${nodes.map(placeCase).join('')}  esac
}

if [ "$funcstack[1]" = _hdrscope ]; then
  _hdrscope "$@"
else
  compdef _hdrscope hdrscope
fi
`;
}

function valueCases({ path, options }: CommandNode): string[] {
  return options.flatMap(({ flags, value }) => {
    if (value === undefined) return [];
    const places = flags.map((flag) => quoted(`${path} ${flag}`)).join('|');
    return [`    (${places}) ${action(value)}; return ;;\n`];
  });
}

function placeCase({ path, options, commands, operand }: CommandNode): string {
  const flags = options.flatMap((option) => option.flags.map((flag) => described(flag, option.description)));
  const words =
    commands.length > 0
      ? describe(
          'command',
          commands.map(({ name, summary }) => described(name, summary)),
        )
      : action(operand);
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

function action(value: ValueNode): string {
  if (value === 'file') return '_files';
  return value === 'anything' ? ':' : `compadd -- ${value.map(quoted).join(' ')}`;
}
