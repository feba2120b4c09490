import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { installKustomize } from '../../scripts/services/kustomize-program.ts';

const CHECKOUT = join(import.meta.dirname, '../..');
const PROGRAM = 'kubernetes-validate';

/** What the tests check of an object; the schemas of Kubernetes have the rest. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  readonly data?: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: of each kind another one; kubernetes-validate knows their schemas.
  readonly spec?: any;
}

export type Labels = Readonly<Record<string, string>>;

/** What `kustomize build` makes of a folder, as YAML. */
export async function buildManifests(folder: string): Promise<string> {
  return execFileSync(await installKustomize(), ['build', folder], { encoding: 'utf8' });
}

export function parseManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

/** What `kubernetes-validate` complains about; it also warns of each kind that it has no schema for. */
export function complaintsAbout(file: string, kubernetesVersion: string): string {
  try {
    const options = ['--strict', '--quiet', '--kubernetes-version', kubernetesVersion];
    return execFileSync(findProgram()!, [...options, file], { encoding: 'utf8' });
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}

/** Why manifests cannot be validated here; undefined where they can. */
export function missingValidator(): string | undefined {
  if (findProgram() !== undefined) return undefined;
  return `needs ${PROGRAM}, in KUBERNETES_VALIDATE_BIN, .services/${PROGRAM}/bin or PATH: pip install ${PROGRAM}==1.37.0`;
}

function findProgram(): string | undefined {
  const { KUBERNETES_VALIDATE_BIN, PATH = '' } = process.env;
  const folders =
    KUBERNETES_VALIDATE_BIN === undefined
      ? [join(CHECKOUT, '.services', PROGRAM, 'bin'), ...PATH.split(delimiter).filter((folder) => folder !== '')]
      : [KUBERNETES_VALIDATE_BIN];
  return folders.map((folder) => join(folder, PROGRAM)).find((program) => existsSync(program));
}
