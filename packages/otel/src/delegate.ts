/**
 * Makes an object that behaves as `target` except for a few members of its own. `instanceof`, private state and members
 * that a later version of the API may add all reach the target.
 */
export function delegate<Target extends object>(
  target: Target,
  own: Partial<Record<keyof Target, unknown>>,
): Target {
  // A proxy of the target itself could not replace members of a frozen target.
  return new Proxy(Object.create(target) as Target, {
    get(_, property) {
      if (Object.hasOwn(own, property)) return own[property as keyof Target];
      const value: unknown = Reflect.get(target, property, target);
      // Methods that read private fields would not find them on a proxy.
      return typeof value === 'function' ? value.bind(target) : value;
    },
    ownKeys: () => Reflect.ownKeys(target),
    getOwnPropertyDescriptor(_, property) {
      const descriptor = Reflect.getOwnPropertyDescriptor(target, property);
      // A proxy must report a property that its own target lacks as configurable.
      return descriptor && { ...descriptor, configurable: true };
    },
    set: (_, property, value) => Reflect.set(target, property, value, target),
  });
}
