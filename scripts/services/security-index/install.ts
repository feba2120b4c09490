import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Distribution } from '../elasticsearch-distribution.ts';

const SOURCE = join(import.meta.dirname, 'SecurityIndexAnalysis.java');
const NAME = 'security-index-analysis';

/**
 * Adds the analysis that the index of API keys names, so that keys can be made over HTTP: the distribution lacks the
 * module with it. Only searches for e-mail addresses of users depend on what it does.
 * @param java the home of a JDK
 * @throws Error when it has no compiler
 */
export async function installSecurityIndexAnalysis(
  { home, version, oldestJava }: Distribution,
  java: string,
): Promise<void> {
  const plugin = join(home, 'plugins', NAME);
  if (existsSync(plugin)) return;
  const making = await mkdtemp(join(home, 'making-'));
  const [classes, folder] = [join(making, 'classes'), join(making, NAME)];
  const run = async (program: string, ...args: readonly string[]) => {
    await promisify(execFile)(join(java, 'bin', program), args).catch((error) => {
      const why = error.code === 'ENOENT' ? "is no JDK: install one (Debian's package openjdk-25-jdk-headless)" : error;
      throw new Error(`API keys of Elasticsearch need a compiled plugin, and ${java} ${why}`);
    });
  };
  try {
    await mkdir(folder);
    await run('javac', '--release', String(oldestJava), '-cp', join(home, 'lib/*'), '-d', classes, SOURCE);
    await run('jar', '--create', '--file', join(folder, `${NAME}.jar`), '-C', classes, '.');
    const descriptor = {
      name: NAME,
      description: NAME,
      version: '1',
      classname: 'tidemark.SecurityIndexAnalysis',
      'java.version': oldestJava,
      'elasticsearch.version': version,
    };
    const lines = Object.entries(descriptor).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(join(folder, 'plugin-descriptor.properties'), lines.join(''));
    // Another process finds all of it or nothing. It may have been faster.
    await rename(folder, plugin).catch((error) => {
      if (!existsSync(plugin)) throw error;
    });
  } finally {
    await rm(making, { recursive: true });
  }
}
