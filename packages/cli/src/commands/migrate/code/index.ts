import { Refusal } from '../../../command.ts';
import { applyEdits } from '../literals.ts';
import type { CodeChange } from './change.ts';
import { planExporter } from './exporter.ts';
import { readModule } from './module.ts';
import { planPromClient } from './prom-client.ts';
import { readClientUses } from './registers.ts';
import { planViews } from './sdk-views.ts';
import { findLine } from './syntax.ts';

export type { CodeChange } from './change.ts';

/** A program, and what became of it. */
export interface MigratedCode {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly changes: readonly CodeChange[];
}

/**
 * Moves a program to hdrscope, as far as it is certain that it then counts and shows the same.
 *
 * @param sharedUse What another program does with the register of the client, so that its histograms must stay. @default nothing
 * @throws Refusal when the text is no program.
 */
export async function migrateCode(path: string, text: string, sharedUse?: string): Promise<MigratedCode> {
  const code = await readModule(path, text);
  const planned = [planPromClient(code, sharedUse), planExporter(code), planViews(code)];
  const edits = planned.flatMap((plan) => plan.edits);
  const after = applyEdits(text, edits);
  if (after !== text) await assertProgram(path, after);
  const changes = planned.flatMap((plan) => plan.changes).sort((a, b) => a.line - b.line);
  return { path, before: text, after, changes };
}

/**
 * What a program does with the register of the client that histograms of other programs must stay for: it reads or changes all metrics,
 * or serves a page of its own. `undefined` when it does nothing of this.
 *
 * @throws Refusal when the text is no program.
 */
export async function findSharedUse(path: string, text: string): Promise<string | undefined> {
  const code = await readModule(path, text);
  const [common] = readClientUses(code).registers;
  if (common?.obstacle !== undefined) return `${path}: ${common.obstacle.message}`;
  const [page] = common?.pages ?? [];
  return page && `${path}: line ${findLine(code, page)} serves a page of its register, too`;
}

/** The changed text is a program, too. @throws Refusal */
async function assertProgram(path: string, text: string): Promise<void> {
  try {
    await readModule(path, text);
  } catch (cause) {
    throw new Refusal(`${path} cannot be rewritten in place: its syntax would be broken`, { cause });
  }
}
