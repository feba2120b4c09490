import { buildWithGo } from './build-with-go.ts';

/** The program that puts manifests of Kubernetes together. Go builds it once, within a minute. */
export function installKustomize(): Promise<string> {
  return buildWithGo({
    module: 'sigs.k8s.io/kustomize/kustomize/v5',
    // Newer ones need Go 1.27.
    version: 'v5.8.1',
    name: 'kustomize',
    folder: 'kustomize',
    needed: 'Go, which builds kustomize, was not found: install Go 1.25 or newer (https://go.dev/dl)',
  });
}

if (import.meta.main) console.log(await installKustomize());
