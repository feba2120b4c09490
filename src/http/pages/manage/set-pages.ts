import {
  canHave,
  type SetSettingName,
  setSettingOf,
  setSettingsOverHttp,
  shownSettings,
} from '../../../config/set/set-settings.ts';
import { type Origin, traitsOf } from '../../../core/origin.ts';
import type { SetScanner } from '../../../sources/scanners/open-scanners.ts';
import type { Frame } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';
import { problemNotice } from '../parts/problem-notice.ts';
import { CONFIRMATION, removeSection } from '../parts/remove-section.ts';
import { hiddenNotice, renderSetFrame, type SetFrame, troubleNotice, unreadNotice } from '../parts/set-frame.ts';
import { facts } from '../parts/tables.ts';
import { counted, timeElement } from '../parts/words.ts';
import { type FormValues, givenValue, settingFields } from './set-form.ts';

/** The values given before, and their error. */
export interface RejectedForm {
  readonly form: FormValues;
  readonly problem: string;
  /** The field of the form that it is about. */
  readonly field?: string | undefined;
}

interface AddSetPage {
  readonly frame: Frame;
  /** Whether the server may publish folders and buckets over HTTP. */
  readonly takesRoots: boolean;
  readonly attempt?: RejectedForm | undefined;
}

/** The settings for the origin of a new set. */
export const ORIGINS = setSettingsOverHttp('sets add').filter(
  (name) => setSettingOf(name).field === 'origin' || name === 'urlPrefix',
);

/** The settings of a new set without its origin. */
function others(command: 'sets add' | 'sets change'): readonly SetSettingName[] {
  return setSettingsOverHttp(command).filter((name) => !ORIGINS.includes(name));
}

/** The origins that need no root over HTTP. */
const WITHOUT_ROOTS: readonly Origin[] = [
  { kind: 'posted' },
  { kind: 'artifact', provider: 'any', activity: 'harvest' },
];

/** Whether a set can have the setting where the server may publish no folder, bucket or source over HTTP. */
function goesWithoutRoots(name: SetSettingName): boolean {
  if (setSettingOf(name).source?.inApiRoots === true) return false;
  return WITHOUT_ROOTS.some((origin) => canHave(origin, name));
}

export const ADDED: readonly SetSettingName[] = setSettingsOverHttp('sets add');
export const CHANGED: readonly SetSettingName[] = others('sets change');

/** The form that adds a set. */
export function renderAddSetPage({ frame, takesRoots, attempt }: AddSetPage): string {
  const value = (name: SetSettingName) => (attempt === undefined ? undefined : givenValue(attempt.form, name));
  const given = { value, wrong: attempt?.field };
  const offered = (name: SetSettingName) => takesRoots || goesWithoutRoots(name);
  const [title, isPrivate, ...rest] = [
    'title',
    'private',
    ...others('sets add').filter((name) => name !== 'title' && name !== 'private' && offered(name)),
  ] as const;
  const main = html`<h1>Add a set</h1>
${problemNotice(attempt?.problem)}
<form class="fields" method="post" action="./add-set">
<p><label for="set">Id</label>
<input id="set" name="set" required maxlength="64" pattern="[a-z0-9]([a-z0-9._\\-]{0,62}[a-z0-9])?" value="${attempt?.form.get('set') ?? ''}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="set-hint"${attempt?.field === 'set' && html` aria-invalid="true"`}>
<span class="hint" id="set-hint">Its name in addresses, which stays: small letters, digits, dots, hyphens and underscores.</span></p>
${settingFields([title, isPrivate] as readonly SetSettingName[], given)}
<h2>Where its resources come from</h2>
<p class="quiet">Fill in one of these. With a URL prefix alone, changes are posted to the set, and another server has the files.${!takesRoots && html` To publish a folder, a bucket or a copy of another source, run <code>tidemark sets add ID --root FOLDER</code> (or <code>--from URL</code>) on the machine, or start the server with <code>--api-roots</code>.`}</p>
${settingFields(ORIGINS.filter(offered), given)}
<details${attempt !== undefined && html` open`}><summary>More settings</summary>
${settingFields(rest as readonly SetSettingName[], given)}</details>
<p><button>Add the set</button></p>
</form>`;
  return renderPage({ frame, title: 'Add a set', main, part: 'sets' });
}

interface SettingsPage extends SetFrame {
  /** Number of changes that clients would lose. */
  readonly changes: number;
  /** Who scans it; undefined of a set without a source. */
  readonly scanner: SetScanner | undefined;
  readonly attempt?: RejectedForm | undefined;
  /** The action that was just done. */
  readonly did?: 'add' | 'change' | 'scan' | undefined;
}

/** The settings of a set, and the actions of an administrator. */
export function renderSettingsPage(page: SettingsPage): string {
  const { set, attempt, did } = page;
  const { source, shown, stream } = traitsOf(set.origin);
  const present = shownSettings(set);
  // The form that removes the set has none of the settings.
  const changing = attempt?.field === CONFIRMATION ? undefined : attempt;
  const value = (name: SetSettingName) => (changing === undefined ? present[name] : givenValue(changing.form, name));
  const main = html`${did !== undefined && html`<p class="notice good" role="status">${DONE[did]}</p>`}
${problemNotice(attempt?.problem)}
${troubleNotice(page)}
${unreadNotice(page)}
${hiddenNotice(page)}
${facts([...(shown === undefined ? [] : [[shown.name, source] as const]), ['URL prefix', set.urlPrefix]])}
<h2>Settings</h2>
<p class="quiet">The same as <code>tidemark sets change ${set.slug}</code> and <code>PATCH /api/sets/${set.slug}</code>. An empty field restores the default.</p>
<form class="fields" method="post" action="./settings">
${settingFields(
  CHANGED.filter((name) => canHave(set.origin, name)),
  { value, wrong: attempt?.field },
)}
<p><button>Save</button></p>
</form>
${source !== undefined && scanSection(page)}
${stream === undefined ? removalOf(page) : html`<p class="quiet">This set is removed with its stream, or with the organization ${stream.organization}, and never alone.</p>`}`;
  return renderSetFrame(page, main);
}

const DONE = {
  add: 'The set was added.',
  change: 'The settings were changed.',
  scan: 'A scan begins within seconds, at the server that keeps sets in sync.',
} as const;

function scanSection({ set, scanner, frame }: SettingsPage): Html {
  const { scanRequested } = set;
  return html`<h2>Scan</h2>
${scanner !== undefined && html`<p>${describeScanner(scanner)}</p>`}
<p>Changes are noticed by themselves. A scan compares everything with the source again.${scanRequested !== undefined && html` The last one was asked for ${timeElement(scanRequested, frame.now)}.`} What it changes is on the page of <a href="./postings">postings</a>.</p>
<form method="post" action="./scan"><button class="small">Scan all of it</button></form>`;
}

function describeScanner({ name, isUnread }: SetScanner): Html {
  if (name === undefined) return html`No server scans this set now: start one without <code>--no-sources</code>.`;
  const scanned = html`This set is scanned by the process <code>${name}</code>.`;
  return isUnread ? html`${scanned} No server can read its source.` : scanned;
}

function removalOf({ set, changes, attempt }: SettingsPage): Html {
  const consequence =
    changes === 0
      ? 'It never had a change: its id can be used again.'
      : `Its ${counted(changes, 'change')} and all of its documents are lost for clients, and its id cannot be used again.`;
  return removeSection({
    ...{ what: 'set', id: set.slug, action: './remove' },
    consequence: `${consequence} Files of the set are not touched.`,
    isWrong: attempt?.field === CONFIRMATION,
  });
}
