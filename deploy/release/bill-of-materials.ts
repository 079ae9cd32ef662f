/** Bill of materials of a release in CycloneDX, as npm writes it, reduced to the delivered packages. */
import type { DeliveredPackage } from './delivered-packages.ts';
import { runNpm } from './programs.ts';

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
}

interface Bill {
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp: string; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** Returns the document for the lock file in a folder. Throws when it lacks a delivered package. */
export function renderBill(source: string, delivered: readonly DeliveredPackage[], seconds: number): string {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'];
  const bill = JSON.parse(runNpm(args, source).toString()) as Bill;
  const names = new Set(delivered.map(({ name, version }) => `${name}@${version}`));
  const components = bill.components.filter(({ name, version }) => names.delete(`${name}@${version}`));
  if (names.size > 0) throw new Error(`npm sbom does not list ${[...names].join(', ')}`);
  const references = new Set([bill.metadata.component, ...components].map((each) => each['bom-ref']));
  const dependencies = bill.dependencies
    .filter(({ ref }) => references.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => references.has(each)) }));
  // The time is that of the commit, and a serial number would be random.
  const metadata = { ...bill.metadata, timestamp: new Date(seconds * 1000).toISOString() };
  const { serialNumber: _, ...rest } = bill;
  return `${JSON.stringify({ ...rest, metadata, components, dependencies }, undefined, 2)}\n`;
}
