import type { ResourceSet } from '../../../core/resource-set.ts';
import { waysToCopy } from '../mirror-section.ts';
import type { Frame } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';

/**
 * How to copy the sets of a stream: its records, its uploads and its dumps.
 * @param of name of the organization or stream
 */
export function copySection(of: string, sets: readonly ResourceSet[], frame: Frame): Html | undefined {
  if (sets.length === 0) return undefined;
  const parts = sets.map(
    (set) => html`<h3><a href="${frame.top}sets/${set.slug}/">${set.title ?? set.slug}</a></h3>
${set.ready ? waysToCopy(set, frame) : html`<p class="quiet">It is being made.</p>`}`,
  );
  return html`<h2 id="copy">Sets to copy</h2>
<p class="quiet">What ${of} offers, as sets that others copy and follow.</p>
${parts}`;
}
