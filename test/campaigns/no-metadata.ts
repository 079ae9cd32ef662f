/** Test support: the library of the second opinion asks for metadata of its decorators before it loads, and never uses any. */
Object.assign(Reflect, {
  getMetadata: () => undefined,
  getOwnMetadata: () => undefined,
  defineMetadata: () => undefined,
});
