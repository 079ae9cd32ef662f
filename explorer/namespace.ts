/** Which words does this deployment use? The service writes them into the document that it serves. */

export interface PageNamespace {
  readonly did_method: string;
  /** The one object key of the profile. */
  readonly profile_object: string;
  readonly well_known_path: string;
  readonly message_header: string;
}

export const namespace = JSON.parse(document.body.dataset['namespace'] ?? '{}') as PageNamespace;

export const DID_PREFIX = `did:${namespace.did_method}:`;

export function machineDid(id: string): string {
  return DID_PREFIX + id;
}
