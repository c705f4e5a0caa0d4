/**
 * The page: takes files, and shows what the commands say of them. Nothing leaves the machine, because the policy of the page forbids requests.
 */
import { button, h, setChildren, setText } from '@hdrscope/page/dom';
import { themeSwitch } from '@hdrscope/page/theme';
import './page.css';
import { ComparisonPanel } from './comparison-panel.ts';
import { FilePanel, type PageFile } from './file-panel.ts';
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

const runner = new Runner(showProgress);
const files: PageFile[] = [];
let panel: FilePanel | undefined;
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

async function addFiles(given: Iterable<{ readonly name: string; readonly blob: Blob }>): Promise<void> {
  setChildren(said, []);
  let last: PageFile | undefined;
  for (const { name, blob } of given) {
    try {
      const file = await inspectFile(chooseName(name), blob);
      if (file === undefined) continue;
      files.push(file);
      last = file;
    } catch (error) {
      for (const element of drawFailure(error)) said.append(element);
    }
  }
  if (last !== undefined) await open(last);
}

/** Asks what a file is. `undefined` when no command takes it: a sentence says so. */
async function inspectFile(name: string, blob: Blob): Promise<PageFile | undefined> {
  const asked = { files: new Map([[name, blob]]), command: 'inspect' } as const;
  if (blob.size === 0) {
    said.append(h('p', { class: 'note bad', role: 'alert' }, `${name} is empty`));
    return undefined;
  }
  const { stdout, notes } = await runner.run({ ...asked, words: [name, '--json'] });
  const { stdout: sentence } = await runner.run({ ...asked, words: [name] });
  const inspected = stdout === '' ? undefined : (JSON.parse(stdout) as { files: Inspected[] }).files[0];
  if (inspected?.isTaken === true) return { inspected, blob, sentence: sentence.trim() };
  const text = notes.length > 0 ? notes.join(' ') : sentence.trim().replaceAll('\n', ' ');
  said.append(h('p', { class: 'note bad', role: 'alert' }, text));
  return undefined;
}

/** A name that no other file has, and that no command takes for an option. */
function chooseName(given: string): string {
  const plain = given.replace(/^-+/, '') || 'file';
  const isFree = (name: string): boolean => files.every(({ inspected }) => inspected.name !== name);
  for (let copy = 1; ; copy++) {
    const name = copy === 1 ? plain : plain.replace(/(\.\w+)?$/, ` (${copy})$1`);
    if (isFree(name)) return name;
  }
}

async function open(file: PageFile): Promise<void> {
  panel = new FilePanel(file, runner);
  showList(file);
  setChildren(shown, [panel.element]);
  document.body.dataset.state = 'busy';
  await panel.show();
  await comparison.offer(files);
  document.body.dataset.state = 'done';
}

function close(file: PageFile): void {
  files.splice(files.indexOf(file), 1);
  const next = files.at(-1);
  if (next !== undefined) {
    void open(next);
    return;
  }
  panel = undefined;
  setChildren(shown, []);
  showList(undefined);
  void comparison.offer(files);
}

function showList(taken: PageFile | undefined): void {
  setChildren(
    list,
    files.map((file) => {
      const { name } = file.inspected;
      return h(
        'li',
        {},
        button(name, () => void open(file), { 'aria-current': file === taken ? 'true' : undefined }),
        button('×', () => close(file), { class: 'quiet', 'aria-label': `Close ${name}` }),
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
    const missing = wanted.filter(({ name }) => files.every(({ inspected }) => inspected.name !== name));
    const known = files.find(({ inspected }) => inspected.name === names.at(-1));
    if (missing.length === 0 && known !== undefined) await open(known);
    else await addFiles(missing.map(({ name, text }) => ({ name, blob: new Blob([text]) })));
  } catch (error) {
    setChildren(said, drawFailure(error));
  }
}

function addChosen(chosen: Iterable<File>): void {
  void addFiles(Array.from(chosen, (file) => ({ name: file.name, blob: file })));
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
  addChosen(event.dataTransfer?.files ?? []);
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
        ' or drop them here: logs, outputs of load tests, access logs, percentile texts, histograms, numbers.',
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
