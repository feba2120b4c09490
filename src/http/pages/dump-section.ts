import type { JobView } from '../../api/job-view.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { formatCount } from '../../lib/format-count.ts';
import { documentUri } from '../../publish/documents.ts';
import { type Dump, dumpTotals } from '../../publish/dumps/stored-dump.ts';
import { linkTo } from './parts/frame.ts';
import { type Html, html } from './parts/html.ts';
import { isOpen, lastJob } from './parts/job-parts.ts';
import type { SetFrame } from './parts/set-frame.ts';
import { facts } from './parts/tables.ts';
import { counted, timeElement } from './parts/words.ts';

export interface ShownDump {
  /** Undefined when none was built. */
  readonly dump: Dump | undefined;
  /** The last job that builds it; for administrators. */
  readonly job: JobView | undefined;
}

/** The Resource Dump of a set: its contents, the result of the last build, and a button that builds it. */
export function dumpSection(page: SetFrame, { dump, job }: ShownDump): Html {
  const { set, frame } = page;
  const { isAdministrator } = frame.viewer;
  return html`<h2 id="dump">Resource Dump</h2>
${dump === undefined ? html`<p class="quiet">None was built yet. A dump has all resources in a few large files, for a first copy.</p>` : dumpFacts(dump, page)}
${isAdministrator && job !== undefined && lastJob('Last build', job, frame.top)}
${isAdministrator && !isOpen(job) && html`<form method="post" action="./dump/build"><button class="small">Build it<span class="hidden"> the Resource Dump of ${set.slug}</span></button></form>`}`;
}

function dumpFacts(dump: Dump, { set, frame }: SetFrame): Html {
  const { packages, resources, missing, bytes } = dumpTotals(dump);
  const uri = documentUri(frame.baseUrl, { kind: 'resourceDump', set: set.slug });
  return facts([
    ['Packages', html`<a href="${linkTo(uri, frame)}">${counted(packages, 'package')}</a>, ${formatBytes(bytes)}`],
    ['Resources', formatCount(resources)],
    ['Missing', missing === 0 ? undefined : `${counted(missing, 'resource')} that changed meanwhile: build it again`],
    ['Has all changes until', timeElement(dump.at, frame.now)],
    ['Built', timeElement(dump.completed, frame.now)],
  ]);
}
