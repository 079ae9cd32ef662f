/** Home page: search, service status, and recent machines. */
import { useEffect } from 'preact/hooks';
import { ActiveSection } from './active-machines.tsx';
import { useQuery } from '../parts/queries.ts';
import { MachineLink, Section, ShortLink } from '../parts/components.tsx';
import { findAny } from './find-any.ts';
import { operatorPath, walletPath } from '../parts/routes.ts';
import { RatingChanges } from './rating-changes.tsx';
import { listRecentMachines } from './recent-machines.ts';
import { Search } from '../parts/search.tsx';
import { SystemLine } from '../system/system-line.tsx';
import type { Directory, Readiness } from '../parts/wire.ts';
import { isRated, SITE_NAME } from '../parts/texts.ts';
import { describeViewed, LEAD } from './texts.ts';

export function HomePage({ navigate }: { readonly navigate: (path: string) => void }) {
  const ready = useQuery<Readiness>('/ready', 30);
  useEffect(() => {
    document.title = SITE_NAME;
  }, []);
  return (
    <div class="home">
      <h1>Look up a machine</h1>
      <p class="lead">
        {LEAD} <a href="/methodology">methodology</a>.
      </p>
      <Search find={findAny} navigate={navigate} isLarge />
      <Examples />
      <SystemLine ready={ready} />
      <div class="columns">
        <ActiveSection />
        <RatingChanges />
      </div>
      <Recent />
    </div>
  );
}

/** Examples of what the search finds, from the machines of this deployment. */
function Examples() {
  const machine = useQuery<Directory>('/directory?limit=1').response?.body.machines[0];
  const alt = useQuery<Directory>('/directory?home=alt&limit=1').response?.body.machines[0];
  return (
    <p class="examples">
      {machine === undefined ? (
        ' '
      ) : (
        <>
          For example machine <MachineLink id={machine.machine_id} />
          {machine.operator !== null && (
            <>
              , operator <ShortLink id={machine.operator} href={operatorPath(machine.operator)} label="operator" />
            </>
          )}
          {alt !== undefined && (
            <>
              , wallet <ShortLink id={alt.owner} href={walletPath(alt.owner)} label="wallet" />
            </>
          )}
        </>
      )}
    </p>
  );
}

function Recent() {
  const machines = listRecentMachines();
  if (machines.length === 0) return null;
  return (
    <Section title="Recently viewed">
      <ul class="recent">
        {machines.map(({ id, letter, score }) => (
          <li key={id}>
            <MachineLink id={id} ends={8} /> <span class="quiet">{describeViewed(letter, score, isRated(letter))}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
