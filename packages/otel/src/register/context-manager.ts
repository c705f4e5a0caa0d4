import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, type ContextManager, ROOT_CONTEXT } from '@opentelemetry/api';

/**
 * Keeps the active context of each request, as the SDK's own manager does: by it an instrumentation of a framework gives the
 * route of a request to that of HTTP.
 */
export function contextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (context, work, thisArgument, ...args) =>
      storage.run(context, () => work.apply(thisArgument as never, args)),
    bind: (context, target) => {
      if (typeof target !== 'function') return target;
      const call = target as unknown as (this: unknown, ...args: unknown[]) => unknown;
      return function (this: unknown, ...args: unknown[]) {
        return storage.run(context, () => call.apply(this, args));
      } as unknown as typeof target;
    },
    enable: () => manager,
    disable: () => {
      storage.disable();
      return manager;
    },
  };
  return manager;
}
