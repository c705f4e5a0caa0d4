/** The parts of the page that come later: files beside it on a site, or elements of the one file, which are no scripts yet. */
import type { Charts } from './charts.ts';
import type { WorkerScript } from './job.ts';

/** A small file to try the page with. */
export interface Example {
  readonly name: string;
  readonly what: string;
  readonly text: string;
}

/** Whether the page is the one file. */
export function isOneFile(): boolean {
  return document.getElementById('worker') !== null;
}

/** Starts the worker. */
export function startWorker(): Worker {
  const text = document.getElementById('worker')?.textContent;
  if (text === undefined || text === null) return new Worker('worker.js');
  const script = new Blob([text], { type: 'text/javascript' });
  const url = URL.createObjectURL(script);
  const worker = new Worker(url);
  // It starts others from it. An address of the page is of another origin than the worker, if the page comes from a disk.
  worker.postMessage({ script } satisfies WorkerScript);
  // The worker has its script when it answers for the first time.
  worker.addEventListener('message', () => URL.revokeObjectURL(url), { once: true });
  return worker;
}

/** What the parts leave behind when they have run. */
interface Loaded {
  hdrscopeCharts?: Charts;
  hdrscopeExamples?: readonly Example[];
}

const loaded = globalThis as Loaded;

export async function loadCharts(): Promise<Charts> {
  await loadScript('charts');
  return loaded.hdrscopeCharts!;
}

export async function loadExamples(): Promise<readonly Example[]> {
  await loadScript('examples');
  return loaded.hdrscopeExamples!;
}

const scripts = new Map<string, Promise<void>>();

function loadScript(name: string): Promise<void> {
  const known = scripts.get(name);
  if (known !== undefined) return known;
  const loading = new Promise<void>((resolve, reject) => {
    const script = document.createElement('script');
    const inline = document.getElementById(name);
    if (inline !== null) {
      script.textContent = inline.textContent;
      document.head.append(script);
      resolve();
      return;
    }
    script.src = `${name}.js`;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      scripts.delete(name);
      reject(new Error(`${name}.js could not be loaded: reload the page`));
    });
    document.head.append(script);
  });
  scripts.set(name, loading);
  return loading;
}
