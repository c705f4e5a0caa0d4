import { Budget } from '@hdrscope/kit';

/** One text of an answer can belong to all of its histograms, so each name and each set of labels has a limit. */
export const LONGEST_NAME = 1024;
/** The most characters of all labels of a histogram, with their names and quotes. */
export const LONGEST_LABELS = 16_384;
/** A slot of a histogram takes less memory than a line. */
export const SLOT_COST: number = 1 / 16;

/** Families, histograms, labels and exemplars become objects. Lines of text cost 1 more, and fields of protobuf a quarter. */
export const FAMILY_COST: number = 10;
export const HISTOGRAM_COST: number = 10;
export const LABEL_COST: number = 1;
export const EXEMPLAR_COST: number = 2;

/** 100,000 histograms with 15 buckets and 3 labels. All of this, of any kind, takes less than half a gigabyte. */
const MOST_ELEMENTS = 3_000_000;

/** The budget of one answer, whose bytes were counted when they came. */
export function answerBudget(): Budget {
  return new Budget('the answer', { elements: MOST_ELEMENTS });
}
