import { escapeXml } from '../lib/escape-xml.ts';

const RS_NAMESPACE = 'http://www.openarchives.org/rs/terms/';
const RS_SCHEMA = 'http://www.openarchives.org/rs/1.1/resourcesync.xsd';

export interface Identity {
  readonly name: string;
  readonly baseUrl: string;
  readonly adminEmail: string;
  /** The datestamp that no record is older than. */
  readonly earliest: string;
  /** Where a client of ResourceSync begins. */
  readonly resourceSync: string;
}

/** OAI-PMH 2.0, 4.2. */
export function writeIdentify({ name, baseUrl, adminEmail, earliest, resourceSync }: Identity): string {
  return `<Identify>
<repositoryName>${escapeXml(name)}</repositoryName>
<baseURL>${escapeXml(baseUrl)}</baseURL>
<protocolVersion>2.0</protocolVersion>
<adminEmail>${escapeXml(adminEmail)}</adminEmail>
<earliestDatestamp>${earliest}</earliestDatestamp>
<deletedRecord>persistent</deletedRecord>
<granularity>YYYY-MM-DDThh:mm:ssZ</granularity>
<compression>gzip</compression>
<description><rs:ln xmlns:rs="${RS_NAMESPACE}" xsi:schemaLocation="${RS_NAMESPACE} ${RS_SCHEMA}" rel="resourcesync" href="${escapeXml(resourceSync)}"/></description>
</Identify>`;
}

/** The address that each host should have (RFC 5321, 4.5.1), where no other one is set. */
export function postmasterOf(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  if (/^\d+(?:\.\d+){3}$/.test(hostname)) return `postmaster@[${hostname}]`;
  return `postmaster@${hostname.includes('.') ? hostname : `${hostname.replace(/[^a-z0-9-]/gi, '')}.localdomain`}`;
}
