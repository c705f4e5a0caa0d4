import * as module from 'node:module';
import { createRequire, isBuiltin, register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { reasonOf } from '@hdrscope/kit';
import type { EnvironmentVariables } from '../environment.ts';
import type { Application } from './application.ts';
import { notice } from './notice.ts';

/** An instrumentation package that was started, and the modules that it patches. */
export interface PatchedModules {
  readonly owner: string;
  readonly modules: readonly string[];
}

/**
 * Lets instrumentations patch packages that ES modules import. Node.js asks the hook of OpenTelemetry about each import; the hook wraps
 * the packages that instrumentations patch, and no others. In Node.js before 22.22.3 and 24.11.1 it costs a thread, so a program that is
 * CommonJS does without it, and so does one whose instrumentations patch modules of Node.js alone, which `patchBuiltins` gives to ES
 * modules.
 *
 * https://github.com/open-telemetry/opentelemetry-js/blob/main/doc/esm-support.md
 */
export function hookEsModules(
  patched: readonly PatchedModules[],
  application: Application,
  environment: EnvironmentVariables,
): void {
  // Other threads share the hooks of the main one. With these hooks, Deno reads a CommonJS package as something else, and ends.
  if (!isMainThread || !application.mayBeEsModule || 'Deno' in globalThis) return;
  const options = [...process.execArgv, environment.NODE_OPTIONS ?? ''].join(' ');
  if (options.includes(HOOK)) return;
  // Packages may have copies of the hook, and a patch is known to its own copy only.
  const namesByHook = new Map<string, string[]>();
  for (const { owner, modules } of patched) {
    const names = modules.filter((name) => !isBuiltin(name));
    const path = names.length > 0 ? application.resolveFrom(owner, HOOK) : undefined;
    if (path !== undefined) namesByHook.set(path, [...(namesByHook.get(path) ?? []), ...names]);
  }
  for (const [path, include] of namesByHook) {
    try {
      if (!hookInThread(path, include)) register(pathToFileURL(path).href, { data: { include } });
    } catch (error) {
      notice('HDRSCOPE_FAILED', `packages that ES modules import are not instrumented: ${reasonOf(error)}`);
    }
  }
}

/**
 * Hooks in this thread, where Node.js and the package under OpenTelemetry's hook can: https://nodejs.org/api/module.html#synchronous-hooks
 *
 * @param hookPath The hook that would run in a thread of its own.
 */
function hookInThread(hookPath: string, include: readonly string[]): boolean {
  if (!('registerHooks' in module)) return false;
  try {
    const hooks = createRequire(hookPath)('import-in-the-middle/register-hooks.mjs') as {
      supportsSyncHooks(): boolean;
      register(options: { readonly include: readonly string[] }): void;
    };
    if (!hooks.supportsSyncHooks()) return false;
    hooks.register({ include });
    return true;
  } catch {
    // An older release, or a Node.js that cannot load an ES module at once.
    return false;
  }
}

const HOOK = '@opentelemetry/instrumentation/hook.mjs';
