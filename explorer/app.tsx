/** Which view does the address bar ask for? Links within the explorer change the view without loading the page anew. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { HomePage } from './home-page.tsx';
import { MachinePage } from './machine-page.tsx';
import { OperatorPage } from './operator-page.tsx';
import { findPath, toPlace, type Place } from './places.ts';
import { ReferencePage } from './reference-page.tsx';
import { Search } from './search.tsx';
import { SystemPage } from './system-page.tsx';
import { SITE_NAME } from './words.ts';

export function App() {
  const [path, setPath] = useState(location.pathname);
  const main = useRef<HTMLElement>(null);

  const go = (next: string) => {
    if (next !== location.pathname) history.pushState(null, '', next);
    setPath(next);
    scrollTo(0, 0);
    main.current?.focus();
  };

  useEffect(() => {
    const onPop = () => setPath(location.pathname);
    const onClick = (event: MouseEvent) => {
      const link = (event.target as Element).closest?.('a');
      const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
      if (link === null || !isPlain || event.defaultPrevented || link.target !== '') return;
      if (link.origin !== location.origin || link.hash !== '' || toPlace(link.pathname).kind === 'nowhere') return;
      event.preventDefault();
      go(link.pathname);
    };
    const onKey = (event: KeyboardEvent) => {
      const typing = (event.target as Element).closest?.('input, textarea, select') !== null;
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      document.querySelector<HTMLInputElement>('input[type=search]')?.focus();
    };
    addEventListener('popstate', onPop);
    document.addEventListener('click', onClick);
    document.addEventListener('keydown', onKey);
    return () => {
      removeEventListener('popstate', onPop);
      document.removeEventListener('click', onClick);
      document.removeEventListener('keydown', onKey);
    };
  }, []);

  const place = toPlace(path);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href="/">
          {SITE_NAME}
        </a>
        {place.kind !== 'home' && <Search find={findPath} go={go} />}
        <nav aria-label="Pages">
          <a href="/explorer/system" aria-current={place.kind === 'system' ? 'page' : undefined}>
            System
          </a>
        </nav>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <View key={path} place={place} go={go} />
      </main>
      <footer class="bottom">
        <p>Everything shown here is read from public chains and can be recomputed. Nothing on these pages is advice.</p>
        <p>
          <a href="/docs">API reference</a>
        </p>
      </footer>
    </>
  );
}

function View({ place, go }: { readonly place: Place; readonly go: (path: string) => void }) {
  switch (place.kind) {
    case 'home':
      return <HomePage go={go} />;
    case 'machine':
      return <MachinePage id={place.id} />;
    case 'operator':
      return <OperatorPage address={place.address} />;
    case 'wallet':
      return <OperatorPage address={place.address} isWallet />;
    case 'system':
      return <SystemPage />;
    case 'reference':
      return <ReferencePage />;
    case 'nowhere':
      return (
        <>
          <h1>No such page</h1>
          <p>
            <a href="/">To the search</a>
          </p>
        </>
      );
  }
}
