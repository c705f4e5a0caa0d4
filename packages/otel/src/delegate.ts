/**
 * An object that is `target` in every respect but a few members: `instanceof`, private state and members that a later
 * version of the API may add all reach the target itself.
 */
export function delegate<Target extends object>(
  target: Target,
  own: Partial<Record<keyof Target, unknown>>,
): Target {
  // Not a proxy of the target itself: of a frozen one it would have to show every member unchanged.
  return new Proxy(Object.create(target) as Target, {
    get(_, property) {
      if (Object.hasOwn(own, property)) return own[property as keyof Target];
      const value: unknown = Reflect.get(target, property, target);
      // Methods that keep state in private fields would not find it on a proxy.
      return typeof value === 'function' ? value.bind(target) : value;
    },
    ownKeys: () => Reflect.ownKeys(target),
    getOwnPropertyDescriptor(_, property) {
      const descriptor = Reflect.getOwnPropertyDescriptor(target, property);
      // Of what it has not itself, a proxy may only say that it can be changed.
      return descriptor && { ...descriptor, configurable: true };
    },
    set: (_, property, value) => Reflect.set(target, property, value, target),
  });
}
