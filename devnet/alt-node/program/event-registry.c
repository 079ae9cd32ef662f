/*
 * Event registry of the devnet: the four instructions of chain-svm 3.6 that change a machine's event log, with the same data, accounts, log
 * lines and checks. Machine and subscription accounts are checked by discriminator and machine id, and the machine also by address and
 * owning program.
 */
#include "solana.h"

enum {
  REFUSED_DATA = 6000, /* unknown or truncated instruction */
  REFUSED_ACCOUNTS,
  REFUSED_SIGNER,
  REFUSED_PAUSED,
  REFUSED_RELOCATING,
  REFUSED_SUBSCRIPTION,
  REFUSED_RECORD,
  REFUSED_EXISTING,
};

#define WORD 32
#define LOG_BYTES 452
#define LOG_RENT 4036800 /* (128 + 452) * 6960 lamports */
#define MOST_METADATA 256
#define MOST_CARRIED_CURRENCY 16

static const u8 SUBMIT_EVENT[8] = {0xaa, 0x7f, 0x89, 0x95, 0xa8, 0xb2, 0xff, 0x0c};
static const u8 IMPORT_MACHINE[8] = {0x6e, 0xbe, 0xc5, 0xec, 0x87, 0xbe, 0x4d, 0x42};
static const u8 ADOPT_CARRIED_EVENT[8] = {0x5e, 0xc1, 0xc7, 0x66, 0xcb, 0x54, 0x4f, 0x04};
static const u8 CLOSE_LOG[8] = {0x83, 0x86, 0x68, 0x41, 0x69, 0x97, 0xca, 0x7c};

static const u8 EVENT_SUBMITTED[8] = {0xbc, 0xa6, 0xcd, 0x9f, 0xd7, 0xea, 0x84, 0x94};
static const u8 MACHINE_EVENTS_IMPORTED[8] = {0xdf, 0x9a, 0xa2, 0xf7, 0xa7, 0x24, 0x37, 0x70};
static const u8 CARRIED_EVENT_ADOPTED[8] = {0x94, 0xbc, 0xe3, 0x0d, 0xb2, 0x79, 0x82, 0xf5};
static const u8 LOG_CLOSED[8] = {0x81, 0x6b, 0x98, 0x75, 0xe1, 0x59, 0x1d, 0x43};

static const u8 MACHINE[8] = {0x19, 0x66, 0x16, 0x0d, 0x3a, 0xf3, 0x8a, 0x4f};
static const u8 SUBSCRIPTION_TERMINAL[8] = {0x65, 0x45, 0x1a, 0xc7, 0x6f, 0xb1, 0x75, 0xbc};
static const u8 EVENT_REGISTRY[8] = {0x86, 0x2e, 0x90, 0xec, 0xa0, 0x1c, 0x23, 0x3c};
static const u8 MACHINE_EVENT_LOG[8] = {0x7a, 0x8a, 0xda, 0x9c, 0xb4, 0x72, 0x41, 0xf8};

static const u8 SEED_MACHINE[7] = "Machine";
static const u8 SEED_LOG[15] = "MachineEventLog";
static const u8 SEED_REGISTRY[13] = "EventRegistry";
static const u8 ZERO_KEY[32] = {0}; /* no key, and the system program */

/* A record at its offset in the instruction. */
typedef struct { const u8 *bytes; u64 length; u64 metadata_length; const u8 *currency; u64 currency_length; } Record;

static u64 u64_at(const u8 *at) { u64 value; sol_memcpy_(&value, at, 8); return value; }
static u32 u32_at(const u8 *at) { u32 value; sol_memcpy_(&value, at, 4); return value; }

/* Finds the end of a record; surplus bytes after it are ignored. */
static __attribute__((noinline)) u64 measure_record(const u8 *at, u64 length, Record *record) {
  if (length < 122) return REFUSED_DATA;
  record->bytes = at;
  record->metadata_length = u32_at(at + 114);
  if (record->metadata_length > MOST_METADATA) return REFUSED_RECORD;
  if (length < 122 + record->metadata_length) return REFUSED_DATA;
  record->currency = at + 122 + record->metadata_length;
  record->currency_length = u32_at(record->currency - 4);
  if (record->currency_length > MOST_CARRIED_CURRENCY) return REFUSED_RECORD;
  record->length = 122 + record->metadata_length + record->currency_length;
  return length < record->length ? REFUSED_DATA : 0;
}

/* Validates a submitted record; a carried record comes from another chain and is not checked. */
static __attribute__((noinline)) u64 check_record(const Record *record) {
  Clock clock;
  if (sol_get_clock_sysvar(&clock)) return REFUSED_DATA;
  u8 event_type = record->bytes[0];
  if (event_type > 1 || record->bytes[73] > 2) return REFUSED_RECORD;
  if (u64_at(record->bytes + 33) > (u64)clock.unix_timestamp) return REFUSED_RECORD;
  if (event_type == 1) return record->currency_length == 0 ? 0 : REFUSED_RECORD;
  if (record->currency_length < 3 || record->currency_length > 10) return REFUSED_RECORD;
  for (u64 i = 0; i < record->currency_length; i++) {
    u8 letter = record->currency[i];
    if (!((letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9'))) return REFUSED_RECORD;
  }
  return 0;
}

static __attribute__((noinline)) u64 check_registry(const Account *registry, const u8 *program) {
  if (!is_same(registry->owner, program, 32) || registry->data_length != 74) return REFUSED_ACCOUNTS;
  if (!is_same(registry->data, EVENT_REGISTRY, 8)) return REFUSED_ACCOUNTS;
  Bytes seeds[2] = {{SEED_REGISTRY, sizeof(SEED_REGISTRY)}, {registry->data + 73, 1}};
  u8 address[32];
  if (sol_create_program_address(seeds, 2, program, address)) return REFUSED_ACCOUNTS;
  return is_same(address, registry->key, 32) ? 0 : REFUSED_ACCOUNTS;
}

/* Checks that the signer is owner or controller and that the machine is not relocating. */
static __attribute__((noinline)) u64 check_machine(const Account *machine, const u8 *word, const u8 *submitter) {
  if (machine->data_length < 166 || !is_same(machine->data, MACHINE, 8)) return REFUSED_ACCOUNTS;
  Bytes seeds[3] = {{SEED_MACHINE, sizeof(SEED_MACHINE)}, {word, WORD}, {machine->data + 145, 1}};
  u8 address[32];
  if (sol_create_program_address(seeds, 3, machine->owner, address)) return REFUSED_ACCOUNTS;
  if (!is_same(address, machine->key, 32) || !is_same(machine->data + 8, word, WORD)) return REFUSED_ACCOUNTS;
  const u8 *owner = machine->data + 40, *controller = machine->data + 72;
  int is_controller = is_same(controller, submitter, 32) && !is_same(controller, ZERO_KEY, 32);
  if (!is_same(owner, submitter, 32) && !is_controller) return REFUSED_SIGNER;
  return machine->data[136] == 0 ? 0 : REFUSED_RELOCATING;
}

static __attribute__((noinline)) u64 check_subscription(const Account *terminal, const u8 *word) {
  if (terminal->data_length != 83 || !is_same(terminal->data, SUBSCRIPTION_TERMINAL, 8)) return REFUSED_ACCOUNTS;
  if (!is_same(terminal->data + 8, word, WORD)) return REFUSED_ACCOUNTS;
  u8 status = terminal->data[41];
  return status == 1 || status == 2 ? 0 : REFUSED_SUBSCRIPTION; /* active, in grace */
}

/* Checks that the log has the address derived from the machine id; returns its bump. */
static __attribute__((noinline)) u64 check_log_address(const Account *log, const u8 *word, const u8 *program, u8 *bump) {
  Bytes seeds[2] = {{SEED_LOG, sizeof(SEED_LOG)}, {word, WORD}};
  u8 address[32];
  if (sol_try_find_program_address(seeds, 2, program, address, bump)) return REFUSED_ACCOUNTS;
  return is_same(address, log->key, 32) ? 0 : REFUSED_ACCOUNTS;
}

static int is_open(const Account *log, const u8 *program) {
  return is_same(log->owner, program, 32) && log->data_length == LOG_BYTES && is_same(log->data, MACHINE_EVENT_LOG, 8);
}

/*
 * Creates the empty log of a machine; `payer` must have signed. Anyone may have sent lamports to the address, which
 * create_account rejects: then the missing lamports are transferred, and space and owner are set.
 */
static __attribute__((noinline)) u64 open_log(Input *input, const Account *payer, Account *log, const u8 *word, u8 bump) {
  if (!is_same(log->owner, ZERO_KEY, 32) || log->data_length != 0) return REFUSED_ACCOUNTS;
  Bytes seeds[3] = {{SEED_LOG, sizeof(SEED_LOG)}, {word, WORD}, {&bump, 1}};
  SignerSeeds signer = {seeds, 3};
  AccountMeta metas[2] = {{payer->key, 1, 1}, {log->key, 1, 1}};
  u64 bytes = LOG_BYTES, lamports = LOG_RENT, refusal = 0;
  u8 data[52]; /* u32 of the call, then its parameters */
  sol_memset_(data, 0, sizeof(data));
  Instruction call = {ZERO_KEY, metas, 2, data, 52};
  if (*log->lamports == 0) { /* 0: create_account */
    sol_memcpy_(data + 4, &lamports, 8);
    sol_memcpy_(data + 12, &bytes, 8);
    sol_memcpy_(data + 20, input->program, 32);
    refusal = sol_invoke_signed_c(&call, input->accounts, input->account_count, &signer, 1);
  } else {
    lamports = *log->lamports < LOG_RENT ? LOG_RENT - *log->lamports : 0;
    data[0] = 2; /* transfer */
    sol_memcpy_(data + 4, &lamports, 8);
    call.data_length = 12;
    refusal = sol_invoke_signed_c(&call, input->accounts, input->account_count, &signer, 1);
    call.accounts = metas + 1;
    call.account_count = 1;
    data[0] = 8; /* allocate */
    sol_memcpy_(data + 4, &bytes, 8);
    if (refusal == 0) refusal = sol_invoke_signed_c(&call, input->accounts, input->account_count, &signer, 1);
    data[0] = 1; /* assign */
    sol_memcpy_(data + 4, input->program, 32);
    call.data_length = 36;
    if (refusal == 0) refusal = sol_invoke_signed_c(&call, input->accounts, input->account_count, &signer, 1);
  }
  if (refusal) return refusal;
  log->data_length = LOG_BYTES;
  sol_memcpy_(log->data, MACHINE_EVENT_LOG, 8);
  sol_memcpy_(log->data + 8, word, WORD);
  log->data[57] = bump;
  return 0;
}

/* Rewrites the front of the log; stale bytes of a longer record after the bump remain. */
static __attribute__((noinline)) void append(Account *log, const Record *record, u8 bump) {
  u64 count = u64_at(log->data + 40) + 1;
  sol_memcpy_(log->data + 40, &count, 8);
  log->data[56] = 1;
  sol_memcpy_(log->data + 57, record->bytes, record->length);
  log->data[57 + record->length] = bump;
}

static __attribute__((noinline)) u64 submit_event(Input *input) {
  if (input->account_count < 6 || input->data_length < 8 + WORD) return REFUSED_DATA;
  Account *submitter = &input->accounts[0], *registry = &input->accounts[1], *log = &input->accounts[4];
  const u8 *word = input->data + 8;
  Record record;
  u8 bump;
  u64 refusal = measure_record(word + WORD, input->data_length - 8 - WORD, &record);
  if (refusal || (refusal = check_registry(registry, input->program))) return refusal;
  if (registry->data[72] != 0) return REFUSED_PAUSED;
  if (!submitter->is_signer) return REFUSED_SIGNER;
  if ((refusal = check_machine(&input->accounts[2], word, submitter->key))) return refusal;
  if ((refusal = check_subscription(&input->accounts[3], word))) return refusal;
  if ((refusal = check_record(&record))) return refusal;
  if ((refusal = check_log_address(log, word, input->program, &bump))) return refusal;
  if (!is_open(log, input->program) && (refusal = open_log(input, submitter, log, word, bump))) return refusal;
  u8 event[8 + WORD + 8 + 122 + MOST_METADATA + MOST_CARRIED_CURRENCY];
  sol_memcpy_(event, EVENT_SUBMITTED, 8);
  sol_memcpy_(event + 8, word, WORD);
  sol_memcpy_(event + 8 + WORD, log->data + 40, 8); /* the count before the append */
  sol_memcpy_(event + 8 + WORD + 8, record.bytes, record.length);
  append(log, &record, bump);
  Bytes field = {event, 8 + WORD + 8 + record.length};
  sol_log_data(&field, 1);
  return 0;
}

/* import_machine and adopt_carried_event: an import requires a new log, an adoption also accepts an open one. */
static __attribute__((noinline)) u64 carry(Input *input, int is_import) {
  if (input->account_count < 5 || input->data_length < 8 + WORD + 8 + 1) return REFUSED_DATA;
  Account *authority = &input->accounts[0], *payer = &input->accounts[1], *log = &input->accounts[3];
  const u8 *registry = input->accounts[2].data, *word = input->data + 8, *prior = word + WORD, *tag = prior + 8;
  Record record;
  u8 bump;
  u64 refusal = check_registry(&input->accounts[2], input->program);
  if (refusal) return refusal;
  if (*tag > 1) return REFUSED_DATA;
  if (*tag == 1 && (refusal = measure_record(tag + 1, input->data_length - 8 - WORD - 8 - 1, &record))) return refusal;
  if (!authority->is_signer || !is_same(authority->key, registry + (is_import ? 40 : 8), 32)) return REFUSED_SIGNER;
  if ((refusal = check_log_address(log, word, input->program, &bump))) return refusal;
  int is_known = is_open(log, input->program);
  if (is_known && is_import) return REFUSED_EXISTING;
  if (!is_known && (refusal = open_log(input, payer, log, word, bump))) return refusal;
  sol_memcpy_(log->data + 48, prior, 8);
  if (*tag == 1) append(log, &record, bump);
  u8 event[8 + WORD + 8 + 8];
  sol_memcpy_(event, is_import ? MACHINE_EVENTS_IMPORTED : CARRIED_EVENT_ADOPTED, 8);
  sol_memcpy_(event + 8, word, WORD);
  sol_memcpy_(event + 8 + WORD, prior, 8);
  sol_memcpy_(event + 8 + WORD + 8, log->data + 40, 8);
  Bytes field = {event, is_import ? 8 + WORD + 8 : sizeof(event)};
  sol_log_data(&field, 1);
  return 0;
}

static __attribute__((noinline)) u64 close_log(Input *input) {
  if (input->account_count < 4 || input->data_length < 8 + WORD) return REFUSED_DATA;
  Account *authority = &input->accounts[0], *recipient = &input->accounts[2], *log = &input->accounts[3];
  const u8 *word = input->data + 8;
  u8 bump;
  u64 refusal = check_registry(&input->accounts[1], input->program);
  if (refusal) return refusal;
  if (!authority->is_signer || !is_same(authority->key, input->accounts[1].data + 40, 32)) return REFUSED_SIGNER;
  if ((refusal = check_log_address(log, word, input->program, &bump))) return refusal;
  if (!is_open(log, input->program)) return REFUSED_ACCOUNTS;
  u8 event[8 + WORD + 8 + 32];
  sol_memcpy_(event, LOG_CLOSED, 8);
  sol_memcpy_(event + 8, word, WORD);
  sol_memcpy_(event + 8 + WORD, log->data + 40, 8);
  sol_memcpy_(event + 8 + WORD + 8, recipient->key, 32);
  Bytes field = {event, sizeof(event)};
  sol_log_data(&field, 1);
  *recipient->lamports += *log->lamports;
  *log->lamports = 0;
  sol_memset_(log->data, 0, LOG_BYTES);
  *length_in_input(log) = 0;
  sol_memcpy_(log->owner, ZERO_KEY, 32);
  return 0;
}

u64 entrypoint(u8 *bytes) {
  Input input;
  if (read_input(bytes, &input) || input.data_length < 8) return REFUSED_DATA;
  if (is_same(input.data, SUBMIT_EVENT, 8)) return submit_event(&input);
  if (is_same(input.data, IMPORT_MACHINE, 8)) return carry(&input, 1);
  if (is_same(input.data, ADOPT_CARRIED_EVENT, 8)) return carry(&input, 0);
  if (is_same(input.data, CLOSE_LOG, 8)) return close_log(&input);
  return REFUSED_DATA;
}
