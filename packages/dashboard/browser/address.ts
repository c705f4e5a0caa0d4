import { NO_QUESTION, type Question, questionOf, questionParams } from '../src/question.ts';
import { type Sorting, type SortKey, type Span, VALUE_NAMES } from './state.ts';

/** The choices of the reader. The address has them after `#`, so a link shows the same to somebody else. */
export interface PageView {
  readonly question: Question;
  readonly search: string;
  readonly span: Span;
  readonly sorting: Sorting;
  /** Whether the whole explanation is shown, and not its first line alone. */
  readonly isWhyOpen: boolean;
  /** Whether times are in UTC; `undefined` when the address does not say, so that the reader's choice holds. */
  readonly isUtc: boolean | undefined;
}

const BY_CHANGE: Sorting = { key: 'change', isDescending: true };

/** The view of a page that was just opened. */
export const FIRST_VIEW: PageView = {
  question: NO_QUESTION,
  search: '',
  span: 'all',
  sorting: BY_CHANGE,
  isWhyOpen: false,
  isUtc: undefined,
};

/** A view as the part of an address after `#`; empty for the first view. */
export function addressOf({ question, search, span, sorting, isWhyOpen, isUtc }: PageView): string {
  const params = questionParams(question);
  if (search !== '') params.set('q', search);
  if (span !== 'all') params.set('span', span);
  const { key, isDescending } = sorting;
  if (key !== 'change') params.set('sort', `${isDescending ? '-' : ''}${sortName(key)}`);
  if (isWhyOpen) params.set('explain', '1');
  if (isUtc !== undefined) params.set('utc', isUtc ? '1' : '0');
  return params.toString();
}

/** The view of an address. Parts that cannot be read are left out. */
export function viewOfAddress(hash: string): PageView {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  const utc = params.get('utc');
  return {
    question: questionOf(params),
    search: params.get('q') ?? '',
    span: params.get('span') === 'last' ? 'last' : 'all',
    sorting: sortingOf(params.get('sort') ?? ''),
    isWhyOpen: params.get('explain') === '1',
    isUtc: utc === '1' ? true : utc === '0' ? false : undefined,
  };
}

function sortName(key: SortKey): string {
  return typeof key === 'number' ? VALUE_NAMES[key]! : key;
}

function sortingOf(text: string): Sorting {
  const isDescending = text.startsWith('-');
  const name = isDescending ? text.slice(1) : text;
  const value = VALUE_NAMES.indexOf(name);
  if (value >= 0) return { key: value as SortKey, isDescending };
  const isKnown = name === 'name' || name === 'count' || name === 'rate' || /^@./.test(name);
  return isKnown ? { key: name as SortKey, isDescending } : BY_CHANGE;
}

/** The question that the page sends to the server. A tab shows no series, and a row is not compared with itself. */
export function askedOf(question: Question): Question {
  const { tab, pick, other } = question;
  if (tab !== undefined) return { ...NO_QUESTION, tab };
  return other !== undefined && other === pick ? { ...question, other: undefined } : question;
}

/** The address of a file with what a question shows: rows as CSV, or the picked row as percentile text. */
export function exportAddress(question: Question, format: 'csv' | 'hgrm'): string {
  const params = questionParams(question);
  params.set('format', format);
  return `export?${params}`;
}

/** A question as the server repeats it in its answers. */
export function questionText(question: Question): string {
  return questionParams(questionOf(questionParams(question))).toString();
}

/** The parts of a question on which its rows depend. Two questions with the same parts have the same rows. */
export function rowsQuestion(question: string): string {
  const { range, by, where } = questionOf(new URLSearchParams(question));
  return questionParams({ range, by, where, objectives: [] }).toString();
}
