/** Texts of the wallet page. */

export const BINDING_TEXTS = {
  loading: 'Reading the binding…',
  bound: 'This wallet is bound to',
  unbound: 'This wallet is not bound to an address of the main chain.',
  revoked: 'The binding of this wallet was revoked. It resolves to no machine and no operator.',
} as const;

export const NO_LEGACY_MACHINE =
  'The bound address is no legacy machine. The legacy machines that it operates are listed below.';
export const NO_LEGACY_FLEET = 'The bound address operates no legacy machines.';
export const NO_OWNED_MACHINES = 'This wallet owns no machine that this service has observed.';
