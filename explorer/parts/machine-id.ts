/** Machine ids as texts. */

const MACHINE_ID = /^[1-9][0-9]{0,77}$/;

export function isMachineId(text: string): boolean {
  return MACHINE_ID.test(text);
}
