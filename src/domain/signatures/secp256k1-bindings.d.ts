/** Types of the package's native bindings. Its main entry is not used: it falls back to JavaScript silently. */
declare module 'secp256k1/bindings.js' {
  const bindings: import('./native-curves.ts').NativeSecp256k1;
  export default bindings;
}
