import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, posix } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Serves a folder on loopback, as any host of static files does. */
export async function serveFolder(folder: string): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = fileOf(folder, decodeURIComponent(pathname));
    if (file === undefined) response.writeHead(404).end();
    else
      response
        .writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' })
        .end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function fileOf(folder: string, path: string): string | undefined {
  // A path of a browser begins with `/` and has no `..` left.
  const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
  return existsSync(file) && statSync(file).isFile() ? file : undefined;
}

/** The links of all pages of a folder that lead to no page, or to no place on it. */
export function brokenLinks(folder: string): string[] {
  const pages = new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.html'))
      .map((file) => [`/${file}`, readFileSync(join(folder, file), 'utf8')]),
  );
  const places = new Map([...pages].map(([path, html]) => [path, new Set(valuesOf(html, 'id'))]));
  const broken: string[] = [];
  for (const [page, html] of pages) {
    for (const href of new Set(valuesOf(html, 'href'))) {
      if (/^[a-z]+:/i.test(href)) continue;
      const [path = '', hash] = href.split('#');
      const target =
        path === ''
          ? page
          : decodeURIComponent(
              posix.join(
                posix.dirname(page),
                posix.isAbsolute(path) ? posix.relative(posix.dirname(page), path) : path,
              ),
            );
      const isFolder = path.endsWith('/');
      const file = isFolder ? posix.join(target, 'index.html') : target;
      const ids = places.get(file);
      const isThere =
        ids === undefined
          ? fileOf(folder, file) !== undefined
          : hash === undefined || hash === '' || ids.has(decodeURIComponent(hash));
      if (!isThere) broken.push(`${page}: ${href}`);
    }
  }
  return broken;
}

function valuesOf(html: string, attribute: 'href' | 'id'): string[] {
  return [...html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) =>
    value.replaceAll('&amp;', '&'),
  );
}
