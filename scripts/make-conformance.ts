// Writes docs/conformance.md from the table that the tests are compared with.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RuleEntry, RuleSection } from '../src/client/validate/rules/rule-entry.ts';
import { RULE_TABLE } from '../src/client/validate/rules/rule-table.ts';
import { RULES } from '../src/client/validate/rules/rules.ts';

export const CONFORMANCE_PAGE = join(import.meta.dirname, '../docs/conformance.md');

const all = RULE_TABLE.flatMap(({ rules }) => rules).length;
const checked = Object.keys(RULES).length;

const HEAD = `# Conformance to ResourceSync 1.1

The rules of ResourceSync 1.1 (ANSI/NISO Z39.99-2017) as we read it, numbered, and how each is tested. The numbers in the
titles are its sections. All ${all} rules apply to what Tidemark publishes, and each has a test. ${checked} can be checked from outside, for any source: \`tidemark validate\` does
([validator.md](validator.md)), and the last column says which. Each of these is a function in \`src/client/validate/rules/\`.
What only the owner of a source can know, such as a resource that is left out of its list, is judged by functions in
\`test/support/rules/owner.ts\`.

\`test/unit/rules/\` runs the validator on documents of the renderers, and on the same documents with a planted fault,
which it must find. Rules marked *source* also need responses of a running source, such as the bytes of a resource:
\`test/interop/conformance.test.ts\` validates a real source over HTTP, which must obey all rules, and plants a fault for
each of these rules between the source and its reader. Rules marked *packages* are judged on the Resource Dump of that
source; their faults are planted in dumps that the unit tests write. Rules marked *subscribers* are judged on the
channels of that source, and by real subscribers in \`test/http/notifications.test.ts\`. Rules marked *schema* are checked by the schemas in
\`sitemaps/xsd/\`.

This page is written by \`node scripts/make-conformance.ts\`; a test fails when it is out of date.
`;

const OTHERS = `
## Sources of other programs

What \`tidemark validate\` finds in what other programs write. These are facts about their output, and no reason to do
otherwise here.

| program | MUST | SHOULD |
|---|---|---|
| \`resync-build\` of resync 2.0.1 (Python), on a folder | 20: a space or a letter that is not ASCII is not percent-encoded in \`loc\`; 28: it writes no Resource Dump, only a manifest beside each package; 30, 65: the manifest has no \`up\`, and its paths no slash; 68: the Change List has no \`from\` | 37, 39, 44: no \`describedby\`; 66: no types in the manifest; 72: no \`datetime\` of changes |

\`test/interop/resync-source.test.ts\` makes that source, and compares the findings. py-resourcesync was not tried: it is
not in the Python Package Index.
`;

export function conformancePage(): string {
  return `${HEAD}${RULE_TABLE.map(section).join('')}${OTHERS}`;
}

function section({ title, rules }: RuleSection): string {
  const head = '| rule | level | what it asks | judged by | `validate` |\n|---|---|---|---|---|\n';
  return `\n## ${title}\n\n${head}${rules.map(row).join('')}`;
}

function row([number, level, text, judged]: RuleEntry): string {
  return `| ${number} | ${level} | ${text} | ${judged} | ${number in RULES ? 'yes' : 'no'} |\n`;
}

if (import.meta.main) writeFileSync(CONFORMANCE_PAGE, conformancePage());
