import { resolve } from 'node:path';
import { Refusal } from '../../../command.ts';
import { applyEdits } from '../literals.ts';
import type { CodeChange, PlannedCode } from './change.ts';
import { planExporter } from './exporter.ts';
import { type CodeModule, type LooseModule, readModule } from './module.ts';
import { linkModules } from './program.ts';
import { type PlannedModules, planPromClient } from './prom-client.ts';
import { planViews } from './sdk-views.ts';
import {
  findPackage,
  listDependencies,
  type PackageFolder,
  readSurroundings,
  type SourceText,
  type Surroundings,
} from './surroundings.ts';

export type { CodeChange } from './change.ts';

/** A module, and what became of it. */
export interface MigratedCode {
  readonly path: string;
  /** Empty for a module that is added. */
  readonly before: string;
  readonly after: string;
  readonly changes: readonly CodeChange[];
}

/** Modules after their migration, and files that are no programs. */
export interface MigratedModules {
  readonly modules: readonly MigratedCode[];
  readonly unread: readonly { readonly path: string; readonly refusal: Refusal }[];
}

/** What names a package that is replaced. */
const CLIENT =
  /['"](prom-client|@prometheus-io\/client|@opentelemetry\/(exporter-prometheus|sdk-metrics))['"]/;
const PASSES_ON = /\bexport ?[{*]|\bexports\b/;

/**
 * Moves programs to hdrscope, as far as it is certain that they then count and show the same. Files that use what others export move
 * together. Those that have nothing to move are left out.
 */
export async function migratePrograms(named: readonly SourceText[]): Promise<MigratedModules> {
  // A file may be named twice, also by its folder.
  const files = [...new Map(named.map((file) => [resolve(file.path), file])).values()];
  const packages = new Map<string, PackageFolder>();
  const packageOf = new Map<string, PackageFolder>();
  const given = await readSurroundings(files, []);
  const loose: LooseModule[] = [];
  const unread: { path: string; refusal: Refusal }[] = [];
  for (const { path, text } of selectFiles(files, given)) {
    try {
      loose.push(await readModule(path, text));
      const found = await findPackage(path);
      packages.set(found.folder, packages.get(found.folder) ?? found);
      packageOf.set(path, packages.get(found.folder)!);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (CLIENT.test(text)) unread.push({ path, refusal: error });
    }
  }
  let { modules } = linkModules(loose, given);
  let planned = joinPlans(modules, packageOf);
  // Most programs need no look at the files around them.
  if (given.isAsked) {
    ({ modules } = linkModules(loose, await readSurroundings(files, [...packages.values()])));
    planned = joinPlans(modules, packageOf);
  }
  const migrated: MigratedCode[] = [];
  for (const code of modules) {
    const edits = planned.edits.flatMap((one) => (one.code === code ? [one.edit] : []));
    const after = applyEdits(code.text, edits);
    if (after !== code.text) await assertProgram(code.path, after);
    const changes = planned.changes.flatMap((one) => (one.code === code ? [one.change] : []));
    changes.sort((a, b) => a.line - b.line);
    if (after !== code.text || CLIENT.test(code.text))
      migrated.push({ path: code.path, before: code.text, after, changes });
  }
  const added = planned.added.map(({ path, text }) => ({ path, before: '', after: text, changes: [] }));
  return { modules: [...migrated, ...added], unread };
}

/** The files that name a package, and those that load them. */
function selectFiles(files: readonly SourceText[], surroundings: Surroundings): readonly SourceText[] {
  const selected = new Set(files.filter(({ text }) => CLIENT.test(text)));
  let passing = [...selected];
  while (passing.length > 0) {
    const loading = files.filter(
      (file) => !selected.has(file) && passing.some(({ path }) => surroundings.loads(file.path, path)),
    );
    for (const file of loading) selected.add(file);
    passing = loading.filter(({ text }) => PASSES_ON.test(text));
  }
  return files.filter((file) => selected.has(file));
}

/** Plans for modules that may run in one process together: those of one package, and of packages that depend on it. */
function joinPlans(
  modules: readonly CodeModule[],
  packageOf: ReadonlyMap<string, PackageFolder>,
): PlannedModules {
  const groups = groupPackages([...new Set(packageOf.values())]);
  const plans: PlannedModules[] = groups.map((group) =>
    planPromClient(modules.filter(({ path }) => group.has(packageOf.get(path)!))),
  );
  for (const code of modules) {
    for (const { edits, changes } of [planExporter(code), planViews(code)] satisfies PlannedCode[])
      plans.push({
        edits: edits.map((edit) => ({ code, edit })),
        changes: changes.map((change) => ({ code, change })),
        added: [],
      });
  }
  return {
    edits: plans.flatMap(({ edits }) => edits),
    changes: plans.flatMap(({ changes }) => changes),
    added: plans.flatMap(({ added }) => added),
  };
}

function groupPackages(packages: readonly PackageFolder[]): ReadonlySet<PackageFolder>[] {
  let groups: Set<PackageFolder>[] = [];
  for (const one of packages) {
    const near = groups.filter((group) => [...group].some((other) => depend(one, other)));
    groups = [
      ...groups.filter((group) => !near.includes(group)),
      new Set([one, ...near.flatMap((group) => [...group])]),
    ];
  }
  return groups;
}

/** Whether one of two packages depends on the other. One without `package.json` may. */
function depend({ manifest: one }: PackageFolder, { manifest: other }: PackageFolder): boolean {
  if (one === undefined || other === undefined) return true;
  const uses = (user: typeof one, used: typeof one): boolean =>
    listDependencies(user).some((name) => name === used.name);
  return uses(one, other) || uses(other, one);
}

/** The changed text is a program, too. @throws Refusal */
async function assertProgram(path: string, text: string): Promise<void> {
  try {
    await readModule(path, text);
  } catch (cause) {
    throw new Refusal(`${path} cannot be rewritten in place: its syntax would be broken`, { cause });
  }
}
