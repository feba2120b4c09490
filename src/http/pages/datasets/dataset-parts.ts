import type { DatasetRequestView } from '../../../api/dataset-view.ts';
import type { FileStatus } from '../../../datasets/status.ts';
import { isStored } from '../../../datasets/strategies/manifest-entry.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { type Html, html } from '../parts/html.ts';

/** Seconds after which a page with an open request is reloaded. */
export const AGAIN = 5;

const OPEN_STYLES = { waiting: 'quiet', running: 'reading' } as const;

/** The state of a request: its last status, and before that whether it waits or runs. */
export function requestState({ state, result }: Pick<DatasetRequestView, 'state' | 'result'>): Html {
  const last = result && html`<span class="state ${result.hit ? 'live' : 'failing'}">${result.status}</span>`;
  if (state === 'ended') return last ?? html`<span class="state quiet">ended</span>`;
  return html`<span class="state ${OPEN_STYLES[state]}">${state}</span>`;
}

export function isOpen({ state }: Pick<DatasetRequestView, 'state'>): boolean {
  return state !== 'ended';
}

/** What people call it: its DOI or handle, else its URL. */
export function requestName({ request }: Pick<DatasetRequestView, 'request'>): string {
  return request.base_url.replace(/^https:\/\/doi\.org\//, 'doi:').replace(/^https:\/\/hdl\.handle\.net\//, 'hdl:');
}

export function sizeOf(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : formatBytes(bytes);
}

/** The place of a file in a table: those that failed come first, and those that were not tried last. */
export function rankOf(status: string): number {
  if (status === 'not-tried') return 2;
  return isStored({ status: status as FileStatus }) ? 1 : 0;
}

const FILE_STYLES = ['failing', 'live', 'quiet'] as const;

export function fileState(status: string): Html {
  const isMarked = status === 'unverified' || status === 'accepted-mismatch';
  return html`<span class="state ${isMarked ? 'reading' : FILE_STYLES[rankOf(status)]}">${status}</span>`;
}
