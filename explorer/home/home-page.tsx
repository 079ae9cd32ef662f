/** Home page: search, service status, and recent machines. */
import { useEffect } from 'preact/hooks';
import { ActiveSection } from './active-machines.tsx';
import { useQuery } from '../parts/queries.ts';
import { shorten } from '../parts/formats.ts';
import { Section } from '../parts/components.tsx';
import { findAny } from './find-any.ts';
import { machinePath, operatorPath, walletPath } from '../parts/routes.ts';
import { RatingChanges } from './rating-changes.tsx';
import { listRecentMachines } from './recent-machines.ts';
import { Search } from '../parts/search.tsx';
import { SystemLine } from '../system/system-line.tsx';
import type { Directory, Readiness } from '../parts/wire.ts';
import { SITE_NAME } from '../parts/texts.ts';

export function HomePage({ navigate }: { readonly navigate: (path: string) => void }) {
  const ready = useQuery<Readiness>('/ready', 30);
  useEffect(() => {
    document.title = SITE_NAME;
  }, []);
  return (
    <div class="home">
      <h1>Look up a machine</h1>
      <p class="lead">
        This service rates machines that earn money on their own, from 0 to 100 points, with every point explained. All
        data comes from public chains, and anyone can recompute it: see the <a href="/methodology">methodology</a>.
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
          For example machine{' '}
          <a href={machinePath(machine.machine_id)} title={machine.machine_id}>
            #{shorten(machine.machine_id, 6)}
          </a>
          {machine.operator !== null && (
            <>
              , operator{' '}
              <a href={operatorPath(machine.operator)} title={machine.operator}>
                {shorten(machine.operator, 6)}
              </a>
            </>
          )}
          {alt !== undefined && (
            <>
              , wallet{' '}
              <a href={walletPath(alt.owner)} title={alt.owner}>
                {shorten(alt.owner, 6)}
              </a>
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
            <a href={machinePath(id)} title={id}>
              #{shorten(id, 8)}
            </a>{' '}
            <span class="quiet">
              {letter}, {score} of 100 when viewed
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
