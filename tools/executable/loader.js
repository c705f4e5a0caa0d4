/**
 * Loads the parts of the command. In the executable they have no files, so this stands for the loader of Node.js.
 */
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Script } from 'node:vm';

/**
 * @param {object} options
 * @param {string} options.home The folder in which the workspace seems to lie: packages beside it or above, such as koffi, are found.
 * @param {(name: string) => Buffer | undefined} options.read A part or a file of a package, by its path in the executable.
 * @returns {(name: string) => any} The `require` of the parts.
 */
export function createLoader({ home, read }) {
  const require = createRequire(join(home, 'index.js'));
  const modules = /** @type {Map<string, { exports: unknown }>} */ (new Map());

  /** What `import.meta.url` of a module is. @param {string} path In the workspace. */
  const moduleUrl = (path) => pathToFileURL(join(home, path)).href;

  /** @param {string} name */
  function outside(name) {
    try {
      return require(name);
    } catch (error) {
      // Further lines name the modules that wanted it, which are no files here.
      if (error instanceof Error) error.message = /** @type {string} */ (error.message.split('\n')[0]);
      throw error;
    }
  }

  /** @param {string} name */
  function load(name) {
    if (name === 'node:fs/promises') return readOwnFiles(outside(name), home, read);
    if (!name.startsWith('./')) return outside(name);
    const loaded = modules.get(name);
    if (loaded !== undefined) return loaded.exports;
    const module = { exports: {} };
    modules.set(name, module);
    const path = join('parts', name);
    const text = /** @type {Buffer} */ (read(path));
    const script = new Script(wrapPart(text), { filename: path, cachedData: read(`${path}.cache`) });
    script.runInThisContext()(module.exports, load, module, moduleUrl);
    return module.exports;
  }
  return load;
}

/** A part as a function of what `load` hands it. Parts are in ASCII. @param {Buffer} text */
export function wrapPart(text) {
  return `(function (exports, require, module, moduleUrl) {${text.toString('latin1')}\n})`;
}

/**
 * Files of packages are in the executable. Modules find them beside themselves.
 *
 * @param {typeof import('node:fs/promises')} files
 * @param {string} home
 * @param {(name: string) => Buffer | undefined} read
 */
function readOwnFiles(files, home, read) {
  return {
    ...files,
    /** @param {any} path @param {any} options */
    readFile: async (path, options) => {
      const name = path instanceof URL ? fileURLToPath(path) : path;
      const own = typeof name === 'string' && name.startsWith(home) ? read(relative(home, name)) : undefined;
      if (own === undefined) return files.readFile(path, options);
      const encoding = options?.encoding ?? options;
      return typeof encoding === 'string' ? own.toString(/** @type {BufferEncoding} */ (encoding)) : own;
    },
  };
}
