/**
 * Opt-out of a machine that relocates: a machine can always exit. No read names its home or the decision in force, so the user chooses the
 * chain that holds the machine.
 */
import { useState } from 'preact/hooks';
import { chains, type ChainName } from '../parts/chains.ts';
import { Section } from '../parts/components.tsx';
import { DecisionForm } from './decision-form.tsx';
import { RELOCATING_EXIT } from './texts.ts';

export function RelocatingExit({ id }: { readonly id: string }) {
  const [holder, setHolder] = useState<ChainName>();
  const { ordinal } = chains.alt;
  const holders = ordinal === undefined ? (['main'] as const) : (['main', 'alt'] as const);
  return (
    <Section title="Opt out of monetization">
      {RELOCATING_EXIT.map((text) => (
        <p key={text}>{text}</p>
      ))}
      <fieldset class="holder">
        <legend>Chain that holds the machine</legend>
        {holders.map((chain) => (
          <label key={chain}>
            <input type="radio" name="holder" checked={holder === chain} onChange={() => setHolder(chain)} />
            {chains[chain].name}
          </label>
        ))}
      </fieldset>
      {holder !== undefined && (
        <DecisionForm
          key={holder}
          id={id}
          home={holder === 'alt' && ordinal !== undefined ? { chain: 'alt', ordinal } : { chain: 'main' }}
          inForce={undefined}
          entitled={[]}
          canOptIn={false}
        />
      )}
    </Section>
  );
}
