import { ChartGrid } from '@hdrscope/page/chart-card';
import type { Style } from '@hdrscope/page/charts';
import { button, h, setText } from '@hdrscope/page/dom';
import type { OpenedMessage } from '../src/messages.ts';

/** Sends files that are dropped on the page or picked to the server, and shows the plots that it makes of them. */
export class Files {
  /** Holds the plots of the files. */
  readonly element: HTMLElement = h('div', { class: 'files' });
  /** Opens the browser's dialogue for files. */
  readonly button: HTMLButtonElement;
  readonly #state = h('p', { class: 'file-state', role: 'status' });
  readonly #overlay = h(
    'div',
    { class: 'overlay', hidden: true },
    h('p', {}, 'Drop .hlog and .hgrm files to show them here'),
  );
  readonly #grids = new Set<ChartGrid>();
  readonly #style: () => Style;
  #isOn = false;

  /** @param style How charts are drawn now. */
  constructor(style: () => Style) {
    this.#style = style;
    const input = h('input', { type: 'file', multiple: true, hidden: true, 'aria-label': 'Files to open' });
    this.button = button('Open files', () => input.click(), { hidden: true });
    input.addEventListener('change', () => {
      this.#openAll(input.files);
      input.value = '';
    });
    this.element.append(this.#state, input);
    document.body.append(this.#overlay);
    this.#listen();
  }

  /** Whether the server takes files. */
  set isOn(isOn: boolean) {
    this.#isOn = isOn;
    this.button.hidden = !isOn;
  }

  /** Draws again, after a change of the theme or of the time zone. */
  draw(): void {
    for (const grid of this.#grids) grid.draw(this.#style());
  }

  #listen(): void {
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
    window.addEventListener('dragover', (event) => {
      if (!hasFiles(event)) return;
      // Keeps the browser from opening the file in place of the page.
      event.preventDefault();
      this.#overlay.hidden = !this.#isOn;
    });
    window.addEventListener('dragleave', (event) => {
      if (event.relatedTarget === null) this.#overlay.hidden = true;
    });
    window.addEventListener('drop', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      this.#overlay.hidden = true;
      if (this.#isOn) this.#openAll(event.dataTransfer?.files);
    });
  }

  async #openAll(files: FileList | null | undefined): Promise<void> {
    for (const file of [...(files ?? [])]) await this.#open(file);
  }

  async #open(file: File): Promise<void> {
    setText(this.#state, `Opening ${file.name}…`);
    this.#state.classList.remove('error');
    try {
      const response = await fetch(`open?${new URLSearchParams({ name: file.name })}`, {
        method: 'POST',
        body: file,
      });
      const answer = (await response.json()) as OpenedMessage | { readonly error: string };
      if ('error' in answer) this.#fail(answer.error);
      else this.#show(file.name, answer);
    } catch {
      this.#fail(`${file.name} could not be sent: the file may be too large, or the server may have stopped`);
    }
  }

  #fail(reason: string): void {
    setText(this.#state, reason);
    this.#state.classList.add('error');
  }

  #show(name: string, { plots }: OpenedMessage): void {
    const grid = new ChartGrid();
    const title = h('h2', { tabindex: '-1' }, h('b', {}, name));
    const close = (): void => {
      grid.show([], this.#style());
      this.#grids.delete(grid);
      section.remove();
      this.button.focus();
    };
    const section = h(
      'section',
      { class: 'detail', 'aria-label': name },
      h('header', {}, title, button('Close', close, { class: 'quiet', 'aria-label': `Close ${name}` })),
      grid.element,
    );
    this.#state.after(section);
    this.#grids.add(grid);
    grid.show(plots, this.#style(), name);
    setText(this.#state, plots.length === 0 ? `${name} has nothing to show` : '');
    title.focus({ preventScroll: true });
    section.scrollIntoView({ block: 'nearest' });
  }
}
