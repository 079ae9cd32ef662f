/**
 * Form for an opt-in decision. Shows the exact message first; then a browser wallet signs it, or the user pastes a
 * signature made elsewhere. Makes no transaction, and sends nothing before the message is signed.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ActionButton } from '../parts/action-button.tsx';
import { formatBase58 } from '../../src/domain/identifiers/base58.ts';
import { toMachineId, type Address } from '../../src/domain/identifiers/identifiers.ts';
import { chooseTimestamp, MAX_AGE_SECONDS } from '../../src/domain/monetization/decision-window.ts';
import type { DecisionHome } from '../../src/domain/monetization/decision.ts';
import { prepareDecision, type PreparedDecision } from '../../src/domain/monetization/prepared-decision.ts';
import { requestJson, useNow, type ApiResponse, type ApiFailure } from '../parts/queries.ts';
import { toPlainText } from '../parts/formats.ts';
import { CopyButton } from '../parts/components.tsx';
import { machineDid, namespace } from '../parts/namespace.ts';
import {
  CHAIN_TEXTS,
  DATED_AHEAD,
  describeChoice,
  describeExpiry,
  describeNotCreated,
  describeNotSigned,
  describeNoWallet,
  describeStored,
  describeWaitingFor,
  MESSAGE_LOADING,
  MESSAGE_TITLE,
  NEW_MESSAGE,
  NO_MACHINE_ID,
  NO_REASON,
  NO_RESPONSE,
  PASTE,
  PUBLIC_KEY,
  REJECTED,
  REJECTED_IN_WALLET,
  SEND_SIGNATURE,
  SENDING,
  SHOW_MESSAGE,
  SIGNING_IS_FREE,
} from './texts.ts';
import { discoverWallets, type SignedMessage, type Wallet } from './wallets.ts';
import type { Deployment, Monetization } from '../parts/wire.ts';
import { DECISION_DEFAULT_HELP, DECISION_ERROR_HELP, DECISION_LOST_HELP, MONETIZATION_STATES } from '../parts/texts.ts';

export interface DecisionFormProps {
  readonly id: string;
  readonly home: DecisionHome;
  /** Undefined: it cannot be read while the machine relocates. */
  readonly inForce: Monetization | undefined;
  readonly entitled: readonly string[];
  /** False: the service would refuse an opt-in now. */
  readonly canOptIn: boolean;
  /** Called after a decision was stored. */
  readonly onStored?: () => void;
}

type Step =
  | { readonly kind: 'idle' }
  | { readonly kind: 'busy'; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string }
  | { readonly kind: 'refused'; readonly failure: ApiFailure }
  | { readonly kind: 'stored'; readonly state: Monetization };

export function DecisionForm({ id, home, inForce, entitled, canOptIn, onStored }: DecisionFormProps) {
  const [optedIn, setOptedIn] = useState(canOptIn && inForce?.status !== 'OPTED_IN');
  const [prepared, setPrepared] = useState<TimedDecision>();
  const [wallets, setWallets] = useState<readonly Wallet[]>([]);
  const [step, setStep] = useState<Step>({ kind: 'idle' });
  const outcome = useRef<HTMLDivElement>(null);
  const isBusy = step.kind === 'busy';

  useEffect(() => discoverWallets((wallet) => setWallets((known) => [...known, wallet])), []);

  const prepare = async () => {
    setStep({ kind: 'busy', text: MESSAGE_LOADING });
    const { response, failure } = await requestJson<Deployment>(namespace.well_known_path);
    if (failure !== undefined) {
      setStep({ kind: 'refused', failure });
      return;
    }
    try {
      setPrepared(prepareNow(id, optedIn, home, inForce, response));
      setStep({ kind: 'idle' });
    } catch (error) {
      setStep({ kind: 'failed', text: describeNotCreated(reasonOf(error)) });
    }
  };

  const send = async (decision: PreparedDecision, signed: SignedMessage) => {
    setStep({ kind: 'busy', text: SENDING });
    const body = JSON.stringify(toBody(decision, signed));
    const headers = { 'Content-Type': 'application/json' };
    const path = `/machine/${machineDid(id)}/monetization`;
    const { response, failure } = await requestJson<Monetization>(path, { method: 'PUT', body, headers });
    if (failure !== undefined) {
      setStep({ kind: 'refused', failure });
      return;
    }
    setPrepared(undefined);
    setStep({ kind: 'stored', state: response.body });
    // The button that had the focus is gone.
    outcome.current?.focus();
    onStored?.();
  };

  const sign = async (decision: PreparedDecision, wallet: Wallet) => {
    setStep({ kind: 'busy', text: describeWaitingFor(toPlainText(wallet.name)) });
    try {
      await send(decision, await wallet.sign(decision.message));
    } catch (error) {
      setStep({ kind: 'failed', text: describeNotSigned(toPlainText(wallet.name), reasonOf(error)) });
    }
  };

  return (
    <div class="decision">
      <fieldset disabled={isBusy}>
        <legend>Decision</legend>
        {[true, false].map((choice) => (
          <label key={String(choice)}>
            <input
              type="radio"
              name="opted_in"
              disabled={choice && !canOptIn}
              checked={optedIn === choice}
              onChange={() => {
                setOptedIn(choice);
                setPrepared(undefined);
              }}
            />
            {describeChoice(choice)}
          </label>
        ))}
      </fieldset>
      {prepared === undefined ? (
        <ActionButton isOff={isBusy} act={() => void prepare()}>
          {SHOW_MESSAGE}
        </ActionButton>
      ) : (
        <Prepared
          prepared={prepared}
          entitled={entitled}
          wallets={wallets.filter(({ scheme }) => scheme === prepared.scheme)}
          isBusy={isBusy}
          sign={(wallet) => void sign(prepared, wallet)}
          send={(signed) => void send(prepared, signed)}
          renew={() => void prepare()}
        />
      )}
      <div role="status" ref={outcome} tabIndex={-1}>
        <Outcome step={step} />
      </div>
    </div>
  );
}

/** Decision with the lead of the service's clock, by which it expires. */
interface TimedDecision extends PreparedDecision {
  readonly clockLeadMilliseconds: number;
}

/** Builds the message to sign. Throws a RangeError that names the invalid value. */
function prepareNow(
  id: string,
  optedIn: boolean,
  home: DecisionHome,
  inForce: Monetization | undefined,
  { body: { version: _, chain_id: chainId, registry }, clockLeadMilliseconds }: ApiResponse<Deployment>,
): TimedDecision {
  const machineId = toMachineId(BigInt(id));
  const now = Math.floor((Date.now() + clockLeadMilliseconds) / 1000);
  const timestamp = chooseTimestamp(now, inForce?.updated_at ?? undefined);
  if (machineId === undefined) throw new RangeError(NO_MACHINE_ID);
  if (timestamp === undefined) throw new RangeError(DATED_AHEAD);
  const deployment = { chainId, registry: registry as Address };
  const prepared = prepareDecision({ machineId, optedIn, timestamp }, home, deployment, namespace);
  return { ...prepared, clockLeadMilliseconds };
}

function toBody({ decision: { optedIn, timestamp } }: PreparedDecision, { account, signature }: SignedMessage) {
  const body = { opted_in: optedIn, timestamp };
  return typeof signature === 'string' && signature.startsWith('0x')
    ? { ...body, signature }
    : { ...body, signature: toText(signature), signer_pubkey: account };
}

function toText(signature: string | Uint8Array): string {
  return typeof signature === 'string' ? signature : formatBase58(signature);
}

function reasonOf(error: unknown): string {
  const { message, code } = (error ?? {}) as { readonly message?: unknown; readonly code?: unknown };
  if (code === 4001) return REJECTED_IN_WALLET;
  return `${toPlainText(typeof message === 'string' ? message : NO_REASON)}.`;
}

interface PreparedProps {
  readonly prepared: TimedDecision;
  readonly entitled: readonly string[];
  readonly wallets: readonly Wallet[];
  readonly isBusy: boolean;
  readonly sign: (wallet: Wallet) => void;
  readonly send: (signed: SignedMessage) => void;
  readonly renew: () => void;
}

function Prepared(props: PreparedProps) {
  const { prepared, entitled, wallets, isBusy, sign, renew } = props;
  const nowSeconds = (useNow() + prepared.clockLeadMilliseconds) / 1000;
  const leftSeconds = Math.max(0, Math.floor(prepared.decision.timestamp + MAX_AGE_SECONDS - nowSeconds));
  const isAlt = prepared.scheme === 'ed25519';
  const texts = CHAIN_TEXTS[isAlt ? 'alt' : 'main'];
  const message = useRef<HTMLPreElement>(null);
  // The button that had the focus is gone, and the message is read before it is signed.
  useEffect(() => message.current?.focus(), []);
  return (
    <div class="prepared">
      <h3 id="message-title">{MESSAGE_TITLE}</h3>
      <pre ref={message} tabIndex={0} aria-labelledby="message-title" class="message">
        {prepared.text}
      </pre>
      <p>
        <CopyButton text={prepared.text} label="the message" />
      </p>
      <ul class="plainly">
        <li>{SIGNING_IS_FREE}</li>
        <li>
          {texts.signers}
          {entitled.length > 0 && (
            <>
              {': '}
              {entitled.map((account) => (
                <code key={account} class="stranger">
                  {toPlainText(account)}{' '}
                </code>
              ))}
            </>
          )}
        </li>
        <li>{describeExpiry(leftSeconds)}</li>
      </ul>
      <p class="buttons">
        {wallets.map((wallet) => (
          <ActionButton key={wallet.name} isOff={isBusy || leftSeconds === 0} act={() => sign(wallet)}>
            Sign with {toPlainText(wallet.name)}
          </ActionButton>
        ))}
        <ActionButton class="second" isOff={isBusy} act={renew}>
          {NEW_MESSAGE}
        </ActionButton>
      </p>
      {wallets.length === 0 && <p class="note">{describeNoWallet(texts.wallet)}</p>}
      <PastedSignature {...props} isAlt={isAlt} />
    </div>
  );
}

function PastedSignature({ isAlt, send, isBusy, wallets }: PreparedProps & { readonly isAlt: boolean }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const textOf = (name: string) => {
      const value = fields.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    send({ account: textOf('key'), signature: textOf('signature') });
  };
  return (
    <details open={wallets.length === 0}>
      <summary>{PASTE}</summary>
      <form class="paste" onSubmit={submit}>
        <label>
          {CHAIN_TEXTS[isAlt ? 'alt' : 'main'].signature}
          <textarea name="signature" rows={3} required autocomplete="off" spellcheck={false} />
        </label>
        {isAlt && (
          <label>
            {PUBLIC_KEY}
            <input name="key" required autocomplete="off" spellcheck={false} />
          </label>
        )}
        <button type="submit" aria-disabled={isBusy}>
          {SEND_SIGNATURE}
        </button>
      </form>
    </details>
  );
}

function Outcome({ step }: { readonly step: Step }) {
  switch (step.kind) {
    case 'idle':
      return null;
    case 'busy':
      return <p class="quiet">{step.text}</p>;
    case 'failed':
      return <p class="notice bad">{step.text}</p>;
    case 'stored':
      return <p class="notice good">{describeStored(MONETIZATION_STATES[step.state.status], step.state.signer)}</p>;
    case 'refused': {
      const { status, code, detail } = step.failure;
      const remedy = status === 0 ? DECISION_LOST_HELP : (DECISION_ERROR_HELP[code ?? ''] ?? DECISION_DEFAULT_HELP);
      return (
        <div class="notice bad">
          <p>
            <strong>{status === 0 ? NO_RESPONSE : detail || REJECTED}</strong>
          </p>
          <p>{remedy}</p>
        </div>
      );
    }
  }
}
