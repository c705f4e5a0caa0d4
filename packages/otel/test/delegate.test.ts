import { delegate } from '../src/delegate.ts';

class Counter {
  #count = 0;
  label = 'counter';

  static readonly kind = 'Counter';

  increment(by = 1): number {
    this.#count += by;
    return this.#count;
  }

  get count(): number {
    return this.#count;
  }

  set count(count: number) {
    this.#count = count;
  }

  self(): this {
    return this;
  }
}

test('a delegate has its own members and takes all others from the target', () => {
  const target = new Counter();
  const counter = delegate(target, { self: () => 'replaced' });
  expect(counter.self()).toBe('replaced');
  expect(target.self()).toBe(target);
  expect(counter.label).toBe('counter');
});

test('methods, getters and setters of a delegate reach private state of the target', () => {
  const target = new Counter();
  const counter = delegate(target, {});
  expect(counter.increment(2)).toBe(2);
  counter.count = 5;
  expect([counter.count, target.count]).toEqual([5, 5]);
  const { increment } = counter;
  expect(increment()).toBe(6);
});

test('a delegate is an instance of the classes of its target', () => {
  const counter = delegate(new Counter(), {});
  expect(counter).toBeInstanceOf(Counter);
  expect('increment' in counter).toBe(true);
  expect('other' in counter).toBe(false);
});

test('writing to a delegate writes to the target', () => {
  const target = new Counter();
  const counter = delegate(target, {});
  counter.label = 'changed';
  expect(target.label).toBe('changed');
  expect(Object.keys(counter)).toEqual(['label']);
});

test('a delegate has members that the target gets later', () => {
  const target: Counter & { bind2?: () => string } = new Counter();
  const counter = delegate(target, {});
  target.bind2 = () => 'new';
  expect(counter.bind2?.()).toBe('new');
});

test('a delegate can be the target of another delegate', () => {
  const twice = delegate(delegate(new Counter(), { increment: () => -1 }), { self: () => 'own' });
  expect([twice.increment(), twice.self(), twice.count]).toEqual([-1, 'own', 0]);
  expect(twice).toBeInstanceOf(Counter);
});

test('members that every object has do not hide those of the target', () => {
  const counter = delegate(new Counter(), {});
  expect(`${counter}`).toBe('[object Object]');
  expect(Object.hasOwn(counter, 'label')).toBe(true);
});

test('a delegate can replace members of a frozen target', () => {
  const target = Object.freeze({ name: 'frozen', greet: () => 'hello', replace: () => 'old' });
  const object = delegate(target, { replace: () => 'new' });
  expect([object.name, object.greet(), object.replace()]).toEqual(['frozen', 'hello', 'new']);
});
