/**
 * Root component: navigation, search and the view for the current path. Internal links change the view without a page
 * load.
 */
import { Fragment } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { findAny } from './home/find-any.ts';
import { parseRoute, type Route } from './parts/routes.ts';
import { Search } from './parts/search.tsx';
import { chooseTimeZone, currentTimeZone } from './parts/time-zone.ts';
import { reportUrlChange } from './parts/url-state.ts';
import { SITE_NAME } from './parts/texts.ts';
import { loadView, showUnloaded, type View } from './views.tsx';

/** Pages of wide tables use screens of up to 2,560 pixels. */
const WIDE: readonly Route['kind'][] = ['machines', 'operator', 'compare'];

/** View of a path, ready to be rendered. */
export interface LoadedPage {
  readonly path: string;
  readonly route: Route;
  readonly view: View;
}

/** Loads the page of a path. Never rejects: a page that cannot be loaded says so. */
export async function loadPage(path: string): Promise<LoadedPage> {
  const route = parseRoute(path);
  return { path, route, view: await loadView(route).catch(() => showUnloaded) };
}

export function App({ first }: { readonly first: LoadedPage }) {
  const [{ path, route, view }, setPage] = useState(first);
  const [zone, setZone] = useState(currentTimeZone);
  const main = useRef<HTMLElement>(null);
  const wide = WIDE.includes(route.kind) ? 'wide' : '';

  /** Shows the page of the URL, which may change again while the page is loaded. */
  const showCurrent = async () => {
    const page = await loadPage(location.pathname);
    if (page.path === location.pathname) setPage(page);
  };

  /** A change of the query alone keeps the page, its scroll position and the focus. */
  const navigate = (next: string) => {
    const url = new URL(next, location.href);
    if (url.origin !== location.origin) {
      location.assign(url);
      return;
    }
    const isSamePage = url.pathname === location.pathname;
    if (url.href !== location.href) history.pushState(null, '', url);
    if (isSamePage) {
      reportUrlChange();
      return;
    }
    void showCurrent().then(() => {
      scrollTo(0, 0);
      main.current?.focus();
    });
  };

  // Before the first paint: what is shown can be used.
  useLayoutEffect(() => {
    const onPop = () => void showCurrent();
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
      if (link === null || !isPlain || event.defaultPrevented || link.target !== '') return;
      if (
        link.origin !== location.origin ||
        link.hash !== '' ||
        link.hasAttribute('download') ||
        parseRoute(link.pathname).kind === 'unknown'
      )
        return;
      event.preventDefault();
      navigate(link.pathname + link.search);
    };
    const onKey = (event: KeyboardEvent) => {
      const isTyping = !(event.target instanceof Element) || event.target.closest('input, textarea, select') !== null;
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
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

  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class={`top ${wide}`}>
        <a class="brand" href="/">
          {SITE_NAME}
        </a>
        {route.kind !== 'home' && <Search find={findAny} navigate={navigate} />}
        <nav aria-label="Pages">
          <a href="/explorer/machines" aria-current={route.kind === 'machines' ? 'page' : undefined}>
            Machines
          </a>{' '}
          <a href="/explorer/watchlist" aria-current={route.kind === 'watchlist' ? 'page' : undefined}>
            Watchlist
          </a>{' '}
          <a href="/methodology" aria-current={route.kind === 'methodology' ? 'page' : undefined}>
            Methodology
          </a>{' '}
          <a href="/docs" aria-current={route.kind === 'reference' ? 'page' : undefined}>
            API
          </a>
        </nav>
      </header>
      <main id="main" class={wide} ref={main} tabIndex={-1}>
        <Fragment key={path}>{view(navigate)}</Fragment>
      </main>
      <footer class={`bottom ${wide}`}>
        <p>All data is read from public chains, and anyone can recompute it. Nothing on these pages is advice.</p>
        <p>
          <label>
            Times{' '}
            <select
              value={zone}
              onChange={({ currentTarget: { value } }) => {
                const chosen = value === 'local' ? 'local' : 'utc';
                chooseTimeZone(chosen);
                setZone(chosen);
              }}
            >
              <option value="utc">UTC</option>
              <option value="local">local</option>
            </select>
          </label>{' '}
          · <a href="/explorer/compare">Compare</a> · <a href="/explorer/system">System</a>
        </p>
      </footer>
    </>
  );
}
