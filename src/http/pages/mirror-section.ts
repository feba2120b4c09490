import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { oaiBase } from '../../core/set-uris.ts';
import { documentUri } from '../../publish/documents.ts';
import { mirrorCommands } from '../../publish/mirror-commands.ts';
import { type Frame, linkTo } from './parts/frame.ts';
import { type Html, html } from './parts/html.ts';
import type { SetFrame } from './parts/set-frame.ts';

const LISTS = [
  ['Capability List', 'capabilityList'],
  ['Resource List', 'resourceList'],
  ['Change List', 'changeList'],
] as const;

/** How to copy the set: this is what aggregators look for. */
export function mirrorSection({ set, frame }: SetFrame): Html {
  return html`<h2 id="copy">Copy this set</h2>
${waysToCopy(set, frame)}`;
}

/** Commands that copy a set, and the addresses of its lists, ready to be copied. */
export function waysToCopy(set: ResourceSet, frame: Pick<Frame, 'top' | 'baseUrl'>): Html {
  const { baseUrl } = frame;
  const commands = mirrorCommands(set, baseUrl).map(
    ({ title, command }) => html`<p>${title}:</p>
<pre tabindex="0"><code class="copied">${command}</code></pre>`,
  );
  const lists = LISTS.map(
    ([title, kind]) =>
      html`<dt>${title}</dt><dd><code class="copied">${documentUri(baseUrl, { kind, set: set.slug })}</code></dd>`,
  );
  return html`${commands}
<dl class="facts">${lists}${traitsOf(set.origin).entry === 'record' && oaiAddress(oaiBase(baseUrl, set.slug), frame)}</dl>`;
}

function oaiAddress(address: string, frame: Pick<Frame, 'top' | 'baseUrl'>): Html {
  const page = linkTo(`${address}?verb=Identify`, frame);
  return html`<dt>OAI-PMH</dt><dd><code class="copied">${address}</code> (<a href="${page}">as a page</a>)</dd>`;
}
