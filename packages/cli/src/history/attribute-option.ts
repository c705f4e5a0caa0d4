import { Option } from 'commander';
import { wrongOption } from '../arguments.ts';
import { UsageError } from '../command.ts';

/** Attributes of a command line, by their keys. */
export type Pairs = Readonly<Record<string, string>>;

/**
 * Adds `key=value` to the pairs of an option that may be repeated. The value begins after the first `=` and may be empty.
 *
 * @throws UsageError when the text is not a pair, or the key is there with another value.
 */
export function addPair(name: string, text: string, others: Pairs = {}): Pairs {
  const at = text.indexOf('=');
  if (at < 1) throw wrongOption(name, 'key=value, as in host=a7', text);
  const [key, value] = [text.slice(0, at), text.slice(at + 1)];
  if (Object.hasOwn(others, key) && others[key] !== value) {
    throw new UsageError(`${name} ${key} must have one value, got '${others[key]}' and '${value}'`);
  }
  return Object.fromEntries([...Object.entries(others), [key, value]]);
}

/** `--where`: only series with an attribute. */
export function whereOption(): Option {
  return new Option('--where <pair>', 'key=value: only series with this attribute; may be repeated')
    .argParser((text, others: Pairs | undefined) => addPair('--where', text, others))
    .default({}, 'all series');
}

/**
 * `--by`: an attribute that divides the answer.
 *
 * @param what What each value of the attribute has, for the help.
 * @param otherwise What there is without the option, for the help.
 */
export function byOption(what: string, otherwise: string): Option {
  return new Option('--by <key>', `an attribute: each of its values ${what}; may be repeated`)
    .argParser((text, others: readonly string[] | undefined) => [...(others ?? []), text])
    .default([], otherwise);
}
