import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';

type Module = Readonly<Record<string, unknown>>;

/** Loads packages from where the application finds them. */
export interface Application {
  /** @throws HdrscopeError `ERR_INVALID_OPTION` when the package cannot be loaded; its cause says why. */
  load(specifier: string): Module;
  /** Loads a package that another one depends on. */
  loadFrom(owner: string, specifier: string): Module;
  /** The path of a module that another package depends on; `undefined` when it is not there. */
  resolveFrom(owner: string, specifier: string): string | undefined;
  /**
   * Whether packages may be loaded by ES modules: by its main module, as its name, its package.json or its text says, or by NestJS,
   * which has been ES modules since version 12, also for programs that are CommonJS.
   */
  readonly mayBeEsModule: boolean;
  /** The folder of its package.json, else the working directory. */
  readonly folder: string;
  /** The names in `dependencies` of its package.json. */
  readonly dependencies: readonly string[];
}

const NEST = '@nestjs/core';

/**
 * The application of this process: the main module and its folder, and the working directory, which counts for commands such
 * as `next`, and for programs that a bundler has written elsewhere.
 *
 * @param main The path of the main module.
 */
export function findApplication(main: string | undefined, workingDirectory: string): Application {
  const folders = [...(main === undefined ? [] : [dirname(realPath(main))]), workingDirectory];
  const places = [...folders.map((folder) => join(folder, 'index.js')), import.meta.url];
  const load = (specifier: string, from: readonly string[]): Module => {
    let cause: unknown;
    for (const place of from) {
      try {
        return createRequire(place)(specifier) as Module;
      } catch (error) {
        // A package that is there and fails says more than one that is not there.
        if (cause === undefined || !isMissing(error)) cause = error;
      }
    }
    throw new HdrscopeError('ERR_INVALID_OPTION', `${specifier} cannot be loaded`, { cause });
  };
  const resolve = (specifier: string, from: readonly string[]): string[] =>
    from.flatMap((place) => {
      try {
        return [createRequire(place).resolve(specifier)];
      } catch {
        return [];
      }
    });
  const isEsModule = (name: string): boolean => {
    if (!folders.some((folder) => dependenciesAt(folder).includes(name))) return false;
    const [path] = resolve(name, places);
    return path !== undefined && manifestAt(dirname(path), () => true)?.manifest.type === 'module';
  };
  return {
    load: (specifier) => load(specifier, places),
    loadFrom: (owner, specifier) => load(specifier, [...resolve(owner, places), ...places]),
    resolveFrom: (owner, specifier) => resolve(specifier, [...resolve(owner, places), ...places])[0],
    get mayBeEsModule() {
      return (main !== undefined && mayBeEsModule(realPath(main))) || isEsModule(NEST);
    },
    get folder() {
      return folders.map(packageFolder).find((folder) => folder !== undefined) ?? workingDirectory;
    },
    get dependencies() {
      return [...new Set(folders.flatMap(dependenciesAt))];
    },
  };
}

function isMissing(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === 'MODULE_NOT_FOUND';
}

interface Manifest {
  readonly dependencies?: object;
  readonly type?: unknown;
}

/** The dependencies in the nearest package.json that is not that of an installed package. */
function dependenciesAt(folder: string): string[] {
  return Object.keys(manifestAt(folder, isOfApplication)?.manifest.dependencies ?? {});
}

/** The folder of the nearest package.json that is not that of an installed package. */
function packageFolder(folder: string): string | undefined {
  return manifestAt(folder, isOfApplication)?.at;
}

function isOfApplication(folder: string): boolean {
  return !/[\\/]node_modules([\\/]|$)/.test(folder);
}

/** The nearest package.json of a folder that `counts` and that can be read. */
function manifestAt(
  folder: string,
  counts: (folder: string) => boolean,
): { readonly at: string; readonly manifest: Manifest } | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (counts(at)) {
      try {
        return { at, manifest: JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Manifest };
      } catch {
        // This folder has no package.json that can be read.
      }
    }
    if (dirname(at) === at) return undefined;
  }
}

/** https://nodejs.org/api/packages.html#determining-module-system */
function mayBeEsModule(main: string): boolean {
  const extension = extname(main);
  if (extension === '.mjs' || extension === '.mts') return true;
  if (extension === '.cjs' || extension === '.cts') return false;
  const type = manifestAt(dirname(main), () => true)?.manifest.type;
  if (type !== undefined) return type === 'module';
  return /^[ \t]*(import|export)\b/m.test(textOf(main));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const MANAGERS =
  /^(npm|npx|pnpm|pnpx|yarn|corepack|yarnpkg)(-cli)?(-[\d.]+)?\.[cm]?js$|^(npm|npx|pnpm|yarn|corepack)$/;

/**
 * Whether the process is a package manager, which starts the application as a child. With `NODE_OPTIONS` it loads
 * `register` too, and would take the port of the application.
 */
export function isPackageManager(main: string | undefined): boolean {
  return main !== undefined && MANAGERS.test(basename(realPath(main)));
}
