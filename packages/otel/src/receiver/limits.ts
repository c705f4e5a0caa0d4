import { Budget, type JsonCosts } from '@hdrscope/kit';

// Costs in elements of the budget. Simple fields and packed numbers take less memory and time than messages and objects.
export const FIELD_COST: number = 1 / 8;
export const NUMBER_COST: number = 1 / 16;

/** What JSON costs. Keys that are all different take a microsecond each. */
export const JSON_COSTS: JsonCosts = { item: NUMBER_COST, key: 1 / 2 };

// Values in attributes may be nested 32 deep, and each takes up to four levels of JSON.
const MOST_LEVELS = 160;

/** The budget of one body after decompression. */
export function bodyBudget(maxElements: number): Budget {
  return new Budget('the body', { elements: maxElements, depth: MOST_LEVELS });
}
