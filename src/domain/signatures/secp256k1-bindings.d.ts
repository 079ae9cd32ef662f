/** What is used of the package's native half; its main entry would fall back to other arithmetic in silence. */
declare module 'secp256k1/bindings.js' {
  const bindings: import('./native-curves.ts').NativeSecp256k1;
  export default bindings;
}
