/** What is looked for? One field takes every spelling; what is none of them is said at once, without asking the service. */
import { useState } from 'preact/hooks';

export interface SearchProps {
  /** The path of what a text names; undefined: it names nothing. */
  readonly find: (text: string) => string | undefined;
  readonly go: (path: string) => void;
  readonly isLarge?: boolean;
}

export function Search({ find, go, isLarge = false }: SearchProps) {
  const [problem, setProblem] = useState('');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const input = (event.currentTarget as HTMLFormElement).elements.namedItem('q') as HTMLInputElement;
    const path = find(input.value);
    setProblem(path === undefined ? 'This is not a machine id, a DID, an operator address or a wallet address.' : '');
    if (path !== undefined) go(path);
    else input.focus();
  };
  return (
    <form class={isLarge ? 'search large' : 'search'} role="search" onSubmit={submit} noValidate>
      <label class={isLarge ? undefined : 'unseen'} for="q">
        Machine id, DID, operator address or wallet
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
