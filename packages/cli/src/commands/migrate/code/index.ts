import { Refusal } from '../../../command.ts';
import { applyEdits } from '../literals.ts';
import type { CodeChange } from './change.ts';
import { planExporter } from './exporter.ts';
import { readModule } from './module.ts';
import { planPromClient } from './prom-client.ts';
import { planViews } from './sdk-views.ts';

export type { CodeChange } from './change.ts';

/** A program, and what became of it. */
export interface MigratedCode {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly changes: readonly CodeChange[];
}

const PLANS = [planPromClient, planExporter, planViews];

/**
 * Moves a program to hdrscope, as far as it is certain that it then counts and shows the same.
 *
 * @throws Refusal when the text is no program.
 */
export async function migrateCode(path: string, text: string): Promise<MigratedCode> {
  const code = await readModule(path, text);
  const planned = PLANS.map((plan) => plan(code));
  const edits = planned.flatMap((plan) => plan.edits);
  const after = applyEdits(text, edits);
  if (after !== text) await assertProgram(path, after);
  const changes = planned.flatMap((plan) => plan.changes).sort((a, b) => a.line - b.line);
  return { path, before: text, after, changes };
}

/** The changed text is a program, too. @throws Refusal */
async function assertProgram(path: string, text: string): Promise<void> {
  try {
    await readModule(path, text);
  } catch (cause) {
    throw new Refusal(`${path} cannot be rewritten in place: its syntax would be broken`, { cause });
  }
}
