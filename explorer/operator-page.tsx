/** Which machines does an operator run, and how do they stand? */
export function OperatorPage(_: { readonly address: string; readonly wallet?: string }) {
  return <h1>Operator</h1>;
}
