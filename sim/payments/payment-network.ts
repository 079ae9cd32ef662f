/** Network of the payment source. */
import { Network, type Arrival, type NetworkParts, type NodeUrl, type WireCall } from '../transport/network.ts';
import type { SourceDeployment } from './deployment.ts';
import type { PaymentBackend, PaymentFault } from './payment-backend.ts';

export class PaymentNetwork extends Network<PaymentBackend, PaymentFault, undefined> {
  readonly deployment: SourceDeployment;

  constructor(deployment: SourceDeployment, parts: NetworkParts<PaymentBackend, PaymentFault>) {
    super(parts);
    this.deployment = deployment;
  }

  protected beginLife(): () => undefined {
    return () => undefined;
  }

  protected respond(
    url: NodeUrl<PaymentBackend>,
    payload: WireCall | readonly WireCall[],
    fault: PaymentFault | undefined,
  ): { text: string; arrive: Arrival } {
    const { random } = this.parts;
    const backend = random.pick(url.backends);
    const responses = [payload]
      .flat()
      .map((call: WireCall) => ({ jsonrpc: '2.0', id: call.id, ...backend.respond(call, fault) }));
    if (fault === 'loseResponse') responses.splice(random.integer(0, responses.length - 1), 1);
    return {
      text: JSON.stringify(Array.isArray(payload) ? responses : (responses[0] ?? [])),
      arrive: () => undefined,
    };
  }
}
