import { existsSync } from 'node:fs';
import { join } from 'node:path';

const CHECKOUT = join(import.meta.dirname, '../../..');
const FOLDERS = [process.env.RESYNC_BIN, join(CHECKOUT, '.services/resync/bin')];

/** The Python that has resync 2.0.1. @throws Error that says how to get it */
export function resyncPython(): string {
  const found = FOLDERS.map((folder) => folder && join(folder, 'python3')).find((file) => file && existsSync(file));
  if (found) return found;
  throw new Error(
    'the baseline needs Python with resync 2.0.1: "python3 -m venv .services/resync && .services/resync/bin/pip install resync==2.0.1", or the bin folder of such an environment in RESYNC_BIN',
  );
}
