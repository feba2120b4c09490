import { parseArgs } from 'node:util';
import { checkModel, INSTANCES, type Instance, plantedMistakes } from './check-model.ts';

const USAGE = `usage: node scripts/model/run.ts [--mistake NAME] ${Object.keys(INSTANCES).join('|')}`;

/** Checks an instance of the model, and prints its counterexample or the number of its states. */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { mistake: { type: 'string' } } });
const [instance = ''] = positionals;
if (!Object.hasOwn(INSTANCES, instance)) throw new Error(USAGE);
const mistakes = await plantedMistakes();
if (values.mistake !== undefined && !mistakes.includes(values.mistake)) {
  throw new Error(`the model has these mistakes: ${mistakes.join(', ')}`);
}
const { states, seconds, counterexample } = await checkModel(instance as Instance, values.mistake);
if (counterexample !== undefined) {
  console.log(counterexample.join('\n'));
  process.exitCode = 1;
} else {
  console.log(`${states} states, ${seconds} s: every property holds`);
}
