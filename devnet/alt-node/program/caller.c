/*
 * Test program that calls another program or fills the log. First byte 0: forwards the remaining data to the program of account 0 with the
 * other accounts. First byte 1: logs as many lines of 100 bytes as the second byte states. A transaction log holds 10,000 bytes; a line
 * that is shorter than a dropped one may still fit.
 */
#include "solana.h"

#define TEN_DOTS ".........."
#define FIFTY_DOTS TEN_DOTS TEN_DOTS TEN_DOTS TEN_DOTS TEN_DOTS

enum { REFUSED = 1 };

static __attribute__((noinline)) u64 hand_on(const Input *input) {
  AccountMeta metas[MOST_ACCOUNTS];
  if (input->account_count < 1) return REFUSED;
  for (u64 i = 1; i < input->account_count; i++) {
    const Account *account = &input->accounts[i];
    metas[i - 1].key = account->key;
    metas[i - 1].is_writable = account->is_writable;
    metas[i - 1].is_signer = account->is_signer;
  }
  Instruction call = {input->accounts[0].key, metas, input->account_count - 1, input->data + 1, input->data_length - 1};
  return sol_invoke_signed_c(&call, input->accounts, input->account_count, 0, 0);
}

u64 entrypoint(u8 *bytes) {
  Input input;
  if (read_input(bytes, &input) || input.data_length < 1) return REFUSED;
  if (input.data[0] == 0) return hand_on(&input);
  if (input.data[0] != 1 || input.data_length < 2) return REFUSED;
  for (u64 i = 0; i < input.data[1]; i++) LOG(FIFTY_DOTS FIFTY_DOTS);
  return 0;
}
