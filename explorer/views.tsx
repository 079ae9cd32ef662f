/**
 * Views of the routes. The start page and the page of a machine are in the first script; the others have scripts of their own, which are
 * fetched when they are shown first.
 */
import type { ComponentChildren } from 'preact';
import { HomePage } from './home/home-page.tsx';
import { MachinePage } from './machine/machine-page.tsx';
import type { Route } from './parts/routes.ts';

export type Navigate = (path: string) => void;

/** Renders the view of one route. */
export type View = (navigate: Navigate) => ComponentChildren;

/** Returns the view of the route. Rejects if its script cannot be fetched. */
export async function loadView(route: Route): Promise<View> {
  switch (route.kind) {
    case 'home':
      return (navigate) => <HomePage navigate={navigate} />;
    case 'machine':
      return () => <MachinePage id={route.id} />;
    case 'operator': {
      const { OperatorPage } = await import('./operator/operator-page.tsx');
      return () => <OperatorPage address={route.address} />;
    }
    case 'wallet': {
      const { WalletPage } = await import('./wallet/wallet-page.tsx');
      return () => <WalletPage wallet={route.address} />;
    }
    case 'machines': {
      const { DirectoryPage } = await import('./directory/directory-page.tsx');
      return () => <DirectoryPage />;
    }
    case 'compare': {
      const { ComparePage } = await import('./compare/compare-page.tsx');
      return () => <ComparePage />;
    }
    case 'watchlist': {
      const { WatchlistPage } = await import('./watchlist/watchlist-page.tsx');
      return () => <WatchlistPage />;
    }
    case 'methodology': {
      const { MethodologyPage } = await import('./methodology/methodology-page.tsx');
      return () => <MethodologyPage />;
    }
    case 'system': {
      const { SystemPage } = await import('./system/system-page.tsx');
      return () => <SystemPage />;
    }
    case 'reference': {
      const { ReferencePage } = await import('./reference/reference-page.tsx');
      return () => <ReferencePage />;
    }
    case 'unknown':
      return () => (
        <div class="notice">
          <h1>Page not found</h1>
          <p>
            The address is misspelled or the page was removed. <a href="/">Go to search</a>
          </p>
        </div>
      );
  }
}

/** Replaces a view whose script cannot be fetched: the connection failed, or a newer version of the pages is served. */
export function showUnloaded(): ComponentChildren {
  return (
    <div class="notice bad">
      <h1>Page not loaded</h1>
      <p>
        A part of this page could not be loaded. The connection failed, or the pages have been updated. Check your
        connection, then reload the page.
      </p>
    </div>
  );
}
