import type { ResourceSet } from '../domain/resource-set.ts';
import { setUris } from '../publisher/document-uris.ts';
import type { SetSummary } from '../stores/resource-index.ts';
import { type Html, html } from './html.ts';
import { formatNumber, timeElement } from './words.ts';

/** A set with its figures, as the pages show it. */
export interface ShownSet {
  readonly set: ResourceSet;
  readonly summary: SetSummary;
}

export function stateBadge({ ready }: ResourceSet): Html {
  return ready ? html`<span class="state live">live</span>` : html`<span class="state scanning">scanning…</span>`;
}

export function figures({ set, summary }: ShownSet, now: number): Html {
  const changed = summary.lastChange === 0 ? 'never' : timeElement(summary.lastChange, now);
  return html`<dl class="figures">
<div><dt>${set.ready ? 'resources' : 'resources so far'}</dt><dd>${formatNumber(summary.resources)}</dd></div>
<div><dt>changes</dt><dd>${formatNumber(summary.changes)}</dd></div>
<div><dt>last changed</dt><dd>${changed}</dd></div>
</dl>`;
}

/** What a set publishes. */
export function documentsOf(baseUrl: string, slug: string): readonly { name: string; uri: string; purpose: string }[] {
  const { capabilityList, resourceList, changeList, recentChanges } = setUris(baseUrl, slug);
  return [
    { name: 'Capability List', uri: capabilityList, purpose: 'where an aggregator begins: it names the lists below' },
    { name: 'Resource List', uri: resourceList, purpose: 'everything there is, for a first copy' },
    { name: 'Change List', uri: changeList, purpose: 'every change since the history began, in order' },
    { name: 'Recent changes', uri: recentChanges, purpose: 'the latest changes in one flat list, to stay in step' },
  ];
}
