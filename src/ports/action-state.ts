/**
 * State that actions hold between requests: caches, queues, high-water marks. The composition creates it once per service, so
 * that two services in one process share nothing.
 */

export interface ActionState {
  /** Returns this service's instance of a state. `create` makes it on first use and identifies it: pass a constant. */
  of<T>(create: () => T): T;
}

export function createActionState(): ActionState {
  const instances = new Map<() => unknown, unknown>();
  return {
    of<T>(create: () => T): T {
      const known = instances.get(create) as T | undefined;
      if (known !== undefined) return known;
      const instance = create();
      instances.set(create, instance);
      return instance;
    },
  };
}
