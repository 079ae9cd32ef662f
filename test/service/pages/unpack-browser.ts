/** Unpacks the browser of the dependencies once, before suites in several processes launch it. */
import { findBrowser } from './browser.ts';

export default async function unpackBrowser(): Promise<void> {
  await findBrowser();
}
