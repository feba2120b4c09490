/** Where each document is, below the base URL (which ends without a slash). Page and window names are given by their owners. */
export interface DocumentUris {
  readonly sourceDescription: string;
  readonly home: string;
  descriptionPart(name: string): string;
}

export function sourceUris(baseUrl: string): DocumentUris {
  return {
    sourceDescription: `${baseUrl}/.well-known/resourcesync`,
    home: `${baseUrl}/`,
    descriptionPart: (name) => `${baseUrl}/description-${name}.xml`,
  };
}

export interface SetUris {
  readonly home: string;
  readonly capabilityList: string;
  readonly resourceList: string;
  readonly changeList: string;
  readonly recentChanges: string;
  /** The prefix of resources that are served here; ends with a slash. */
  readonly resources: string;
  resourcePage(name: string): string;
  changeWindow(name: string): string;
}

export function setUris(baseUrl: string, slug: string): SetUris {
  const home = `${baseUrl}/sets/${slug}/`;
  return {
    home,
    capabilityList: `${home}capabilitylist.xml`,
    resourceList: `${home}resourcelist.xml`,
    changeList: `${home}changelist.xml`,
    recentChanges: `${home}changelist-recent.xml`,
    resources: `${home}resources/`,
    resourcePage: (name) => `${home}resourcelist-${name}.xml`,
    changeWindow: (name) => `${home}changelist-${name}.xml`,
  };
}
