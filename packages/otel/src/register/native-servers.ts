import { notice } from './notice.ts';

/** The object of a runtime, such as `Bun`. */
interface Runtime {
  serve?: (...args: unknown[]) => unknown;
}

/** Warns when the application serves requests by `Bun.serve` or `Deno.serve`, where no instrumentation sees them. */
export function watchNativeServers(): void {
  for (const name of ['Bun', 'Deno']) {
    const runtime = (globalThis as Readonly<Record<string, unknown>>)[name] as Runtime | undefined;
    const serve = runtime?.serve;
    if (runtime === undefined || serve === undefined) continue;
    runtime.serve = function (this: unknown, ...args) {
      if (!isOfNodeHttp(args)) {
        notice(
          'HDRSCOPE_NO_INSTRUMENTATION',
          `requests of ${name}.serve are not measured: serve them with node:http, or record their durations in a histogram of your own`,
        );
      }
      return serve.apply(this, args);
    };
  }
}

/** `node:http` of Bun serves by `Bun.serve`, with an option of its own. */
function isOfNodeHttp([options]: readonly unknown[]): boolean {
  return Object.hasOwn(Object(options) as object, 'onNodeHTTPRequest');
}
