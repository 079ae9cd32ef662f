/** Search field for ids, DIDs and addresses. Rejects other input at once, without a request. */
import { useState } from 'preact/hooks';
import { chains } from './chains.ts';
import { findTransactionChain } from './routes.ts';

export interface SearchProps {
  /** Returns the path for a search text; undefined if the text is not recognized. */
  readonly find: (text: string) => string | undefined;
  readonly navigate: (path: string) => void;
  readonly isLarge?: boolean;
}

export function Search({ find, navigate, isLarge = false }: SearchProps) {
  const [problem, setProblem] = useState('');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const input = (event.currentTarget as HTMLFormElement).elements.namedItem('q') as HTMLInputElement;
    const path = find(input.value);
    setProblem(path === undefined ? describeUnfound(input.value) : '');
    if (path !== undefined) navigate(path);
    else input.focus();
  };
  return (
    <form class={isLarge ? 'search large' : 'search'} role="search" onSubmit={submit} noValidate>
      <label class={isLarge ? undefined : 'unseen'} for="q">
        Machine id, DID, operator address or wallet address
      </label>
      <div class="field">
        <input
          id="q"
          name="q"
          type="search"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          placeholder={isLarge ? undefined : 'Search'}
          aria-describedby="q-problem"
          aria-invalid={problem !== ''}
        />
        <kbd aria-hidden="true">/</kbd>
        <button type="submit">Search</button>
      </div>
      <p id="q-problem" class="problem" role="status">
        {problem}
      </p>
    </form>
  );
}

/** A transaction is found where its chain has a block explorer: the service lists events by machine. */
function describeUnfound(text: string): string {
  const chain = findTransactionChain(text);
  return chain === undefined
    ? 'Not recognized. Enter a machine id, DID, operator address, wallet address or transaction.'
    : `This looks like a transaction of ${chains[chain].name}, for which no block explorer is configured here. ` +
        'Search for its machine instead: the tab Events names the transactions that the owner publishes.';
}
