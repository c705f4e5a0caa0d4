// Copies of zod share their settings and descriptions by these globals. Ours keeps them to itself, so that it leaves no trace in the
// globals of an application, and the application's zod knows nothing of our schemas. This module runs before zod.

const NAMES = ['__zod_globalConfig', '__zod_globalRegistry'] as const;

const others = NAMES.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));
for (const name of NAMES) Reflect.deleteProperty(globalThis, name);

/** Gives the globals back that were there before zod was loaded. */
export function restoreGlobals(): void {
  for (const [at, name] of NAMES.entries()) {
    Reflect.deleteProperty(globalThis, name);
    const other = others[at];
    if (other !== undefined) Object.defineProperty(globalThis, name, other);
  }
}
