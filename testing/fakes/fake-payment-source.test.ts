import { testPaymentSource } from '../contracts/payment-source-contract.ts';
import { FakePaymentSource } from './fake-payment-source.ts';

testPaymentSource('the fake source', () => {
  const source = new FakePaymentSource();
  const sender = `0x${'0a'.repeat(20)}`;
  const receiver = `0x${'0b'.repeat(20)}`;
  const transaction = { kind: 'evm', success: true, block: 1_000, time: 1_000, from: sender, logs: [] } as const;
  const transferAt = (block: number, logIndex: number) => ({
    ...{ from: sender, to: receiver, token: 'USDC', units: 5n, block, logIndex, time: block },
  });
  const transfers = [transferAt(900, 0), transferAt(900, 1), transferAt(950, 0)];
  source.put('0x01', transaction);
  for (const row of transfers) source.putTransfer(row);
  source.finalizeAt(2_000);
  const breakNodes = () => {
    source.isDown = true;
  };
  return Promise.resolve({ source, reference: '0x01', transaction, absentReference: '0x02', transfers, breakNodes });
});
