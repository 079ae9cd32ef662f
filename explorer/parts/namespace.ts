/** Namespace of this deployment, which the service embeds in the HTML shell. */

export interface PageNamespace {
  readonly did_method: string;
  /** Key of the only object of the profile. */
  readonly profile_object: string;
  readonly well_known_path: string;
  readonly statements_path: string;
  readonly message_header: string;
}

export const namespace = JSON.parse(document.body.dataset['namespace'] ?? '{}') as PageNamespace;

export const DID_PREFIX = `did:${namespace.did_method}:`;

export function machineDid(id: string): string {
  return DID_PREFIX + id;
}
