import type { RuleEntry, RuleSection } from '../src/client/validate/rules/rule-entry.ts';
import { RULE_TABLE } from '../src/client/validate/rules/rule-table.ts';
import { RULES } from '../src/client/validate/rules/rules.ts';

const all = RULE_TABLE.flatMap(({ rules }) => rules).length;
const checked = Object.keys(RULES).length;

const HEAD = `The rules of ResourceSync 1.1 (ANSI/NISO Z39.99-2017) as we read it, numbered; the numbers in the titles are its
sections. All ${all} rules apply to what Tidemark publishes, and each has a test. ${checked} can be checked from outside, for any
source: the last column says which \`tidemark validate\` checks. *Judged by* says what is needed for that: *documents*
alone, responses of a running *source*, *packages* of dumps, *subscribers* to channels, or an XML *schema*
(\`sitemaps/xsd/\`). The tests plant a fault for each rule, which must be found.

| rule | level | what it asks | judged by | \`validate\` |
|---|---|---|---|---|
`;

/** The table of all rules in docs/validator.md; a test compares the page with it. */
export function conformanceReference(): string {
  return `${HEAD}${RULE_TABLE.map(section).join('')}`;
}

function section({ title, rules }: RuleSection): string {
  return `| | | **${title}** | | |\n${rules.map(row).join('')}`;
}

function row([number, level, text, judged]: RuleEntry): string {
  return `| ${number} | ${level} | ${text} | ${judged} | ${number in RULES ? 'yes' : 'no'} |\n`;
}
