/* Runtime interface of a Solana program: the system calls and the input layout, limited to what is used here. */
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

/* Structures of the runtime's C interface. */
typedef struct { const u8 *bytes; u64 length; } Bytes;
typedef struct { const Bytes *seeds; u64 count; } SignerSeeds;
typedef struct { const u8 *key; u8 is_writable; u8 is_signer; } AccountMeta;
typedef struct { const u8 *program; const AccountMeta *accounts; u64 account_count; const u8 *data; u64 data_length; } Instruction;
typedef struct {
  u8 *key; u64 *lamports; u64 data_length; u8 *data; u8 *owner; u64 rent_epoch; u8 is_signer; u8 is_writable; u8 is_executable;
} Account;
typedef struct { u64 slot; i64 epoch_start; u64 epoch; u64 leader_epoch; i64 unix_timestamp; } Clock;

extern u64 sol_log_(const char *text, u64 length);
extern u64 sol_log_data(const Bytes *fields, u64 count);
extern u64 sol_memcpy_(void *to, const void *from, u64 length);
extern u64 sol_memset_(void *to, u8 value, u64 length);
extern u64 sol_memcmp_(const void *one, const void *other, u64 length, int *result);
extern u64 sol_create_program_address(const Bytes *seeds, u64 count, const u8 *program, u8 *address);
extern u64 sol_try_find_program_address(const Bytes *seeds, u64 count, const u8 *program, u8 *address, u8 *bump);
extern u64 sol_invoke_signed_c(const Instruction *, const Account *, u64 account_count, const SignerSeeds *, u64 signer_count);
extern u64 sol_get_clock_sysvar(Clock *clock);

#define LOG(text) sol_log_((text), sizeof(text) - 1)

#define MOST_ACCOUNTS 8

typedef struct { Account accounts[MOST_ACCOUNTS]; u64 account_count; const u8 *data; u64 data_length; const u8 *program; } Input;

static inline int is_same(const void *one, const void *other, u64 length) {
  int result;
  sol_memcmp_(one, other, length, &result);
  return result == 0;
}

/* Position of the data length of an account in the input; writing it resizes the account. */
static inline u64 *length_in_input(const Account *account) { return (u64 *)(account->data - 8); }

/* Parses the input; not 0: more accounts than any instruction here has. */
static inline u64 read_input(u8 *at, Input *input) {
  input->account_count = *(u64 *)at;
  if (input->account_count > MOST_ACCOUNTS) return 1;
  at += 8;
  for (u64 i = 0; i < input->account_count; i++) {
    Account *account = &input->accounts[i];
    if (*at != 0xff) { /* duplicate of an earlier account */
      *account = input->accounts[*at];
      at += 8;
      continue;
    }
    account->is_signer = at[1];
    account->is_writable = at[2];
    account->is_executable = at[3];
    account->key = at + 8;
    account->owner = at + 40;
    account->lamports = (u64 *)(at + 72);
    account->data_length = *(u64 *)(at + 80);
    account->data = at + 88;
    at += 88 + account->data_length + 10240; /* room to grow */
    at = (u8 *)(((u64)at + 7) & ~7ULL);
    account->rent_epoch = *(u64 *)at;
    at += 8;
  }
  input->data_length = *(u64 *)at;
  input->data = at + 8;
  input->program = input->data + input->data_length;
  return 0;
}
