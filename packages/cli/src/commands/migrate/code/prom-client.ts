import type { NewExpression } from '#babel';
import type { LiteralEdit } from '../literals.ts';
import { listImportItems } from './added-imports.ts';
import { type CodeChange, type CodeNote, catchObstacle, type LocatedEdit } from './change.ts';
import { removeItem, removeRange } from './edits.ts';
import { type ClientHistogram, readHistogram, rewriteOptions } from './histogram-options.ts';
import { rewriteUse } from './histogram-uses.ts';
import { Homes, type RegistryHome } from './homes.ts';
import type { CodeModule, Origin } from './module.ts';
import { CLIENTS, type ClientUses, type LocatedCall, type Register, readClientUses } from './registers.ts';
import { contains, findEnd, findLine, findStart, Obstacle, readSource } from './syntax.ts';

const UNKNOWN_LABELS: CodeNote = {
  code: 'labels',
  text: 'a label whose value is undefined or null is left out, and the client showed it as a text',
};

/** The changes of modules, their edits, and a module that is new. */
export interface PlannedModules {
  readonly changes: readonly { readonly code: CodeModule; readonly change: CodeChange }[];
  readonly edits: readonly LocatedEdit[];
  readonly added: readonly { readonly path: string; readonly text: string }[];
}

/** Moves the histograms of a client to a registry, where each page of their register can show both. */
export function planPromClient(modules: readonly CodeModule[]): PlannedModules {
  const uses = readClientUses(modules);
  const homes = new Homes(uses);
  const changes: { code: CodeModule; change: CodeChange }[] = [];
  const edits: LocatedEdit[] = [];
  // The registers first, because the place of a registry depends on all modules that make histograms for it.
  const read = uses.histograms.map(({ code, made }) => ({
    code,
    made,
    histogram: catchObstacle(() => readKnownHistogram(code, uses, made)),
  }));
  for (const { code, histogram } of read)
    if (!(histogram instanceof Obstacle)) homes.expect(histogram.register, code);
  const moved: NewExpression[] = [];
  for (const { code, made, histogram } of read) {
    const planned = catchObstacle(() => {
      if (histogram instanceof Obstacle) throw histogram;
      return moveHistogram(code, made, histogram, homes.find(histogram.register));
    });
    const where = { line: findLine(code, made), place: describeHistogram(code, made) };
    if (planned instanceof Obstacle) {
      // The place of the histogram names its file already.
      const reason = planned.message.replace(`${code.path}: `, '');
      changes.push({ code, change: { ...where, verdict: { outcome: 'refused', reason } } });
      continue;
    }
    for (const edit of planned.edits) edits.push(edit);
    moved.push(made);
    homes.use((histogram as KnownHistogram).register, code);
    changes.push({ code, change: { ...where, verdict: { outcome: 'rewritten', notes: planned.notes } } });
  }
  const made = homes.plan();
  for (const { code, call } of made.pages) {
    const change = { line: findLine(code, call), place: 'page of metrics' };
    changes.push({ code, change: { ...change, verdict: { outcome: 'rewritten', notes: [] } } });
  }
  for (const code of modules) for (const edit of removeUnused(code, moved)) edits.push({ code, edit });
  return { changes, edits: [...edits, ...made.edits], added: made.added };
}

function describeHistogram(code: CodeModule, made: NewExpression): string {
  const [options] = made.arguments;
  const property =
    options?.type === 'ObjectExpression'
      ? options.properties.find(
          (one) => one.type === 'ObjectProperty' && one.key.type === 'Identifier' && one.key.name === 'name',
        )
      : undefined;
  if (property?.type !== 'ObjectProperty') return 'histogram';
  const { value } = property;
  return `histogram ${value.type === 'StringLiteral' ? value.value : readSource(code, value)}`;
}

/** A histogram with its register, and the variable that holds it. */
interface KnownHistogram {
  readonly options: ClientHistogram;
  readonly origin: Origin;
  readonly register: Register;
  readonly registrations: readonly LocatedCall[];
}

function readKnownHistogram(code: CodeModule, uses: ClientUses, made: NewExpression): KnownHistogram {
  const options = readHistogram(code, made, CLIENTS);
  const origin = findVariable(code, made);
  const registrations = uses.registers.flatMap((register) =>
    register.registrations
      .filter(({ code: other, call }) => {
        const [argument, ...others] = call.arguments;
        const found = argument && other.program.findOrigin(other, argument);
        return others.length === 0 && found?.binding === origin.binding;
      })
      .map((one) => ({ register, ...one })),
  );
  const register = findShownRegister(code, made, options, uses, registrations);
  return { options, origin, register, registrations };
}

interface MovedHistogram {
  readonly edits: readonly LocatedEdit[];
  readonly notes: readonly CodeNote[];
}

function moveHistogram(
  code: CodeModule,
  made: NewExpression,
  { options, origin, registrations }: KnownHistogram,
  home: RegistryHome,
): MovedHistogram {
  const { name, quote, from } = home.nameIn(code);
  if (findStart(made) < from) throw new Obstacle(made, 'it is made before the registry of its page');
  const edits: LocatedEdit[] = [];
  const add = (where: CodeModule, all: readonly LiteralEdit[]): void => {
    for (const edit of all) edits.push({ code: where, edit });
  };
  add(code, rewriteOptions(code, made, options, { registry: name, quote }));
  let hasUnknownLabels = false;
  for (const use of code.program.listUses(code, origin.binding)) {
    const rewritten = catchObstacle(() => {
      if (use.isType) throw new Obstacle(use.node, `line ${findLine(use.code, use.node)} uses its type`);
      const registration = registrations.find(({ call }) => call.arguments[0] === use.node);
      if (registration === undefined) return rewriteUse(use.code, options, use.node);
      const statement = use.code.parentOf.get(registration.call)!;
      const removed = removeRange(use.code, findStart(statement), findEnd(statement));
      return { edits: [removed], hasUnknownLabels: false };
    });
    if (rewritten instanceof Obstacle)
      throw new Obstacle(rewritten.node, `${use.code.path}: ${rewritten.message}`);
    add(use.code, rewritten.edits);
    hasUnknownLabels ||= rewritten.hasUnknownLabels;
  }
  return { edits, notes: hasUnknownLabels ? [UNKNOWN_LABELS] : [] };
}

/** The constant that holds a histogram. */
function findVariable(code: CodeModule, made: NewExpression): Origin {
  const declarator = code.parentOf.get(made);
  if (declarator?.type !== 'VariableDeclarator' || declarator.id.type !== 'Identifier')
    throw new Obstacle(made, 'it is not the value of a variable, so its uses are unknown');
  const { id } = declarator;
  if (id.typeAnnotation != null) throw new Obstacle(id, 'its variable states its type');
  const binding = code.scopes.find(id);
  if (binding === undefined || !binding.isConstant)
    throw new Obstacle(id, 'its variable gets other values, too');
  return { code, binding };
}

/** The register in which a histogram is, if it is in one alone. */
function findShownRegister(
  code: CodeModule,
  made: NewExpression,
  { registers }: ClientHistogram,
  uses: ClientUses,
  registrations: readonly { readonly register: Register }[],
): Register {
  const stated = registers?.[0];
  const own = stated === undefined ? uses.registers[0] : uses.findRegister(code, stated);
  if (own === undefined) throw new Obstacle(stated ?? made, 'its register is unknown');
  const all = [...new Set([own, ...registrations.map(({ register }) => register)])];
  const shown = all.filter(({ pages, shownIn }) => pages.length > 0 || shownIn.size > 0);
  if (shown.length > 1) throw new Obstacle(made, 'it is on several pages');
  const [only] = shown;
  const register = only ?? own;
  for (const one of uses.registers) {
    const { obstacle, origin } = one;
    if (obstacle !== undefined && (origin === undefined || all.includes(one))) throw obstacle;
  }
  return register;
}

/** Removes the name `Histogram` from an import when no use of it is left. */
function removeUnused(code: CodeModule, moved: readonly NewExpression[]): LiteralEdit[] {
  return code.imports.flatMap(({ binding, exported, source, statement }) => {
    if (exported !== 'Histogram' || !CLIENTS.has(source)) return [];
    const isUsed = binding.references.some(({ node }) => !moved.some(({ callee }) => callee === node));
    if (isUsed || binding.references.length === 0) return [];
    const items = listImportItems(statement);
    const item = items.find((one) => contains(one, binding.identifier));
    return item === undefined || items.length < 2 ? [] : [removeItem(code, items, item)];
  });
}
