/** Button that removes its entry of a list. The focus moves to the button of the next entry, so that it is never lost. */

interface RemoveButtonProps {
  /** What is removed, for screen readers. */
  readonly label: string;
  readonly class: string;
  readonly remove: () => void;
}

export function RemoveButton({ label, class: style, remove }: RemoveButtonProps) {
  return (
    <button
      type="button"
      class={style}
      aria-label={`Remove ${label}`}
      data-removes
      onClick={({ currentTarget }) => {
        findNeighbor(currentTarget)?.focus();
        remove();
      }}
    >
      Remove
    </button>
  );
}

/** Returns the button of the next entry, or of the one before; the content of the page where there is none. */
function findNeighbor(button: HTMLElement): HTMLElement | null {
  const all = [...document.querySelectorAll<HTMLElement>('[data-removes]')];
  const at = all.indexOf(button);
  return all[at + 1] ?? all[at - 1] ?? document.getElementById('main');
}
