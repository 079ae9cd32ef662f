/** What is looked for, and does the service work? */
import { useEffect } from 'preact/hooks';
import { ActiveSection } from './active-machines.tsx';
import { useAnswer } from './answers.ts';
import { shorten } from './formats.ts';
import { Section } from './marks.tsx';
import { findPath, machinePath } from './places.ts';
import { listRecentMachines } from './recent-machines.ts';
import { Search } from './search.tsx';
import { SystemLine } from './system-page.tsx';
import type { Readiness } from './wire.ts';
import { SITE_NAME } from './words.ts';

export function HomePage({ go }: { readonly go: (path: string) => void }) {
  const ready = useAnswer<Readiness>('/ready', 30);
  useEffect(() => {
    document.title = SITE_NAME;
  }, []);
  return (
    <div class="home">
      <h1>May I rely on this machine?</h1>
      <p class="lead">How far, why, and how fresh that is: read from its chains, and open for anyone to recompute.</p>
      <Search find={findPath} go={go} isLarge />
      <SystemLine ready={ready} />
      <ActiveSection />
      <Recent />
    </div>
  );
}

function Recent() {
  const machines = listRecentMachines();
  if (machines.length === 0) return null;
  return (
    <Section title="Looked at in this browser">
      <ul class="recent">
        {machines.map(({ id, letter, score }) => (
          <li key={id}>
            <a href={machinePath(id)} title={id}>
              #{shorten(id, 8)}
            </a>{' '}
            <span class="quiet">
              {letter}, {score} of 100 then
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
