import {
  custom,
  filledText,
  number,
  oneOf,
  optional,
  type RulesFor,
  readOptions,
  type SettingsOf,
  withDefault,
} from '../options.ts';
import { areAscending, type KnownFacts } from './part.ts';

/** Options of a `HistogramSum`. */
export interface HistogramSumOptions {
  /** The unit of the values, such as `'s'` or `'By'`. @default that of the first addition which states one */
  readonly unit?: string;
  /** How counts of HDR layouts are stored: see `Histogram`. `'sparse'` is for many sums. @default 'dense' */
  readonly storage?: 'dense' | 'sparse';
}

const SUM = {
  name: 'HistogramSum',
  rules: {
    unit: /* @__PURE__ */ optional(/* @__PURE__ */ filledText()),
    storage: /* @__PURE__ */ withDefault(/* @__PURE__ */ oneOf(['dense', 'sparse']), 'dense'),
  },
  call: "new HistogramSum({ unit: 's' })",
};

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function readSumOptions(options: HistogramSumOptions): {
  readonly unit: string | undefined;
  readonly storage: 'dense' | 'sparse';
} {
  return readOptions<HistogramSumOptions, typeof SUM.rules>(options, SUM);
}

/** Options of `HistogramSum.add`: what is known beyond the slots, and the unit of the values. */
export interface AddOptions extends KnownFacts {
  /** The unit of the values, such as `'s'` or `'By'`, after `scale`. A sum has values of one unit. @default that of the sum */
  readonly unit?: string;
  /** One unit of the layout in the unit of the sum: 1e-9 adds nanoseconds to seconds. Above 0 and finite. @default 1 */
  readonly scale?: number;
}

const ADD_RULES: RulesFor<AddOptions, keyof AddOptions> = {
  sum: /* @__PURE__ */ optional(/* @__PURE__ */ number()),
  min: /* @__PURE__ */ optional(/* @__PURE__ */ number()),
  max: /* @__PURE__ */ optional(/* @__PURE__ */ number()),
  within: /* @__PURE__ */ optional(
    /* @__PURE__ */ custom('an array of { limit, count }, ascending by limit', areAscending),
  ),
  unit: /* @__PURE__ */ optional(/* @__PURE__ */ filledText()),
  scale: /* @__PURE__ */ optional(/* @__PURE__ */ number({ above: 0 })),
};

const ADD = { name: 'add', rules: ADD_RULES, call: "sum.add(histogram, { unit: 's', max: 1.5 })" };

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function readAddOptions(options: AddOptions = {}): SettingsOf<AddOptions, typeof ADD_RULES> {
  return readOptions<AddOptions, typeof ADD_RULES>(options, ADD);
}
