/** Empty `Reflect` metadata, which @peculiar/x509 requires before it loads and never uses. */
Object.assign(Reflect, {
  getMetadata: () => undefined,
  getOwnMetadata: () => undefined,
  defineMetadata: () => undefined,
});
