import { resourceView } from '../../../api/resource-view.ts';
import type { Resource } from '../../../core/resource.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import { formatStamp } from '../../../core/stamp.ts';

/** Formats a resource as a line for people, or of JSON. */
export function resourceLine(set: ResourceSet, resource: Resource, json: boolean): string {
  if (json) return `${JSON.stringify(resourceView(set, resource))}\n`;
  return `${formatStamp(resource.stamp)}  ${resource.key}\n`;
}
