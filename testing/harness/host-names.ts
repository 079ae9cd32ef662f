/** Host names of this machine that exist for the current process only, and that can stop resolving. */
import dns, { type LookupAddress, type LookupOptions } from 'node:dns';

export interface HostNames {
  /** Counts the look-ups that failed. */
  readonly failures: number;
  /** Lets a name fail as if its name servers did not respond. */
  fail(name: string): void;
  heal(): void;
  /** Restores the look-ups of the process. */
  close(): Promise<void>;
}

const ADDRESS = '127.0.0.1';

type Callback = (error: Error | null, address?: string | LookupAddress[], family?: number) => void;

/** Resolves every name with this suffix to the loopback. */
export function createHostNames(suffix: string): HostNames {
  const original = dns.lookup;
  const failing = new Set<string>();
  let failures = 0;
  const lookup = (name: string, options: LookupOptions | number | Callback, done?: Callback) => {
    if (!name.endsWith(suffix)) return Reflect.apply(original, dns, [name, options, done]) as undefined;
    const callback = (typeof options === 'function' ? options : done)!;
    if (failing.has(name)) {
      failures++;
      const error = Object.assign(new Error('look-up failed'), { code: 'EAI_AGAIN', syscall: 'getaddrinfo' });
      return void setImmediate(callback, error);
    }
    const isList = typeof options === 'object' && options.all === true;
    return void setImmediate(callback, null, isList ? [{ address: ADDRESS, family: 4 }] : ADDRESS, 4);
  };
  dns.lookup = lookup as typeof dns.lookup;
  return {
    get failures() {
      return failures;
    },
    fail: (name) => void failing.add(name),
    heal: () => failing.clear(),
    close() {
      dns.lookup = original;
      return Promise.resolve();
    },
  };
}
