import { SET_SETTING_NAMES, type SetSettingName } from '../../../config/set/set-settings.ts';

/** Labels of settings in forms; others have a label made of their name. */
const LABELS: Readonly<Partial<Record<string, string>>> = {
  root: 'Folder or bucket',
  records: 'Records of an activity',
  from: 'Copy of another source',
  fromSet: 'Set of that source',
  fromInterval: 'Seconds between two polls',
  urlPrefix: 'URL prefix',
  aliases: 'Other names',
  exclude: 'Files to leave out',
  links: 'Rules for links',
  resourceRootDir: 'Folder of absolute paths',
  pageSize: 'Resources of a list page',
  windowSize: 'Changes of a list',
  publishHashes: 'Other hashes to publish',
  presignedSeconds: 'Seconds of signed URLs',
  dumpPackageBytes: 'Bytes of a dump package',
  dumpSchedule: 'Times to build the dump',
  archiveSchedule: 'Times to keep the Resource List',
  archiveDays: 'Days to keep lists',
  versionsDays: 'Days to keep versions',
} satisfies Partial<Record<SetSettingName, string>>;

/** The label of a setting, or of another field of a form: `Dump compression` for `dumpCompression`. */
export function labelOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return LABELS[name] ?? words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** A message with the fields of a form in the place of the options of the command line. */
export function withLabels(message: string): string {
  return message.replace(/--([a-z][a-z-]+)/g, (option, words: string) => {
    const name = words.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return SET_SETTING_NAMES.some((one) => one === name) ? `“${labelOf(name)}”` : option;
  });
}
