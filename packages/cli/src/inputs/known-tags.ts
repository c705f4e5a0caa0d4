import type { InputForm } from '@hdrscope/inputs';
import { readIntervals, type Selection } from '@hdrscope/interval-log';
import { listNames, suggestion } from '@hdrscope/kit';
import { Refusal } from '../command.ts';
import type { Input } from './input.ts';

/** A message has no more names than these. */
const MOST_NAMES = 5;

/**
 * Looks whether each tag of a selection is in one of some logs, and reads no further than it takes. Logs that can be read only once are
 * not looked at.
 *
 * @throws Refusal when none has it: a wrong name would select nothing, as if there were no values.
 */
export async function assertTags(
  inputs: readonly Pick<Input<InputForm>, 'kind' | 'name' | 'source'>[],
  { tags = [] }: Selection,
): Promise<void> {
  const missing = new Set([...tags].filter((tag) => tag !== undefined));
  if (missing.size === 0) return;
  const known = new Set<string>();
  for (const { kind, source } of inputs) {
    if (kind !== 'log' || typeof source !== 'string') return;
    for await (const { tag } of readIntervals(source, { onMalformed: () => {} })) {
      if (tag === undefined || known.has(tag)) continue;
      known.add(tag);
      missing.delete(tag);
      if (missing.size === 0) return;
    }
  }
  const [first = ''] = missing;
  const names = [...known];
  const all = names.length === 0 ? 'no interval has a tag' : `the tags are ${listNames(names, MOST_NAMES)}`;
  throw new Refusal(
    `no interval of ${inputs.map(({ name }) => name).join(', ')} has the tag '${first}'${suggestion(first, names) || `: ${all}`}`,
  );
}
