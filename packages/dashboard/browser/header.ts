import { button, type Choice, choice, h, setAttribute, setText } from '@hdrscope/page/dom';
import type { Zone } from '@hdrscope/plot/internal';
import { timeText } from './clock.ts';
import type { Liveness } from './liveness.ts';

/** Reacts to what people do in the head of the page. */
export interface HeaderListeners {
  onPause(): void;
  onUtc(isUtc: boolean): void;
  /** The address is about to be copied. */
  onLink(): void;
}

const COPIED_MS = 2000;

/** What screen readers say in place of a text that changes all the time. */
const SPOKEN: Partial<Record<Liveness['kind'], string>> = {
  late: 'The server sends no updates',
  reading: 'The server is reading the record',
};

/** The head of the page: its title, how new its data are, and settings. */
export class Header {
  readonly element: HTMLElement;
  readonly #title = h('h1', {}, 'hdrscope');
  readonly #clock = h('p', { class: 'clock' });
  readonly #status = h('p', { class: 'status', 'data-state': 'connecting' }, 'Connecting…');
  /** The status without an age: screen readers do not count seconds. */
  readonly #spoken = h('p', { class: 'hidden-text', role: 'status' });
  readonly #pause: HTMLButtonElement;
  readonly #zones: Choice<'local' | 'utc'>;

  /**
   * @param tabs Stands beside the title.
   * @param settings Stands at the right end.
   */
  constructor(tabs: HTMLElement, settings: readonly HTMLElement[], listeners: HeaderListeners) {
    this.#pause = button('Pause', () => listeners.onPause(), {
      class: 'pause',
      title: 'Pause or resume (p)',
    });
    this.#zones = choice<'local' | 'utc'>('Times', { local: 'Local', utc: 'UTC' }, 'local', (zone) =>
      listeners.onUtc(zone === 'utc'),
    );
    const copy = (): void => {
      listeners.onLink();
      void this.#copy(link);
    };
    const link = button('Copy link', copy, {
      title: 'Copy the address of what the page shows now',
    });
    const right = h('div', { class: 'right' }, this.#clock, this.#status, this.#spoken, this.#pause);
    right.append(link, this.#zones.element);
    for (const one of settings) right.append(one);
    this.element = h('header', { class: 'page' }, this.#title, tabs, right);
  }

  show(title: string, timeMs: number, isRecord: boolean, zone: Zone): void {
    setText(this.#title, title);
    if (document.title !== title) document.title = title;
    setText(this.#clock, timeMs === 0 || isRecord ? '' : timeText(timeMs, zone));
    this.#pause.hidden = isRecord;
    this.#zones.press(zone.name === 'UTC' ? 'utc' : 'local');
  }

  showStatus({ kind, text }: Liveness, isPaused: boolean): void {
    setText(this.#status, text);
    setAttribute(this.#status, 'data-state', kind);
    setText(this.#spoken, SPOKEN[kind] ?? text);
    setText(this.#pause, isPaused ? 'Resume' : 'Pause');
    setAttribute(this.#pause, 'aria-pressed', String(isPaused));
    this.#clock.hidden = isPaused;
  }

  async #copy(link: HTMLButtonElement): Promise<void> {
    const isCopied = await copied(location.href);
    setText(link, isCopied ? 'Copied' : 'Copy it from the address bar');
    window.setTimeout(() => setText(link, 'Copy link'), COPIED_MS);
  }
}

/** Copies a text. Pages that came without TLS from another machine may not use the clipboard. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = h('textarea', { 'aria-hidden': 'true' }, text);
    field.style.position = 'fixed';
    field.style.opacity = '0';
    document.body.append(field);
    field.select();
    const isDone = document.execCommand('copy');
    field.remove();
    return isDone;
  }
}
