/** Search field for ids, DIDs and addresses. Rejects other input at once, without a request. */
import { useState } from 'preact/hooks';

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
    setProblem(
      path === undefined
        ? 'Not recognized. Enter a machine id, DID, operator address, wallet address or transaction.'
        : '',
    );
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
