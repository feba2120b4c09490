import type { Change } from '../core/change.ts';
import { pathOfKey, uriOf } from '../core/key.ts';
import { recordIdOfKey } from '../core/record-key.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { setHome } from '../core/set-uris.ts';
import { formatStamp } from '../core/stamp.ts';
import { escapeXml } from '../lib/escape-xml.ts';
import { formatBytes } from '../lib/format-bytes.ts';

export const ATOM = 'application/atom+xml';

/** The address of the feed of a set, below its page. */
export const FEED_NAME = 'changes.atom';

/** The newest changes of a set as an Atom feed (RFC 4287). @param changes newest first */
export function renderAtomFeed(set: ResourceSet, changes: readonly Change[], baseUrl: string): string {
  const home = setHome(baseUrl, set.slug);
  const self = home + FEED_NAME;
  const title = set.title ?? set.slug;
  const updated = changes[0]?.stamp ?? set.epochStart;
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escapeXml(self)}</id>
<title>${escapeXml(`Changes of ${title}`)}</title>
<updated>${formatStamp(updated)}</updated>
<author><name>${escapeXml(title)}</name></author>
<generator>Tidemark</generator>
<link rel="self" type="${ATOM}" href="${escapeXml(self)}"/>
<link rel="alternate" type="text/html" href="${escapeXml(`${home}changes`)}"/>
${changes.map((change) => entry(change, set, home)).join('')}</feed>
`;
}

/** No two changes have the same time, so the time identifies the entry for ever (RFC 4287, 4.2.6). */
function entry({ key, kind, stamp, state }: Change, { urlPrefix }: ResourceSet, home: string): string {
  const datetime = formatStamp(stamp);
  const facts = [kind, state?.mime, state?.length === undefined ? undefined : formatBytes(state.length)];
  const type = state?.mime === undefined ? '' : ` type="${escapeXml(state.mime)}"`;
  const uri = uriOf(urlPrefix, key);
  return `<entry>
<id>${escapeXml(`${home}${FEED_NAME}#${datetime}`)}</id>
<title>${escapeXml(`${pathOfKey(key) ?? recordIdOfKey(key) ?? key} (${kind})`)}</title>
<updated>${datetime}</updated>
<category term="${kind}"/>
<link rel="alternate" type="text/html" href="${escapeXml(`${home}resource?key=${encodeURIComponent(key)}`)}"/>
<link rel="related"${type} href="${escapeXml(uri)}"/>
<summary>${escapeXml(facts.filter((fact) => fact !== undefined).join(', '))}</summary>
</entry>
`;
}
