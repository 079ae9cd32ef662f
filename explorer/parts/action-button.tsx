/** Button of an action that is not always possible. */
import type { ComponentChildren } from 'preact';

interface ActionButtonProps {
  readonly isOff: boolean;
  readonly act: () => void;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** Button that keeps the focus while it does nothing, which `disabled` would take away. */
export function ActionButton({ isOff, act, class: style, children }: ActionButtonProps) {
  return (
    <button type="button" class={style} aria-disabled={isOff} onClick={() => !isOff && act()}>
      {children}
    </button>
  );
}
