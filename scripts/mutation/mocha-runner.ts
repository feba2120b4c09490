import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import type { StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  type DryRunOptions,
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import fc from 'fast-check';
import Mocha from 'mocha';

/** What instrumented code shares with the runner; its name is the default of StrykerJS. */
interface Instrumentation {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: DryRunCoverage;
}
type DryRunCoverage = Extract<DryRunResult, { status: typeof DryRunStatus.Complete }>['mutantCoverage'];

interface Options extends StrykerOptions {
  /** Globs of test files, relative to the working directory. */
  readonly specs: readonly string[];
}

class Silent extends Mocha.reporters.Base {}

/**
 * Milliseconds that a property is tried under one mutant: its tests try it longer, thousands of mutants cannot wait for
 * that.
 */
const PROPERTY_TIME_MS = 500;

/**
 * Runs mocha's tests in one process for many mutants. The runner that StrykerJS offers loads files that mocha 12 no
 * longer has. A worker thread reads the mutant from the environment, which it copies when it starts.
 */
export class MochaRunner implements TestRunner {
  static readonly inject = tokens(commonTokens.options);
  readonly #specs: readonly string[];
  readonly #mocha = new Mocha({ timeout: 0, reporter: Silent });
  readonly #instrumentation: Instrumentation;
  #loaded = false;

  constructor(options: StrykerOptions) {
    this.#specs = globSync([...(options as Options).specs]);
    const globals = globalThis as { __stryker__?: Instrumentation };
    globals.__stryker__ ??= {};
    this.#instrumentation = globals.__stryker__;
  }

  capabilities() {
    // An ES module cannot be loaded a second time.
    return { reloadEnvironment: false };
  }

  async init(): Promise<void> {
    this.#mocha.cleanReferencesAfterRun(false);
    for (const file of this.#specs) this.#mocha.addFile(resolve(file));
    const instrumentation = this.#instrumentation;
    this.#mocha.suite.beforeEach(function () {
      instrumentation.currentTestId = this.currentTest?.fullTitle();
    });
  }

  async dryRun({ disableBail }: DryRunOptions): Promise<DryRunResult> {
    const result = await this.#run(disableBail);
    if (result.status !== DryRunStatus.Complete) return result;
    const { mutantCoverage } = this.#instrumentation;
    return { ...result, ...(mutantCoverage !== undefined && { mutantCoverage }) };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, testFilter, disableBail, hitLimit, mutantActivation } = options;
    // With values that were not tried before: what the process remembers of those would hide a mutant.
    const seed = Number(activeMutant.id);
    fc.configureGlobal({ seed, endOnFailure: true, interruptAfterTimeLimit: PROPERTY_TIME_MS });
    this.#instrumentation.hitLimit = hitLimit;
    this.#instrumentation.hitCount = hitLimit === undefined ? undefined : 0;
    this.#mocha.grep(testFilter === undefined ? /^/ : new RegExp(testFilter.map(exactly).join('|')));
    if (mutantActivation === 'static') this.#activate(activeMutant.id);
    return toMutantRunResult(await this.#run(disableBail, activeMutant.id));
  }

  #activate(mutant: string | undefined): void {
    this.#instrumentation.activeMutant = mutant;
    if (mutant === undefined) delete process.env.__STRYKER_ACTIVE_MUTANT__;
    else process.env.__STRYKER_ACTIVE_MUTANT__ = mutant;
  }

  async #run(disableBail: boolean, mutant?: string): Promise<DryRunResult> {
    try {
      if (!this.#loaded) await this.#mocha.loadFilesAsync();
      this.#loaded = true;
      setBail(this.#mocha.suite, !disableBail);
      this.#activate(mutant);
      const tests = await runTests(this.#mocha);
      const { hitCount, hitLimit } = this.#instrumentation;
      return determineHitLimitReached(hitCount, hitLimit) ?? { status: DryRunStatus.Complete, tests };
    } catch (error) {
      return { status: DryRunStatus.Error, errorMessage: String(error) };
    }
  }
}

function runTests(mocha: Mocha): Promise<TestResult[]> {
  const tests: TestResult[] = [];
  return new Promise((done) => {
    const runner = mocha.run(() => done(tests));
    runner.on('pass', (test) => {
      tests.push({ ...nameOf(test), status: TestStatus.Success, timeSpentMs: test.duration ?? 0 });
    });
    runner.on('fail', (test, error) => {
      // A hook that fails is reported in the place of the test it belongs to.
      const failed = test.ctx?.currentTest ?? test;
      tests.push({ ...nameOf(failed), status: TestStatus.Failed, timeSpentMs: 0, failureMessage: error.message });
    });
  });
}

function nameOf(test: Mocha.Test) {
  const name = test.fullTitle();
  return { id: name, name, ...(test.file !== undefined && { fileName: test.file }) };
}

function setBail(suite: Mocha.Suite, bail: boolean): void {
  suite.bail(bail);
  for (const inner of suite.suites) setBail(inner, bail);
}

function exactly(title: string): string {
  return `^${RegExp.escape(title)}$`;
}

/** The options that StrykerJS does not know. */
export const strykerValidationSchema = {
  type: 'object',
  properties: { specs: { type: 'array', items: { type: 'string' } } },
};

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'mocha', MochaRunner)];
