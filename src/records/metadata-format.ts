/** A metadata format of OAI-PMH: its prefix, the namespace of its root element, and the location of its schema. */
export interface MetadataFormat {
  readonly prefix: string;
  readonly namespace: string;
  readonly schema: string;
}

/** OAI-PMH 2.0, appendix 1: each repository has it. */
export const OAI_DC: MetadataFormat = {
  prefix: 'oai_dc',
  namespace: 'http://www.openarchives.org/OAI/2.0/oai_dc/',
  schema: 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd',
};

export const NSDL_DC: MetadataFormat = {
  prefix: 'nsdl_dc',
  namespace: 'http://ns.nsdl.org/nsdl_dc_v1.02/',
  schema: 'http://ns.nsdl.org/schemas/nsdl_dc/nsdl_dc_v1.02.xsd',
};
