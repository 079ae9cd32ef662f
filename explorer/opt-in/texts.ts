/** Texts of the opt-in tab. */
import { isOnAltChain } from '../parts/home-chain.ts';
import type { Explanation } from '../parts/wire.ts';

export const MEANING = [
  'Opting in says that this machine takes part in monetization: marketplaces and payers that read this service may offer its services and data for money.',
  'It moves no money, changes no ownership and does not change the rating. The newest decision counts, and you can opt out at any time.',
];

/** What stops an opt-in of a machine of the main chain; nothing of it stops one of the alt chain. */
const AVAILABILITY_OBSTACLES: Readonly<Record<Explanation['availability'], string | undefined>> = {
  available: undefined,
  paused: 'The machine is paused. Opt in when it is available again.',
  deactivated: 'The protocol deactivated this machine, so it cannot opt in.',
  unreadable:
    'The service cannot read whether the machine is paused, so it would refuse an opt-in now. Opt in when the availability is known again.',
};

/** Returns why an opt-in would be refused now, with the remedy; an opt-out never is. */
export function findObstacles(
  explanation: Pick<Explanation, 'bond_status' | 'inputs' | 'availability'>,
): readonly string[] {
  const { bond_status, inputs, availability } = explanation;
  const bond =
    inputs.subscription === 'Terminated'
      ? 'The bond was terminated, so this machine cannot opt in.'
      : 'The machine is not bonded. Bond it, wait for confirmation, then opt in.';
  const stop = isOnAltChain(explanation) ? undefined : AVAILABILITY_OBSTACLES[availability];
  return [...(bond_status === 'bonded' ? [] : [bond]), ...(stop === undefined ? [] : [stop])];
}

export const OPT_OUT_ALWAYS = 'Opting out is always possible.';
export const MAIN_SIGNERS =
  'The owner or the controller of the machine may sign, with personal_sign of an Ethereum wallet.';
export const ALT_SIGNERS = 'Only the owner of the machine may sign, with the message signature of a Solana wallet.';
export const SAME_ACCOUNT = 'Where no controller is set, the owner is the controller.';
export const RELOCATING_EXIT = [
  'A machine that relocates cannot opt in until the move is complete, but it can opt out now. Who may sign depends on the chain that holds the machine: the chain that it leaves until the move is confirmed there.',
  'If the service refuses the signature as not authorized, the other chain may hold the machine by now: choose it and sign again.',
];

export const CHANGE = 'Change opt-in';
export const CLOSE = 'Close';
export const DECIDED_BEFORE_SALE =
  'Decided before the machine changed hands: the signer is neither owner nor controller now. The decision stays in force until the new owner or controller decides.';

export const SHOW_MESSAGE = 'Show the message to sign';
export const NEW_MESSAGE = 'Create a new message';
export const MESSAGE_TITLE = 'Message to sign';
export const MESSAGE_LOADING = 'Loading the message…';
export const SENDING = 'Sending…';
export const SIGNING_IS_FREE = 'Signing is free: it makes no transaction and moves no money.';
export const PASTE = 'Paste a signature made elsewhere';
export const SEND_SIGNATURE = 'Send signature';
export const NO_RESPONSE = 'The service did not respond.';
export const REJECTED = 'The decision was rejected.';
/** Reasons why no message or no signature was made. */
export const DATED_AHEAD = 'the decision in force is dated in the future; try again in a minute';
export const NO_MACHINE_ID = 'this is not a machine id';
export const REJECTED_IN_WALLET = 'the request was rejected in the wallet.';
export const NO_REASON = 'no reason was given';

export function describeChoice(isOptIn: boolean): string {
  return isOptIn ? 'Opt in' : 'Opt out';
}

/** Texts that depend on the home chain of the machine. */
export const CHAIN_TEXTS = {
  main: {
    signers: 'The owner or the controller may sign',
    signature: 'personal_sign signature (0x and 130 hex digits)',
    wallet: 'Ethereum',
  },
  alt: { signers: 'The owner may sign', signature: 'Signature (base58)', wallet: 'Solana' },
} as const;
export const PUBLIC_KEY = 'Public key of the owner (base58)';

export function describeNoWallet(wallet: string): string {
  return `No ${wallet} wallet was found in this browser. Sign the message elsewhere, then paste the signature.`;
}

export function describeExpiry(leftSeconds: number): string {
  if (leftSeconds <= 0) return 'This message has expired. Create a new one.';
  return `Expires in ${Math.floor(leftSeconds / 60)}:${String(leftSeconds % 60).padStart(2, '0')}`;
}

export function describeNotCreated(reason: string): string {
  return `The message could not be created: ${reason}`;
}

export function describeWaitingFor(wallet: string): string {
  return `Waiting for ${wallet}…`;
}

export function describeNotSigned(wallet: string, reason: string): string {
  return `${wallet} did not sign: ${reason}`;
}

const UNKNOWN_SIGNER = 'an unknown account';

export function describeStored(state: string, signer: string | null): string {
  return `Stored: ${state.toLowerCase()}, signed by ${signer ?? UNKNOWN_SIGNER}.`;
}
