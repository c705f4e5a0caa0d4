import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A certificate that is its own authority, and its private key: the paths of both, and their texts in PEM. */
export interface TestCertificate {
  /** The common name of its subject. */
  readonly name: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
  readonly key: string;
}

// fixtures/tls/make.sh makes them again. They are valid until the year 2126.
const FOLDER = join(import.meta.dirname, '../fixtures/tls');

function readCertificate(name: string): TestCertificate {
  const [certFile, keyFile] = [join(FOLDER, `${name}.pem`), join(FOLDER, `${name}.key`)];
  return {
    name,
    certFile,
    keyFile,
    cert: readFileSync(certFile, 'utf8'),
    key: readFileSync(keyFile, 'utf8'),
  };
}

/** For `localhost`, `127.0.0.1` and `::1`. */
export const LOCALHOST: TestCertificate = readCertificate('localhost');

/** For another host. */
export const OTHER_HOST: TestCertificate = readCertificate('other.example');
