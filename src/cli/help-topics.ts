/** The headings of the help, with the first words of the commands below each. */
const TOPICS: Readonly<Record<string, readonly string[]>> = {
  'Publish:': ['demo', 'publish', 'serve', 'sets'],
  'Contents of sets:': ['dumps', 'lists', 'versions', 'scan', 'changes', 'resources', 'page'],
  'Harvested records:': ['collections', 'harvest', 'harvests', 'nsdl', 'import-index', 'activity', 'artifacts'],
  'Datasets of other platforms:': ['datasets'],
  'Organizations that deliver files:': ['organizations', 'streams', 'upload', 'uploads'],
  'Copy other sources:': ['mirror'],
  'Check:': ['verify', 'validate', 'status'],
  'Operate:': [
    'work',
    'jobs',
    'subscriptions',
    'tokens',
    'backup',
    'backups',
    'restore',
    'archive',
    'rebuild',
    'clock',
    'migrate',
    'grow',
    'reshard',
  ],
  'This program:': ['init', 'completion'],
};

/** The first words of all commands. */
export const FIRST_WORDS: readonly string[] = Object.values(TOPICS).flat();

/** The heading of the help that a command is below. @param word the first word of the command */
export function topicOf(word: string): string {
  return Object.entries(TOPICS).find(([, words]) => words.includes(word))?.[0] ?? 'Other commands:';
}
