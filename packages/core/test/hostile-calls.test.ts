import * as core from '../src/index.ts';
import { JointHistogram } from '../src/joint.ts';

const {
  BasicHistogram,
  DoubleHistogram,
  DoubleRecorder,
  Histogram,
  HdrscopeError,
  LayoutHistogram,
  Recorder,
  explicitLayout,
} = core;

/** Arguments that a program without types may pass. */
const ARGUMENTS: readonly unknown[] = [
  undefined,
  null,
  Number.NaN,
  -1,
  0.5,
  10n,
  2n ** 70n,
  'text',
  '',
  true,
  Symbol('s'),
  {},
  { length: 2 },
  { layout: {}, counts: {} },
  [],
  [null],
  () => 1,
  new Uint8Array(3),
  new Histogram(),
  new DoubleHistogram(),
];

/** Methods for subclasses. */
const PROTECTED: readonly string[] = [
  'axisDifference',
  'clear',
  'forget',
  'layoutChanged',
  'over',
  'reach',
  'recordAll',
];

/** The names of all methods that an object inherits. */
function methodsOf(target: object): string[] {
  const names = new Set<string>();
  for (let from = target; from !== Object.prototype && from !== Function.prototype; ) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(from))) {
      if (typeof value === 'function' && name !== 'constructor' && !PROTECTED.includes(name)) names.add(name);
    }
    from = Object.getPrototypeOf(from);
  }
  return [...names];
}

/** Calls a method with each argument and with pairs of them. Every error must be an `HdrscopeError`. */
function expectNoOtherError(call: (...args: unknown[]) => unknown): void {
  for (const first of ARGUMENTS) {
    for (const second of [3, ...ARGUMENTS]) {
      try {
        const result = call(first, second);
        // An iteration checks its arguments at once, and computes later.
        if (typeof (result as Iterator<unknown>)?.next === 'function') (result as Iterator<unknown>).next();
      } catch (error) {
        if (error instanceof HdrscopeError) continue;
        throw new Error(`threw ${error} for ${String(first)}, ${String(second)}`, { cause: error });
      }
    }
  }
}

const layout = explicitLayout([0.1, 0.5]);
const made: Readonly<Record<string, () => object>> = {
  Histogram: () => new Histogram(),
  'Histogram.exact': () => new Histogram().exact,
  BasicHistogram: () => new BasicHistogram(),
  DoubleHistogram: () => new DoubleHistogram(),
  LayoutHistogram: () => new LayoutHistogram(layout),
  JointHistogram: () => new JointHistogram([{ name: 'seconds', layout }]),
  Recorder: () => new Recorder(),
  DoubleRecorder: () => new DoubleRecorder(),
};

const methods = Object.entries(made).flatMap(([name, make]) =>
  methodsOf(make()).map((method) => [name, method, make] as const),
);

test.each(methods)('%s.%s refuses arguments with an HdrscopeError only', (_name, method, make) => {
  const target = make() as Record<string, (...args: unknown[]) => unknown>;
  (target.record as ((value: number) => void) | undefined)?.(1);
  expectNoOtherError((...args) => target[method]!(...args));
});

const statics = [Histogram, DoubleHistogram, LayoutHistogram].flatMap((type) =>
  methodsOf(type).map((method) => [type.name, method, type] as const),
);

test.each(statics)('%s.%s, which is static, does so too', (_name, method, type) => {
  const target = type as unknown as Record<string, (...args: unknown[]) => unknown>;
  expectNoOtherError((...args) => target[method]!(...args));
});

const classes = Object.values(made)
  .map((make) => make().constructor as new (...args: unknown[]) => object)
  .filter(({ name }) => name !== 'ReadingOf');

test.each(classes.map((type) => [type.name, type] as const))(
  'new %s refuses arguments with an HdrscopeError only',
  (_name, type) => expectNoOtherError((...args) => new type(...args)),
);

/** For callers who have counts over a layout already. */
const UNCHECKED: readonly string[] = ['countedIn', 'increase'];

const functions = Object.entries(core).filter(
  ([name, value]) => typeof value === 'function' && !/^[A-Z]/.test(name) && !UNCHECKED.includes(name),
) as [string, (...args: unknown[]) => unknown][];

test.each(functions)('%s refuses arguments with an HdrscopeError only', (_name, call) => {
  expectNoOtherError(call);
});
