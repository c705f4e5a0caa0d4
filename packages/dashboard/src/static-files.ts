import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ICON_SVG, pageHtml } from './page-html.ts';

/** A file of the page. */
export interface StaticFile {
  /** Its `Content-Type`. */
  readonly type: string;
  readonly body: Buffer;
  /** The body, compressed with gzip. */
  readonly zipped: Buffer;
  /** A hash of the body: https://www.rfc-editor.org/rfc/rfc9110#name-etag */
  readonly etag: string;
}

// The same path from `src` and from `dist`.
const BUNDLES = new URL('../dist/browser/', import.meta.url);

const NAMES: readonly string[] = ['', 'page.js', 'page.css', 'icon.svg'];

/** The files of the page by name; the name of the page itself is empty. They are read once, at the first request. */
export class StaticFiles {
  readonly #title: string;
  readonly #bundles: URL;
  #files: Promise<ReadonlyMap<string, StaticFile>> | undefined;

  constructor(title: string, bundles: URL = BUNDLES) {
    this.#title = title;
    this.#bundles = bundles;
  }

  /** The file of a name; `undefined` for an unknown name. Rejects when the page is not built. */
  async find(name: string): Promise<StaticFile | undefined> {
    if (!NAMES.includes(name)) return undefined;
    this.#files ??= this.#read();
    try {
      return (await this.#files).get(name);
    } catch (error) {
      // The page may be built before the next request.
      this.#files = undefined;
      throw error;
    }
  }

  async #read(): Promise<ReadonlyMap<string, StaticFile>> {
    const [script, style] = await Promise.all(
      ['page.js', 'page.css'].map((name) => readFile(new URL(name, this.#bundles))),
    );
    return new Map([
      ['', await makeFile('text/html; charset=utf-8', Buffer.from(pageHtml(this.#title)))],
      ['page.js', await makeFile('text/javascript; charset=utf-8', script!)],
      ['page.css', await makeFile('text/css; charset=utf-8', style!)],
      ['icon.svg', await makeFile('image/svg+xml', Buffer.from(ICON_SVG))],
    ]);
  }
}

async function makeFile(type: string, body: Buffer): Promise<StaticFile> {
  const zipped = await promisify(gzip)(body);
  return {
    type,
    body,
    zipped,
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
  };
}
