/** Texts of the opt-in tab. */
import type { Explanation } from '../parts/wire.ts';

export const MEANING = [
  'Opting in says that this machine takes part in monetization: marketplaces and payers that read this service may offer its services and data for money.',
  'It moves no money, changes no ownership and does not change the rating. The newest decision counts, and you can opt out at any time.',
];

/** Returns why an opt-in would be refused now, with the remedy; an opt-out never is. */
export function findObstacles({ bond_status, inputs, availability }: Explanation): readonly string[] {
  return [
    ...(bond_status === 'bonded'
      ? []
      : [
          inputs.subscription === 'Terminated'
            ? 'The bond was terminated, so this machine cannot opt in.'
            : 'The machine is not bonded. Bond it, wait for confirmation, then opt in.',
        ]),
    ...(availability === 'deactivated' ? ['The protocol deactivated this machine, so it cannot opt in.'] : []),
    ...(availability === 'paused' ? ['The machine is paused. Opt in when it is available again.'] : []),
  ];
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
