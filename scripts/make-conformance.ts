// Writes docs/conformance.md from the table that the tests are compared with.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countRules, RULE_TABLE, type RuleEntry, type RuleSection } from '../test/support/rule-table.ts';

export const CONFORMANCE_PAGE = join(import.meta.dirname, '../docs/conformance.md');

const { applying, all } = countRules();

const HEAD = `# Conformance to ResourceSync 1.1

The rules of ResourceSync 1.1 (ANSI/NISO Z39.99-2017) as we read it, numbered, and how each is tested. The numbers in the
titles are its sections. ${applying} of the ${all} rules apply to what Tidemark publishes, and each of these has a test; the
others are listed with the reason. Each rule is a function in \`test/support/rules/\` that reports violations of a source;
\`test/unit/rules/\` runs it on documents of the renderers, and on the same documents with a planted fault, which it must
find. Rules marked *source* also need responses of a running source, such as the bytes of a resource:
\`test/interop/conformance.test.ts\` reads a real source over HTTP, which must obey all rules, and plants a fault for each
of these rules between the source and its reader. Rules marked *schema* are checked by the schemas in \`sitemaps/xsd/\`.

This page is written by \`node scripts/make-conformance.ts\`; a test fails when it is out of date.
`;

export function conformancePage(): string {
  return `${HEAD}${RULE_TABLE.map(section).join('')}`;
}

function section({ title, rules }: RuleSection): string {
  const [first] = rules;
  const reason = first?.[4];
  if (rules.every((rule) => rule[3] === 'no' && rule[4] === reason)) {
    return `\n## ${title}\n\nRules ${first?.[0]} to ${rules.at(-1)?.[0]} do not apply: ${reason}.\n`;
  }
  return `\n## ${title}\n\n| rule | level | what it asks | judged by |\n|---|---|---|---|\n${rules.map(row).join('')}`;
}

function row([number, level, text, judged, reason]: RuleEntry): string {
  return `| ${number} | ${level} | ${text} | ${judged === 'no' ? `does not apply: ${reason}` : judged} |\n`;
}

if (import.meta.main) writeFileSync(CONFORMANCE_PAGE, conformancePage());
