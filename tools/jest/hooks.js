import { pathToFileURL } from 'node:url';

/** @typedef {{ url: string }} Resolved */
/** @typedef {{ parentURL?: string }} Context */

/** The folder of the packages of OpenTelemetry 3, which are not part of the workspace. */
const OUTSIDE = JSON.parse(process.env.HDRSCOPE_INSTALLED_PEERS ?? '{}')['opentelemetry-3'];

/**
 * Finds the modules of tests. What a test file imports from the folder `test` is loaded anew for each file, since it may
 * call `afterAll` and hold state; its address has the number of the file.
 *
 * @param {string} specifier
 * @param {Context} context
 * @param {(specifier: string, context: Context) => Promise<Resolved>} next
 */
export async function resolve(specifier, context, next) {
  if (/^(sdk-metrics|exporter-prometheus)-3$/.test(specifier) && OUTSIDE !== undefined)
    return next(specifier, { ...context, parentURL: pathToFileURL(`${OUTSIDE}/`).href });
  const resolved = await next(specifier, context);
  const file = /\?file=\d+$/.exec(context.parentURL ?? '');
  return file === null || !/\/test\/[^?]*$/.test(resolved.url)
    ? resolved
    : { ...resolved, url: `${resolved.url}${file[0]}` };
}
