import { type SetSettingName, setSettingOf, shownSettings } from '../../config/set-settings.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { type Html, html } from './parts/html.ts';
import { table } from './parts/tables.ts';

/** All settings of a set, for administrators. */
export function settingsSection(set: ResourceSet): Html {
  const settings = Object.entries(shownSettings(set)) as [SetSettingName, unknown][];
  return html`<h2>Settings</h2>
<p class="quiet">Change them with <code>tidemark sets change ${set.slug}</code>, or with <code>PATCH /api/sets/${set.slug}</code>.</p>
${table('Settings', settings, [
  { name: 'Setting', style: 'short', isHead: true, cell: ([name]) => html`<code>${name}</code>` },
  { name: 'Value', style: 'name', cell: ([, value]) => describe(value) },
  { name: 'Meaning', cell: ([name]) => setSettingOf(name).meaning },
])}`;
}

function describe(value: unknown): string {
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  return text === '' ? '(none)' : text;
}
