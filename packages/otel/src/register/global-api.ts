import type { ContextManager, MeterProvider } from '@opentelemetry/api';

/** What the copies of `@opentelemetry/api` in a process share, as far as `register` reads it. */
export interface GlobalApi {
  metrics?: MeterProvider | undefined;
  context?: ContextManager | undefined;
}

const KEY = Symbol.for('opentelemetry.js.api.1');

/** Where `register` hears of providers, and gives its own. */
export interface ApiHook {
  /**
   * Gives providers that any other party may replace, although the API refuses a second registration.
   *
   * @param register Registers them with the application's copy of the API.
   * @param onReplaced Called once, with the meter provider that another party registers.
   */
  give(ours: GlobalApi, register: () => void, onReplaced: (theirs: MeterProvider) => void): void;
}

/**
 * Hears of each meter provider that any copy of the API registers: bundled copies too, since all of them share one object of
 * the global scope.
 *
 * @param replacement The provider that is registered in place of the given one. `isEarlier` when it was there before the hook.
 */
export function hookGlobalApi(
  replacement: (provider: MeterProvider, isEarlier: boolean) => MeterProvider,
): ApiHook {
  const scope = globalThis as { [KEY]?: GlobalApi | undefined };
  let ours: GlobalApi = {};
  let onReplaced: Parameters<ApiHook['give']>[2] = () => {};
  // A registration assigns the shared object to its global, and then reads what is registered already. Nothing else assigns it.
  let isRegistering = false;

  /** Shows our member to all who read it, and not to a registration, which would refuse to replace it. */
  const show = (api: GlobalApi, name: keyof GlobalApi): void => {
    Object.defineProperty(api, name, {
      configurable: true,
      enumerable: true,
      get: () => (isRegistering ? undefined : ours[name]),
      set: (other) => set(api, name, other),
    });
  };
  const keep = (api: GlobalApi, name: keyof GlobalApi, value: unknown): void => {
    Object.defineProperty(api, name, { configurable: true, enumerable: true, writable: true, value });
  };
  const set = (api: GlobalApi, name: keyof GlobalApi, value: unknown): void => {
    if (value !== undefined && value === ours[name]) show(api, name);
    else if (name === 'context') keep(api, name, value);
    else {
      const theirs = replacement(value as MeterProvider, false);
      keep(api, name, theirs);
      if (ours.metrics !== undefined) {
        ours = {};
        makePlain(scope[KEY]);
        onReplaced(theirs);
      }
    }
  };
  const makePlain = (value: unknown): void => {
    Object.defineProperty(scope, KEY, { configurable: true, enumerable: true, writable: true, value });
  };
  /** A member of its own hides these, until `disable` of the API deletes it. */
  const adopt = (api: GlobalApi): void => {
    const members = Object.fromEntries(
      (['metrics', 'context'] as const).map((name) => [
        name,
        {
          get: () => undefined,
          set(this: GlobalApi, value: unknown) {
            set(this, name, value);
          },
        },
      ]),
    );
    Object.setPrototypeOf(api, Object.create(Object.getPrototypeOf(api), members));
  };

  let api = scope[KEY];
  if (api !== undefined) {
    adopt(api);
    if (api.metrics !== undefined) keep(api, 'metrics', replacement(api.metrics, true));
  }
  Object.defineProperty(scope, KEY, {
    configurable: true,
    enumerable: true,
    get: () => {
      isRegistering = false;
      return api;
    },
    set: (next: GlobalApi) => {
      isRegistering = true;
      if (next === api) return;
      api = next;
      adopt(api);
    },
  });
  return {
    give(given, register, whenReplaced) {
      ours = given;
      onReplaced = whenReplaced;
      register();
      if (api !== undefined && !Object.hasOwn(api, 'context')) show(api, 'context');
    },
  };
}
