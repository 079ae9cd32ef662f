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
