import { h } from '@hdrscope/page/dom';

/** The parts of the page. */
export interface PageParts {
  readonly header: HTMLElement;
  /** Sentences about the whole page. */
  readonly notices: readonly HTMLElement[];
  readonly timeline: HTMLElement;
  readonly why: HTMLElement;
  readonly live: HTMLElement;
  /** Sentences about the picked row, below the table. */
  readonly rowNotices: readonly HTMLElement[];
  /** What comes below the table: the picked row, a tab, files. */
  readonly details: readonly HTMLElement[];
  /** Sentences at the end of the page. */
  readonly endNotes: readonly HTMLElement[];
}

const KEYS =
  'Keys: / searches, arrows pick a row, Enter goes to its charts, c compares with it, w explains the change';

/** Puts the parts of the page together. */
export function layOutPage(parts: PageParts): HTMLElement {
  const { header, notices, timeline, why, live, rowNotices, details, endNotes } = parts;
  // Bounded: the parts are those of one page.
  const main = h('main', {}, ...notices, timeline, why, live, ...rowNotices, ...details);
  // A phone has room for what changed and the first rows, or for the timeline.
  const phone = window.matchMedia('(max-width: 600px)');
  const placeTimeline = (): void => {
    if (phone.matches) live.after(timeline);
    else why.before(timeline);
  };
  phone.addEventListener('change', placeTimeline);
  placeTimeline();
  const keys = h('p', { class: 'keys' }, KEYS, h('span', { class: 'pause-key' }, ', p pauses'));
  // Bounded: a page ends with a few notes.
  return h('div', { class: 'app' }, header, main, h('footer', {}, ...endNotes, keys));
}
