import type { CollectionView } from '../../../api/collection-view.ts';
import { MOST_CRON } from '../../../records/stream-dump-settings.ts';
import type { RejectedForm } from '../manage/set-pages.ts';
import { confirmed } from '../parts/confirmed.ts';
import type { Frame } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';
import { problemNotice } from '../parts/problem-notice.ts';
import { type CollectionFrame, renderCollectionFrame } from './collection-frame.ts';

type Value = (name: string) => string;

interface TextField {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly most?: number;
  readonly isRequired?: boolean;
  readonly isCode?: boolean;
}

const REPOSITORY: readonly TextField[] = [
  {
    name: 'baseUrl',
    label: 'Address',
    hint: 'The base URL of the OAI-PMH repository, such as https://oai.example.org/oai. It is asked at once.',
    most: 2000,
    isRequired: true,
  },
  { name: 'format', label: 'Format', hint: 'The prefix of the metadata format, such as oai_dc.', isRequired: true },
];

const TIMES: readonly TextField[] = [
  {
    name: 'schedule',
    label: 'Harvested',
    hint: 'As in crontab, such as 15 2 * * * for 2:15 each day. Empty: when it is asked for.',
    most: MOST_CRON,
    isCode: true,
  },
  {
    name: 'fullSchedule',
    label: 'Harvested in full',
    hint: 'Such as 0 3 * * 0 for each Sunday. A full harvest also finds deletions that the repository forgets.',
    most: MOST_CRON,
    isCode: true,
  },
];

const RECORDS: readonly TextField[] = [
  {
    name: 'transform',
    label: 'Transform',
    hint: 'nsdl_dc or oai_dc, or the whole path of a sheet (.xsl) or mapping (.json) below a root of the setting apiRoots. Empty: none.',
  },
];

const NSDL: readonly TextField[] = [
  {
    name: 'message',
    label: 'Message to',
    hint: 'An address that is asked for at the end of each harvest.',
    most: 2000,
  },
  {
    name: 'handle',
    label: 'Handle',
    hint: "The handle of NSDL's metadata provider. Empty: it is no collection of NSDL.",
  },
];

/** The fields that are one line of text. */
export const TEXT_FIELDS = ['title', ...[...REPOSITORY, ...TIMES, ...RECORDS, ...NSDL].map(({ name }) => name)];
export const FLAG_FIELDS = ['validate', 'requireUri'] as const;

/** The form that adds a collection. */
export function renderAddCollectionPage(frame: Frame, attempt: RejectedForm | undefined): string {
  const value = (name: string) =>
    attempt?.form.get(name) ?? (name === 'format' && attempt === undefined ? 'oai_dc' : '');
  const main = html`<h1>Add a collection</h1>
${problemNotice(attempt?.problem)}
<form class="fields" method="post" action="./add-collection">
${input({ name: 'collection', label: 'Id', hint: 'Its name in addresses, which stays: small letters, digits, dots, hyphens and underscores.', most: 27, isRequired: true }, value)}
${input({ name: 'provider', label: 'Organization', hint: 'The id of the organization that it belongs to. Empty: one with the id of the collection.', most: 27 }, value)}
${fields(value)}
<p><button>Add the collection</button></p>
</form>`;
  return renderPage({ frame, title: 'Add a collection', main, part: 'collections' });
}

/** The form for the settings of a collection. */
export function renderCollectionSettings(page: CollectionFrame, attempt: RejectedForm | undefined): string {
  const { collection } = page;
  const value = (name: string) =>
    attempt === undefined ? presentValue(collection, name) : (attempt.form.get(name) ?? '');
  const id = collection.collection;
  const main = html`${problemNotice(attempt?.problem)}
<p class="quiet">The same as <code>tidemark collections change ${id}</code>. It counts from the next harvest on.</p>
<form class="fields" method="post" action="./settings">
${fields(value)}
<p><button>Save</button></p>
</form>
<h2>Remove</h2>
${confirmed({ text: 'Remove the collection', of: id, consequence: 'It is harvested no more. Its set and its records stay.', confirm: 'Remove it', action: './remove?confirm=yes' })}`;
  return renderCollectionFrame(page, { heading: 'Settings', title: 'Settings', main });
}

function presentValue(collection: CollectionView, name: string): string {
  const value = collection[name as keyof CollectionView];
  if (typeof value === 'boolean') return value ? 'yes' : '';
  return Array.isArray(value) ? value.join('\n') : String(value ?? '');
}

function fields(value: Value): Html {
  const all = (them: readonly TextField[]) => them.map((field) => input(field, value));
  const option = (text: string, words: string) =>
    html`<option value="${text}"${value('malformed') === text && html` selected`}>${words}</option>`;
  const box = (name: string, words: string) =>
    html`<label class="box"><input type="checkbox" name="${name}" value="yes"${value(name) === 'yes' && html` checked`}> ${words}</label>`;
  return html`${input({ name: 'title', label: 'Title', hint: 'What people call it.', most: 500 }, value)}
<h2>Repository</h2>
${all(REPOSITORY)}
<p><label for="sets">Sets</label>
<textarea id="sets" name="sets" rows="3" spellcheck="false" aria-describedby="sets-hint">${value('sets')}</textarea>
<span class="hint" id="sets-hint">The setSpecs to harvest, one in a line. Empty: all records.</span></p>
<h2>Times</h2>
${all(TIMES)}
<h2>Records</h2>
${all(RECORDS)}
<p><label for="malformed">Malformed XML</label> <select id="malformed" name="malformed">${option('stop', 'ends the harvest')}${option('skip', 'leaves out the record')}</select></p>
<p>${box('validate', 'Check metadata by the schema of its format')}
${box('requireUri', 'Require an identifier that is a URI')}</p>
<h2>At the end of a harvest</h2>
${all(NSDL)}`;
}

function input({ name, label, hint, most = 1000, isRequired, isCode }: TextField, value: Value): Html {
  return html`<p><label for="${name}">${label}</label>
<input id="${name}" name="${name}"${isCode && html` class="code"`} maxlength="${most}"${isRequired && html` required`} value="${value(name)}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="${name}-hint">
<span class="hint" id="${name}-hint">${hint}</span></p>
`;
}
