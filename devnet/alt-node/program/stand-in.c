/* Stub program that rejects every call, for programs whose accounts the devnet writes directly. */
unsigned long long entrypoint(unsigned char *input) { return 1; }
