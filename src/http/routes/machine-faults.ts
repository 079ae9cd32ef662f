/** Errors that every route about one machine can return, for the descriptions of those routes. */

const MACHINE_FAULTS = [
  'MachineAbsent',
  'MachineRelocating',
  'MachineHomedElsewhere',
  'ServiceNotInitialised',
  'StoreUnavailable',
] as const;

/** The same of routes that need the events of the machine and the time. */
export const RATING_FAULTS = ['EventIndexSyncing', 'ClockInvalid', ...MACHINE_FAULTS] as const;
