/**
 * Images as the folders of files that the OCI describes, without a daemon: https://github.com/opencontainers/image-spec/blob/v1.1.1/image-layout.md
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { run } from '../peers/run.js';

const TYPE = 'application/vnd.oci.image';

/**
 * @typedef {{ mediaType: string, digest: string, size: number }} Descriptor Of a blob.
 * @typedef {Descriptor & { diffId: string }} Layer `diffId` is the digest of the layer before compression.
 */

/** Writes the blobs of an image into a folder. */
export class Layout {
  #folder;

  /** @param {string} folder */
  constructor(folder) {
    this.#folder = folder;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'blobs/sha256'), { recursive: true });
    writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  }

  /**
   * @param {string} mediaType
   * @param {Uint8Array | string} content
   * @returns {Descriptor}
   */
  add(mediaType, content) {
    const bytes = Buffer.from(content);
    const digest = computeDigest(bytes);
    writeFileSync(join(this.#folder, 'blobs', digest.replace(':', '/')), bytes);
    return { mediaType, digest, size: bytes.length };
  }

  /**
   * Adds a layer of all files in a folder. They belong to root, and everybody may read them.
   *
   * @param {string} root
   * @param {{ seconds: number, owned?: { path: string, user: number } }} options `seconds` is the time of all files. `owned` is an empty folder of a user.
   * @returns {Layer}
   */
  addLayer(root, { seconds, owned }) {
    const file = `${root}.tar`;
    const equal = [
      '--format=ustar',
      '--sort=name',
      `--mtime=@${seconds}`,
      '--numeric-owner',
      '--directory',
      root,
    ];
    const modes = '--mode=u+rwX,go+rX,go-w';
    const own = owned === undefined ? [] : [`--exclude=./${owned.path}`];
    run('tar', ['--create', `--file=${file}`, ...equal, modes, '--owner=0', '--group=0', ...own, '.'], LIMIT);
    if (owned !== undefined) {
      const user = [`--owner=${owned.user}`, `--group=${owned.user}`, '--mode=0750', '--no-recursion'];
      run('tar', ['--append', `--file=${file}`, ...equal, ...user, `./${owned.path}`], LIMIT);
    }
    const tar = readFileSync(file);
    rmSync(file);
    return {
      ...this.add(`${TYPE}.layer.v1.tar+gzip`, gzipSync(tar, { level: 9 })),
      diffId: computeDigest(tar),
    };
  }

  /**
   * @param {Record<string, unknown>} config
   * @param {readonly Layer[]} layers
   * @param {Record<string, string>} annotations
   */
  addImage(config, layers, annotations) {
    const rootfs = { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) };
    return this.#addManifest({
      config: this.add(`${TYPE}.config.v1+json`, JSON.stringify({ ...config, rootfs })),
      layers: layers.map(({ diffId: _, ...descriptor }) => descriptor),
      annotations,
    });
  }

  /**
   * Adds a document about an image, which refers to it.
   *
   * @param {string} artifactType
   * @param {string} text
   * @param {Descriptor} subject
   */
  addDocument(artifactType, text, subject) {
    const config = this.add('application/vnd.oci.empty.v1+json', '{}');
    const layers = [this.add(artifactType, text)];
    return { ...this.#addManifest({ artifactType, config, layers, subject }), artifactType };
  }

  /** @param {Record<string, unknown>} manifest */
  #addManifest(manifest) {
    const mediaType = `${TYPE}.manifest.v1+json`;
    return this.add(mediaType, JSON.stringify({ schemaVersion: 2, mediaType, ...manifest }));
  }

  /** Names what the layout has. @param {readonly (Descriptor & { annotations?: Record<string, string> })[]} manifests */
  finish(manifests) {
    const index = { schemaVersion: 2, mediaType: `${TYPE}.index.v1+json`, manifests };
    writeFileSync(join(this.#folder, 'index.json'), JSON.stringify(index));
  }
}

const LIMIT = { limitSeconds: 120 };

/** @param {Uint8Array} bytes */
function computeDigest(bytes) {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
