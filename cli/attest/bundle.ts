/** Bundle of one receipt for an auditor: the stored document, its judgement, the reviews and the record on the chain. */
import { formatMachineDid } from '../../src/domain/identifiers/identifiers.ts';
import type { StoredEvidenceRecord } from '../../src/ports/store.ts';
import type { AttestContext } from './context.ts';
import { examineEvidence } from './examine-evidence.ts';
import { findReceiptState, isBasedOn } from './receipt-state.ts';

/** Identifies the form of the bundle. */
const BUNDLE_SCHEMA = 'svc.attest.bundle/1';

/** Throws `AttestationFailed`. */
export async function createBundle(context: AttestContext, record: StoredEvidenceRecord): Promise<object> {
  const { registry, rules, store, main } = context;
  const { machineId, evidence, ...columns } = record;
  const machineDid = formatMachineDid(machineId, rules.namespace);
  const { blockNumber, chips } = await registry.readLogged();
  const chip = chips.get(machineId);
  const reviews = await store.listAttestationReviews(machineDid);
  return {
    schema: BUNDLE_SCHEMA,
    createdAt: new Date().toISOString(),
    chainId: String(main.chain.chainId),
    blockNumber: String(blockNumber),
    receipt: { machineDid, ...columns },
    /** The bytes as they were signed; null where only their hash is stored. */
    document: evidence === undefined ? null : Buffer.from(evidence).toString('utf8'),
    judgement: await examineEvidence(context, record),
    state: findReceiptState(record, chip, Math.floor(Date.now() / 1000)),
    reviews: reviews.filter(({ receiptId }) => receiptId === undefined || receiptId === record.receiptId),
    chipRecord:
      chip === undefined
        ? null
        : {
            isOfThisReceipt: isBasedOn(chip, record),
            ...chip,
            machineId: String(machineId),
            blockNumber: String(chip.blockNumber),
            stored: await registry.readChip(machineId, blockNumber),
          },
  };
}
