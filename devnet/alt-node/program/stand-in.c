/* What stands where the devnet needs a program, but none that does anything? One that refuses every call. */
unsigned long long entrypoint(unsigned char *input) { return 1; }
