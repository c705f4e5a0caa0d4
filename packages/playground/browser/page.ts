/**
 * The page: takes files, and shows what the commands say of them. Nothing leaves the machine, because the policy of the page forbids requests.
 */
import { button, h, setChildren, setText } from '@hdrscope/page/dom';
import { themeSwitch } from '@hdrscope/page/theme';
import './page.css';
import { ComparisonPanel } from './comparison-panel.ts';
import { FilePanel, type PageFile } from './file-panel.ts';
import {
  askMetrics,
  FOLDER,
  type HistoryMetricJson,
  isParquet,
  type PageHistory,
  placeFiles,
} from './history.ts';
import { HistoryPanel } from './history-panel.ts';
import { isOneFile, loadExamples } from './parts.ts';
import { drawFailure } from './results.ts';
import { type Progress, Runner } from './runner.ts';
import type { Inspected } from './views.ts';

/** The examples, so that the page has them before their part is loaded. */
const EXAMPLES = {
  'a log': ['before.hlog'],
  'two logs, before and after': ['before.hlog', 'after.hlog'],
  'an access log': ['access.log'],
  numbers: ['latencies.txt'],
  'percentile text': ['last-month.hgrm'],
} as const;

/** What the list of the page has. */
type PageEntry = { readonly name: string } & (
  | { readonly file: PageFile }
  | { readonly history: PageHistory }
);

const runner = new Runner(showProgress);
const entries: PageEntry[] = [];
let panel: FilePanel | HistoryPanel | undefined;
const comparison = new ComparisonPanel(runner);

const list = h('ul', { class: 'files', 'aria-label': 'Files' });
const shown = h('div');
const said = h('div', { class: 'said', 'aria-live': 'assertive' });
const bar = h('progress', { max: '1', value: '0', 'aria-label': 'Progress' });
const doing = h('span', { class: 'doing' });
const work = h(
  'div',
  { class: 'work', 'data-idle': true },
  bar,
  doing,
  button('Cancel', () => runner.cancel(), { 'data-action': 'cancel' }),
);

// Files.

/** Something to read. */
interface GivenFile {
  readonly name: string;
  readonly blob: Blob;
}

/** Parquet files that come together are a history. */
async function addFiles(given: Iterable<GivenFile>): Promise<void> {
  setChildren(said, []);
  let last: PageEntry | undefined;
  const [others, parquet]: [GivenFile[], GivenFile[]] = [[], []];
  for (const file of given) ((await isParquet(file.blob)) ? parquet : others).push(file);
  const readers = others.map(
    ({ name, blob }) =>
      () =>
        inspectFile(chooseName(name), blob),
  );
  if (parquet.length > 0) readers.push(() => readHistory(parquet));
  for (const read of readers) {
    try {
      const file = await read();
      if (file === undefined) continue;
      entries.push(file);
      last = file;
    } catch (error) {
      for (const element of drawFailure(error)) said.append(element);
    }
  }
  if (last !== undefined) await open(last);
}

/** Asks what a file is. `undefined` when no command takes it: a sentence says so. */
async function inspectFile(name: string, blob: Blob): Promise<PageEntry | undefined> {
  const asked = { files: new Map([[name, blob]]), command: 'inspect' } as const;
  if (blob.size === 0) {
    said.append(h('p', { class: 'note bad', role: 'alert' }, `${name} is empty`));
    return undefined;
  }
  const { stdout, notes } = await runner.run({ ...asked, words: [name, '--json'] });
  const { stdout: sentence } = await runner.run({ ...asked, words: [name] });
  const inspected = stdout === '' ? undefined : (JSON.parse(stdout) as { files: Inspected[] }).files[0];
  if (inspected?.isTaken === true) return { name, file: { inspected, blob, sentence: sentence.trim() } };
  const text = notes.length > 0 ? notes.join(' ') : sentence.trim().replaceAll('\n', ' ');
  said.append(h('p', { class: 'note bad', role: 'alert' }, text));
  return undefined;
}

/** Asks which metrics a history has. `undefined` when it cannot be read: a sentence says why. */
async function readHistory(given: readonly GivenFile[]): Promise<PageEntry | undefined> {
  const history = placeFiles(given);
  const { stdout, notes } = await runner.run({ ...askMetrics(), files: history });
  const [first, ...others] =
    stdout === '' ? [] : (JSON.parse(stdout) as { metrics: HistoryMetricJson[] }).metrics;
  if (first !== undefined) {
    const name = chooseName(FOLDER);
    return { name, history: { name, files: history, metrics: [first, ...others] } };
  }
  const text = notes.length > 0 ? notes.join(' ') : 'the Parquet files have no rows of a history';
  said.append(h('p', { class: 'note bad', role: 'alert' }, text));
  return undefined;
}

/** A name that no other file has, and that no command takes for an option. */
function chooseName(given: string): string {
  const plain = given.replace(/^-+/, '') || 'file';
  const isFree = (name: string): boolean => entries.every((entry) => entry.name !== name);
  for (let copy = 1; ; copy++) {
    const name = copy === 1 ? plain : plain.replace(/(\.\w+)?$/, ` (${copy})$1`);
    if (isFree(name)) return name;
  }
}

async function open(entry: PageEntry): Promise<void> {
  panel = 'file' in entry ? new FilePanel(entry.file, runner) : new HistoryPanel(entry.history, runner);
  showList(entry);
  setChildren(shown, [panel.element]);
  document.body.dataset.state = 'busy';
  await panel.show();
  await comparison.offer(listFiles());
  document.body.dataset.state = 'done';
}

/** The files that are no history. */
function listFiles(): PageFile[] {
  return entries.flatMap((entry) => ('file' in entry ? [entry.file] : []));
}

function close(entry: PageEntry): void {
  entries.splice(entries.indexOf(entry), 1);
  const next = entries.at(-1);
  if (next !== undefined) {
    void open(next);
    return;
  }
  panel = undefined;
  setChildren(shown, []);
  showList(undefined);
  void comparison.offer(listFiles());
}

function showList(taken: PageEntry | undefined): void {
  setChildren(
    list,
    entries.map((entry) => {
      const { name } = entry;
      return h(
        'li',
        {},
        button(name, () => void open(entry), { 'aria-current': entry === taken ? 'true' : undefined }),
        button('×', () => close(entry), { class: 'quiet', 'aria-label': `Close ${name}` }),
      );
    }),
  );
}

// Progress.

function showProgress(progress: Progress | undefined): void {
  work.toggleAttribute('data-idle', progress === undefined);
  if (progress === undefined) {
    setText(doing, '');
    return;
  }
  const { line, readBytes, totalBytes } = progress;
  const share = totalBytes === 0 ? 0 : Math.min(1, readBytes / totalBytes);
  bar.value = share;
  setText(doing, `${line} (${Math.floor(100 * share)} %)`);
}

// Ways in.

async function addExamples(names: readonly string[]): Promise<void> {
  try {
    const examples = await loadExamples();
    const wanted = examples.filter(({ name }) => names.includes(name));
    const missing = wanted.filter(({ name }) => entries.every((entry) => entry.name !== name));
    const known = entries.find(({ name }) => name === names.at(-1));
    if (missing.length === 0 && known !== undefined) await open(known);
    else await addFiles(missing.map(({ name, text }) => ({ name, blob: new Blob([text]) })));
  } catch (error) {
    setChildren(said, drawFailure(error));
  }
}

function addChosen(chosen: Iterable<File>): void {
  void addFiles(Array.from(chosen, (file) => ({ name: file.name, blob: file })));
}

const MOST_DROPPED = 10_000;

/** The files that were dropped, and those in dropped folders. A history has notes of its own in folders with `_`. */
async function listDropped(transfer: DataTransfer | null): Promise<GivenFile[]> {
  // The list is empty after the first wait.
  const roots = Array.from(transfer?.items ?? [], (item) => item.webkitGetAsEntry());
  const found: GivenFile[] = [];
  for (const root of roots) if (root !== null) await listEntry(root, found);
  return found;
}

async function listEntry(entry: FileSystemEntry, found: GivenFile[]): Promise<void> {
  if (found.length >= MOST_DROPPED) throw new Error(`a folder must have at most ${MOST_DROPPED} files`);
  if (entry.isFile) {
    const blob = await new Promise<File>((...ends) => (entry as FileSystemFileEntry).file(...ends));
    found.push({ name: entry.name, blob });
    return;
  }
  if (entry.name.startsWith('_')) return;
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A browser lists a hundred at a time.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((...ends) => reader.readEntries(...ends));
    if (some.length === 0) return;
    for (const one of some) await listEntry(one, found);
  }
}

const input = h('input', { type: 'file', multiple: true, class: 'hidden-text', id: 'files' });
input.addEventListener('change', () => {
  addChosen(input.files ?? []);
  input.value = '';
});

const pasted = h('textarea', { rows: '4', 'aria-label': 'Text to read', placeholder: '12.5\n13.1\n…' });
const paste = h(
  'details',
  {},
  h('summary', {}, 'Paste a text'),
  pasted,
  button(
    'Read it',
    () => {
      if (pasted.value.trim() !== '')
        void addFiles([{ name: 'pasted.txt', blob: new Blob([`${pasted.value}\n`]) }]);
    },
    { 'data-action': 'paste' },
  ),
);

const overlay = h('div', { class: 'overlay', hidden: true }, 'Drop files to read them here');
addEventListener('dragover', (event) => {
  event.preventDefault();
  overlay.hidden = false;
});
addEventListener('dragleave', (event) => {
  if (event.relatedTarget === null) overlay.hidden = true;
});
addEventListener('drop', (event) => {
  event.preventDefault();
  overlay.hidden = true;
  listDropped(event.dataTransfer).then(addFiles, (error: unknown) => setChildren(said, drawFailure(error)));
});

const examples = h('p', { class: 'examples' }, 'Or try ');
for (const [text, names] of Object.entries(EXAMPLES))
  examples.append(
    button(text, () => void addExamples(names), { 'data-example': names.join(' ') }),
    ' ',
  );

const theme = themeSwitch(() => {
  panel?.redraw();
  comparison.redraw();
});

document.body.prepend(
  h('header', { class: 'page' }, h('h1', {}, 'hdrscope playground'), theme),
  h(
    'main',
    {},
    h(
      'section',
      { class: 'ways', 'aria-label': 'Files to read' },
      h(
        'label',
        { class: 'drop', for: 'files' },
        input,
        h('strong', {}, 'Choose files'),
        ' or drop them here: logs, outputs of load tests, access logs, percentile texts, histograms, numbers, the folder of a history.',
      ),
      h(
        'p',
        { class: 'hint' },
        'Nothing leaves this machine: the policy of the page forbids requests. ',
        ...(isOneFile() ? [] : [h('a', { href: 'playground.html', download: true }, 'Save it as one file')]),
        isOneFile() ? 'This file works without a network.' : ', which works without a network.',
      ),
      examples,
      paste,
    ),
    said,
    work,
    list,
    shown,
    comparison.element,
  ),
  overlay,
);
