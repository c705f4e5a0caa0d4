import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { lineAt } from '../literals.ts';

/** A file with code, as it is named. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** The folder of a package. */
export interface PackageFolder {
  readonly folder: string;
  /** The content of `package.json`; `undefined` when the folder has none. */
  readonly manifest: Readonly<Record<string, unknown>> | undefined;
}

/** The source files around the modules that are changed, by their texts: which of them load which. */
export interface Surroundings {
  /** Whether an answer may depend on files that are not given. */
  readonly isAsked: boolean;
  /** The only file that a path can mean in a file. */
  resolve(from: string, source: string): string | undefined;
  /** Why a file may be loaded by something else than loads that are known. */
  findMention(path: string, isKnown: (path: string, load: Specifier) => boolean): string | undefined;
  /** Whether loading a file loads another one, too, or may do so. */
  mayReach(from: string, to: string): boolean;
  /** Whether a file has the path of another one, or a name that may stand for it. */
  loads(file: string, path: string): boolean;
  /** Whether files are in the folder of one package. */
  isOnePackage(one: string, other: string): boolean;
  hasFile(path: string): boolean;
  /** A file that is not given, of code that runs outside of tests, whose text a test accepts. */
  findOther(accepts: (text: string) => boolean): string | undefined;
}

const SOURCE = /(?<!\.d)\.([cm]?[jt]sx?|vue|svelte|astro|mdx)$/;
const ENDINGS = ['.js', '.ts', '.mjs', '.cjs', '.mts', '.cts', '.jsx', '.tsx'];
/** What compilers write into. */
const MADE = new Set(['dist', 'build', 'out', 'lib', 'esm', 'cjs', 'coverage', 'src']);
const SKIPPED = new Set(['dist', 'build', 'out', 'coverage']);
const TEST = /(^|[./\\])(__)?(tests?|spec|e2e)(__)?[./\\]/;
const MOST_FILES = 20_000;

/** Finds the package of a file, by the nearest `package.json`. */
export async function findPackage(path: string): Promise<PackageFolder> {
  const start = dirname(resolve(path));
  for (let folder = start; ; folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
    if (text !== undefined) return { folder, manifest: parseManifest(text) };
    if (dirname(folder) === folder) return { folder: start, manifest: undefined };
  }
}

function parseManifest(text: string): PackageFolder['manifest'] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads all source files of packages. Those that are given are not read again. Without packages, it reads nothing. */
export async function readSurroundings(
  given: readonly SourceText[],
  packages: readonly PackageFolder[],
): Promise<Surroundings> {
  const texts = new Map(given.map(({ path, text }) => [resolve(path), { path, text, isGiven: true }]));
  const settings: SourceText[] = [];
  for (const { folder } of packages) {
    for (const path of await listSources(folder, [...texts.keys()])) {
      if (texts.size > MOST_FILES) break;
      if (texts.has(path)) continue;
      const text = await readFile(path, 'utf8').catch(() => undefined);
      if (text === undefined) continue;
      const named = { path: relative(process.cwd(), path), text, isGiven: false };
      if (SOURCE.test(path)) texts.set(path, named);
      else settings.push(named);
    }
  }
  return new SourceFiles(texts, settings, packages);
}

async function listSources(folder: string, given: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const isSkipped =
        entry.name.startsWith('.') ||
        entry.name === 'node_modules' ||
        (SKIPPED.has(entry.name) && !given.some((one) => one.startsWith(path + sep)));
      if (isSkipped || found.length > MOST_FILES) continue;
      for (const inside of await listSources(path, given)) found.push(inside);
    } else if (SOURCE.test(entry.name) || /^[jt]sconfig.*\.json$/.test(entry.name)) found.push(path);
  }
  return found;
}

/** A path or a name in a text that may load a module. */
export interface Specifier {
  /** The offset of its quote. */
  readonly at: number;
  readonly source: string;
  /** A path, or the beginning of one; a name, which may stand for a path; or an expression. */
  readonly kind: 'path' | 'prefix' | 'name' | 'computed';
}

const PATHS = /(['"`])(\.{1,2}(?:\/[^'"`\n$*]*)?)(['"`]|\$\{|\*)/g;
const NAMES =
  /\b(?:from|import|require|(?:do|un|doUn)?[mM]ock|(?:require|import)Actual)\b\s*(?:\(\s*)?(['"`])([^.'"`\n][^'"`\n$]*)['"`]/g;
const COMPUTED = /\b(?:require|import)\s*\(\s*(?:\/\*[^*]*\*\/\s*)?(?=[\w[({]|`\$\{)/g;

function listSpecifiers(text: string): Specifier[] {
  const paths = [...text.matchAll(PATHS)].map(
    (match): Specifier => ({
      at: match.index,
      source: match[2]!,
      kind: match[1] === match[3] ? 'path' : 'prefix',
    }),
  );
  const names = [...text.matchAll(NAMES)].map(
    (match): Specifier => ({
      at: match.index + match[0].indexOf(match[1]!),
      source: match[2]!,
      kind: 'name',
    }),
  );
  const computed = [...text.matchAll(COMPUTED)].map(
    ({ index }): Specifier => ({ at: index, source: '', kind: 'computed' }),
  );
  return [...paths, ...names, ...computed];
}

class SourceFiles implements Surroundings {
  isAsked = false;
  readonly #texts: ReadonlyMap<string, SourceText & { readonly isGiven: boolean }>;
  readonly #settings: readonly SourceText[];
  readonly #packages: readonly PackageFolder[];
  readonly #specifiers = new Map<string, readonly Specifier[]>();

  constructor(
    texts: ReadonlyMap<string, SourceText & { readonly isGiven: boolean }>,
    settings: readonly SourceText[],
    packages: readonly PackageFolder[],
  ) {
    this.#texts = texts;
    this.#settings = settings;
    this.#packages = packages;
  }

  resolve(from: string, source: string): string | undefined {
    const found = listCandidates(resolve(from), source).filter((path) => this.#texts.has(path));
    // A file goes before a folder of its name.
    const files = found.filter((path) => !isIndex(path) || isIndex(source));
    const [only, ...others] = files.length > 0 ? files : found;
    return others.length > 0 ? undefined : only;
  }

  findMention(path: string, isKnown: (path: string, load: Specifier) => boolean): string | undefined {
    this.isAsked = true;
    const target = resolve(path);
    if (this.#texts.size > MOST_FILES) return `its package has more than ${MOST_FILES} files`;
    const own = this.#findPackage(path);
    if (own?.manifest === undefined) return 'no package.json above it says which files may use it';
    const entry = this.#packages.find((one) => isEntry(one, target));
    if (entry !== undefined) return `package.json lets other packages load ${path}`;
    const name = nameOfModule(target);
    for (const { path: settings, text } of this.#settings) {
      const alias = [...text.matchAll(/"([^"\n]*)"/g)].find(([, value]) => nameOfModule(value!) === name);
      if (alias !== undefined)
        return `${settings}: line ${lineAt(text, alias.index)} may give it another name`;
    }
    for (const [file, { path: shown, text }] of this.#texts) {
      if (file === target) continue;
      const found = this.#list(file).find(
        (one) => mayMean(file, one, target, name) && !isKnown(file, one) && !this.#isPackage(file, one),
      );
      if (found === undefined) continue;
      const place = `${shown}: line ${lineAt(text, found.at)}`;
      return found.kind === 'computed' || found.kind === 'prefix'
        ? `${place} loads modules whose names are known only at run time`
        : `${place} may use it: name this file, too, and let it load the module at its top by a relative path`;
    }
    return undefined;
  }

  mayReach(from: string, to: string): boolean {
    this.isAsked = true;
    const target = resolve(to);
    const seen = new Set<string>();
    const visit = (file: string): boolean => {
      if (file === target) return true;
      if (seen.has(file)) return false;
      seen.add(file);
      return this.#list(file).some(({ kind, source }) => {
        if (kind === 'name') return /^(@\/|[~#]|src\/)/.test(source);
        if (kind !== 'path') return false;
        const found = listCandidates(file, source).filter((path) => this.#texts.has(path));
        return found.some(visit);
      });
    };
    return visit(resolve(from));
  }

  loads(file: string, path: string): boolean {
    const target = resolve(path);
    return this.#list(resolve(file)).some(
      (one) => one.kind === 'path' && mayMean(resolve(file), one, target, nameOfModule(target)),
    );
  }

  isOnePackage(one: string, other: string): boolean {
    return this.#findPackage(one) === this.#findPackage(other);
  }

  /** Whether a name is that of a package on which the package of a file depends. */
  #isPackage(file: string, { kind, source }: Specifier): boolean {
    const manifest = this.#findPackage(file)?.manifest;
    if (kind !== 'name' || manifest === undefined) return false;
    const name = /^(@[^/]*\/)?[^/]*/.exec(source)![0];
    return listDependencies(manifest).includes(name);
  }

  #findPackage(path: string): PackageFolder | undefined {
    return this.#packages
      .filter(({ folder }) => resolve(path).startsWith(folder + sep))
      .sort((a, b) => b.folder.length - a.folder.length)[0];
  }

  hasFile(path: string): boolean {
    this.isAsked = true;
    return this.#texts.has(resolve(path));
  }

  findOther(accepts: (text: string) => boolean): string | undefined {
    this.isAsked = true;
    const others = [...this.#texts.values()].filter(({ path, isGiven }) => !isGiven && !TEST.test(path));
    return others.find(({ text }) => accepts(text))?.path;
  }

  #list(file: string): readonly Specifier[] {
    const known = this.#specifiers.get(file) ?? listSpecifiers(this.#texts.get(file)?.text ?? '');
    this.#specifiers.set(file, known);
    return known;
  }
}

/** The files that a relative path may mean: as it is, with an ending, TypeScript for JavaScript, or the index of a folder. */
function listCandidates(from: string, source: string): string[] {
  const base = resolve(dirname(from), source);
  const typed = /\.([cm]?)js(x?)$/.exec(base);
  const stem = typed === null ? base : base.slice(0, -typed[0].length);
  return [
    base,
    ...(typed === null ? [] : [`${stem}.${typed[1]}ts${typed[2]}`, `${stem}.tsx`]),
    ...ENDINGS.map((ending) => base + ending),
    ...ENDINGS.map((ending) => join(base, `index${ending}`)),
  ];
}

function isIndex(path: string): boolean {
  return nameOfFile(path) === 'index';
}

function nameOfFile(path: string): string {
  return basename(path).replace(/\.[cm]?[jt]sx?$/, '');
}

/** The name under which a module is loaded: that of its file, or of its folder for an index. */
function nameOfModule(path: string): string {
  return isIndex(path) ? basename(dirname(path)) : nameOfFile(path);
}

function mayMean(file: string, { kind, source }: Specifier, target: string, name: string): boolean {
  if (kind === 'computed') return true;
  if (kind === 'name') return nameOfModule(source) === name;
  if (kind === 'path') return listCandidates(file, source).includes(target);
  return target.startsWith(resolve(dirname(file), source.replace(/[^/]*$/, '')) + sep);
}

/** Whether `package.json` names a file as one that others load, also by what a compiler makes of it. */
function isEntry({ folder, manifest }: PackageFolder, target: string): boolean {
  if (manifest === undefined || !target.startsWith(folder + sep)) return false;
  const path = relative(folder, target);
  const keys = ['main', 'module', 'browser', 'types', 'typings', 'exports', 'imports', 'source'];
  const entries = keys.flatMap((key) => listTexts(manifest[key]));
  if (manifest.main === undefined && manifest.exports === undefined) entries.push('./index');
  const own = trimEntry(path);
  return entries.some((entry) => {
    if (entry.includes('*')) return true;
    const other = trimEntry(entry);
    return entry === './index' ? nameOfEntry(path) === 'index' : other === own || `${other}/index` === own;
  });
}

/** The names of the packages on which a package depends. */
export function listDependencies(manifest: NonNullable<PackageFolder['manifest']>): string[] {
  const keys = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
  return keys.flatMap((key) => {
    const value = manifest[key];
    return typeof value === 'object' && value !== null ? Object.keys(value) : [];
  });
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : [];
}

function nameOfEntry(path: string): string {
  return path.replace(/^\.\//, '').replace(/(\.d)?\.[cm]?[jt]sx?$/, '');
}

/** A path without its ending and without folders of sources and of what is made of them. */
function trimEntry(path: string): string {
  const parts = nameOfEntry(path).split(/[/\\]/);
  while (parts.length > 1 && MADE.has(parts[0]!)) parts.shift();
  return parts.join('/');
}
