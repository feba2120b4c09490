import type { ResourceSet } from '../../core/resource-set.ts';
import { documentUri } from '../../publish/documents.ts';
import { mirrorCommands } from '../../publish/mirror-commands.ts';
import { type Html, html } from './parts/html.ts';
import type { SetFrame } from './parts/set-frame.ts';

const LISTS = [
  ['Capability List', 'capabilityList'],
  ['Resource List', 'resourceList'],
  ['Change List', 'changeList'],
] as const;

/** How to copy the set: this is what aggregators look for. */
export function mirrorSection({ set, frame: { baseUrl } }: SetFrame): Html {
  return html`<h2 id="copy">Copy this set</h2>
${waysToCopy(set, baseUrl)}`;
}

/** Commands that copy a set, and the addresses of its lists, ready to be copied. */
export function waysToCopy(set: ResourceSet, baseUrl: string): Html {
  const commands = mirrorCommands(set, baseUrl).map(
    ({ title, command }) => html`<p>${title}:</p>
<pre tabindex="0"><code class="copied">${command}</code></pre>`,
  );
  const lists = LISTS.map(
    ([title, kind]) =>
      html`<dt>${title}</dt><dd><code class="copied">${documentUri(baseUrl, { kind, set: set.slug })}</code></dd>`,
  );
  return html`${commands}
<dl class="facts">${lists}</dl>`;
}
