#!/usr/bin/env node
// This file keeps to what old versions of Node can parse, so that they say what is missing and not where they stumbled.
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(
    `tidemark: this is Node ${process.versions.node}, and Tidemark needs Node 24 or newer.\n` +
      'Start it with "npm start --", which brings its own, or install a newer Node: https://nodejs.org\n',
  );
  process.exit(2);
}
const { prepareRuntime } = await import('./cli/prepare-runtime.ts');
prepareRuntime();
const { runCli } = await import('./cli/run-cli.ts');
process.exitCode = await runCli(process);
// Whatever a command left open, a finished command ends: handles that would keep it are closed by then, or of no use any more.
process.exit();
