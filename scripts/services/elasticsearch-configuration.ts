import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Certificate } from './make-certificate.ts';
import { handOver } from './unprivileged.ts';

export interface ElasticsearchUser {
  readonly name: string;
  /** Six characters or more. */
  readonly password: string;
  readonly roles: readonly string[];
}

/** What a role may do, in the words of Elasticsearch's roles.yml. */
export interface ElasticsearchRole {
  readonly cluster?: readonly string[];
  readonly indices?: readonly { readonly names: readonly string[]; readonly privileges: readonly string[] }[];
}

export interface ElasticsearchSecurity {
  readonly users: readonly ElasticsearchUser[];
  /** By their names, besides those that are built in, such as `superuser`. */
  readonly roles?: Readonly<Record<string, ElasticsearchRole>>;
  /** For TLS, between nodes and for clients. Off unless given. */
  readonly certificate?: Certificate;
  /** Whether API keys can be made over HTTP. It needs a JDK. False unless given. */
  readonly hasApiKeys?: boolean;
}

/** What the node's programs are started with. */
export interface NodeEnvironment extends NodeJS.ProcessEnv {
  readonly ES_PATH_CONF: string;
}

export interface NodeConfiguration {
  readonly settings: Readonly<Record<string, unknown>>;
  /** Options of the Java machine, one a line. */
  readonly jvm: readonly string[];
  readonly security: ElasticsearchSecurity | undefined;
}

const LOGGING = `appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{ISO8601} %-5p %c{1.} %m%n
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
`;

/** With paths below the configuration folder. */
const TLS_SETTINGS = {
  'xpack.security.http.ssl.enabled': true,
  'xpack.security.http.ssl.key': 'key.pem',
  'xpack.security.http.ssl.certificate': 'certificate.pem',
  'xpack.security.transport.ssl.enabled': true,
  'xpack.security.transport.ssl.verification_mode': 'certificate',
  'xpack.security.transport.ssl.key': 'key.pem',
  'xpack.security.transport.ssl.certificate': 'certificate.pem',
  'xpack.security.transport.ssl.certificate_authorities': ['certificate.pem'],
};

/** Writes all that a node reads into its configuration folder. */
export async function configure(folder: string, { settings, jvm, security }: NodeConfiguration): Promise<void> {
  const users = security?.users ?? [];
  const certificate = security?.certificate;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  // JSON is YAML. The security settings are given, or Elasticsearch would make certificates and passwords of its own.
  const files = {
    'elasticsearch.yml': JSON.stringify({
      ...settings,
      'xpack.security.enabled': security !== undefined,
      ...(certificate !== undefined && TLS_SETTINGS),
    }),
    'jvm.options': jvm.join('\n'),
    'log4j2.properties': LOGGING,
    'roles.yml': Object.entries(security?.roles ?? {})
      .map(writeRole)
      .join(''),
    users: users.map(({ name, password }) => `${name}:${hash(password)}\n`).join(''),
    users_roles: users.flatMap(({ name, roles }) => roles.map((role) => `${role}:${name}\n`)).join(''),
  };
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content);
    handOver(join(folder, name));
  }
  if (certificate !== undefined) await copyCertificate(certificate, folder);
  // It keeps a secret of its own in there.
  handOver(folder);
}

async function copyCertificate({ keyFile, caFile }: Certificate, folder: string): Promise<void> {
  const copies = { 'key.pem': keyFile, 'certificate.pem': caFile };
  for (const [name, file] of Object.entries(copies)) {
    await copyFile(file, join(folder, name));
    handOver(join(folder, name));
  }
}

/**
 * As `xpack.security.authc.password_hashing.algorithm: pbkdf2_1000` writes it: Elasticsearch's own program takes
 * seconds for each user.
 */
function hash(password: string): string {
  const salt = randomBytes(32);
  const key = pbkdf2Sync(password, salt, 1000, 32, 'sha512');
  return `{PBKDF2}1000$${salt.toString('base64')}$${key.toString('base64')}`;
}

/** Elasticsearch reads this file by lines, a role from each that is not indented. */
function writeRole([name, role]: readonly [string, ElasticsearchRole]): string {
  return `${name}: ${JSON.stringify(role)}\n`;
}
