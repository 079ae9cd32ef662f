/**
 * Rules of the service interface, in its order and under its headings, followed by the rules of the additions. A test carries the id of each
 * rule that it proves (`test/conformance/rule.ts`); `docs/render-conformance.ts` renders `docs/conformance.md` from both. A rule that the
 * interface repeats appears where it is stated in full. An id never changes its meaning.
 */

/** A sentence, or a sentence and the reason why no test proves it. */
export type Rule = string | { readonly text: string; readonly untested: string };

/** Returns the sentence of a rule. */
export function textOf(rule: Rule): string {
  return typeof rule === 'string' ? rule : rule.text;
}

export interface Section {
  readonly heading: string;
  readonly rules: Readonly<Record<string, Rule>>;
}

export const SECTIONS = [
  {
    heading: 'What the service does',
    rules: {
      'service.main-chain-reads':
        'Read routes return ratings, profiles, fleets, metadata and cards of main-chain machines.',
      'service.alt-chain-reads': 'Read routes return the same for machines homed on the alt chain.',
      'service.score-follows-events': 'A score is computed from the events on the chain.',
      'service.single-write':
        'The service writes no registry state and sends no transaction. The monetization toggle is the only write.',
      'service.ids-are-strings': 'Every machine ID in a response is a JSON string, never a number.',
      'service.rounded-id-differs': 'A rounded machine ID addresses a different machine.',
      'service.path-accepts-decimal-id': 'Path parameters accept the decimal string of the machine ID.',
    },
  },
  {
    heading: 'Resources: machine identifier',
    rules: {
      'identifier.canonical-decimal':
        'A machine ID is decimal, from 1 to 2^256-1, without sign, whitespace or leading zeros.',
      'identifier.every-digit': 'A machine ID is sent with every digit.',
      'identifier.machine-did': 'A machine DID is `did:svc:<decimal id>` and has no other form.',
      'identifier.operator-did': 'An operator is addressed by `did:svc:0x<address>` or by the raw address.',
      'identifier.token-id': 'The token ID equals the machine ID.',
      'identifier.home-chain-ordinal': '`home_chain` on the read routes is the protocol chain ordinal.',
      'identifier.verify-home-chain': 'The Verify record names the home chain in `homeChain`.',
      'identifier.other-forms-refused':
        'An address DID, a raw address or a bare decimal is refused where a machine DID is required.',
    },
  },
  {
    heading: 'Resources: machine profile',
    rules: {
      'profile.identical-shape': '`/machine/{did}` and `/metadata/{token_id}` return the identical shape.',
      'profile.name-and-ids':
        '`name` is `Machine #<token_id>`, `machine_id` is a decimal string, and `did` is the machine DID.',
      'profile.members':
        '`operator` is an EVM address DID, `mcr` a string and `mcr_score` an integer. The profile also carries identity, rating, bond status and service endpoints.',
      'profile.data-api-optional': '`data_api` is optional.',
      'profile.rating-equals-mcr': 'The profile of a main-chain machine carries the rating that `/mcr` returns.',
      'profile.main-chain-members': 'The profile of a main-chain machine carries no alt-chain member.',
      'profile.alt-operator': 'The operator of an alt-chain machine is an EVM address DID.',
      'profile.alt-provisioned': 'The profile of an alt-chain machine has `mcr` `Provisioned` and `mcr_score` 0.',
      'profile.alt-members':
        'The profile of an alt-chain machine carries `home_chain`, `rating_unavailable`, `owner`, `controller`, `machine_type` and `relocating`.',
      'profile.alt-rating-from-events': 'An alt-chain machine is rated by `/mcr/{did}`, from its indexed events.',
    },
  },
  {
    heading: 'Resources: MCR record',
    rules: {
      'mcr.members':
        'The record carries score, rating, bond status, event counts, revenue trend, average revenue per event and summary.',
      'mcr.score-is-integer': '`mcr_score` is an integer, also for a machine without a rating.',
      'mcr.nulls-when-unavailable':
        '`revenue_trend` and `average_revenue_per_event` are null only while `rating_unavailable` is present.',
      'mcr.alt-members':
        'The record of an alt-chain machine carries `home_chain` and `rating_unavailable`, and nulls while the latter is present.',
    },
  },
  {
    heading: 'Resources: Machine Card',
    rules: {
      'card.members': 'The card holds services, registrations and operator info.',
      'card.registration-id-is-string': '`registrations[].machineId` is a string.',
      'card.main-registry-name':
        'A registration names its registry as `<namespace>:<chain reference>:<registry id>`, with the namespace `eip155` on the main chain.',
      'card.alt-registry-name':
        'The card of an alt-chain machine uses the namespace of the alt chain and carries `home_chain` and `rating_unavailable`.',
    },
  },
  {
    heading: 'Resources: operator listing',
    rules: {
      'listing.owned-machines': '`machines` lists the machines that the operator owns, each with its data and score.',
      'listing.controlled-machines': '`machines` lists the machines that the operator controls.',
      'listing.total': '`pagination.total` is the number of all machines of the operator.',
      'listing.unreadable': '`unreadable` counts the machines that could not be read.',
      'listing.index-lag': '`index` reports the lag of the ownership index, with `head_observed_age_seconds`.',
      'listing.alt-provisioned': 'The entry of an alt-chain machine has `mcr` `Provisioned` and `mcr_score` 0.',
    },
  },
  {
    heading: 'Resources: monetization state',
    rules: {
      'opt-in.state-members': 'The state carries the status, the signer and the time of the last update.',
    },
  },
  {
    heading: 'Resources: Verify record',
    rules: {
      'verify.members':
        'The record carries home chain, controller and operator, each in its native address kind, and two statuses. Every field is present.',
      'verify.chain-id': '`homeChain` carries `chainId` on the main chain.',
      'verify.genesis-hash': {
        text: '`homeChain` carries `genesisHash` on the alt chain.',
        untested: 'not built: the record of an alt-chain machine is never served',
      },
      'verify.topic-subjects': 'KYB refers to the operator address and chip to the machine ID.',
      'verify.independent-statuses': 'The two statuses are independent.',
      'verify.unverified':
        '`unverified` means that no record exists, which is the normal answer for an existing machine.',
      'verify.revoked-before-expired': '`revoked` takes precedence over `expired`.',
      'verify.expires-by-clock': 'A status expires by the clock, without a change on the chain.',
      'verify.no-aggregate':
        'The body carries no aggregate boolean, evidence, timestamps, block numbers or registry addresses.',
      'verify.body-size': 'The body is at most 4096 bytes.',
    },
  },
  {
    heading: 'Resources: chip challenge',
    rules: {
      'challenge.members':
        'The challenge consists of `chainId`, `didController`, `expiresAt`, `machineDid`, `machineId`, `nonce`, `profile`, `protocol` and `verifier`.',
      'challenge.effective-controller':
        '`didController` is the effective controller: the controller that is set, otherwise the owner.',
      'challenge.expires-at': '`expiresAt` is at most 300 seconds after issuance.',
      'challenge.nonce-hash-only': 'The nonce is returned once, and only its hash is stored.',
    },
  },
  {
    heading: 'Resources: readiness report',
    rules: {
      'readiness.members':
        'The report carries `status`, `rpc_connected`, the booleans of `contracts`, `solana_indexer` and `operator_index`.',
      'readiness.alt-indexer': '`solana_indexer` reports the state of the alt-chain indexer.',
      'readiness.nulls-when-uninitialized': 'Both index entries are null while the service is not initialized.',
    },
  },
  {
    heading: 'States: monetization opt-in',
    rules: {
      'opt-in.any-state': 'A machine is opted in or out from any state, without a transaction.',
      'opt-in.freshness-window': 'A decision applies only within the freshness window.',
      'opt-in.strictly-newer': 'A decision applies only if it is strictly newer than every decision applied before.',
      'opt-in.precondition': 'Opting in requires the precondition: a bonded machine.',
      'opt-in.availability': 'Opting in a main-chain machine requires that it is neither deactivated nor paused.',
      'opt-in.exit-always': 'Opting out skips the precondition and availability checks: a machine can always exit.',
    },
  },
  {
    heading: 'States: chip challenge',
    rules: {
      'challenge.issuance':
        'A challenge is issued only for a machine that exists and is not deactivated, within the limits, and for a single use.',
      'challenge.no-side-effects': 'Issuance checks no chip, sets no status and records no attestation.',
      'challenge.controller-unchanged':
        'The controller recorded in the challenge must still be the controller of the machine.',
    },
  },
  {
    heading: 'States: availability and Verify statuses',
    rules: {
      'availability.relocating-reads': 'The read routes answer 503 while a machine relocates.',
      'availability.relocating-verify': 'The Verify read answers 503 while a machine relocates.',
      'verify.status-values': 'The Verify statuses include `unverified`, `revoked` and `expired`.',
      'verify.evidence-moves-chip': 'Accepted evidence takes a chip from unverified toward verified.',
    },
  },
  {
    heading: 'Endpoints: read routes',
    rules: {
      'reads.mcr-did-form': '`GET /mcr/{did}` answers 400 `Invalid machine DID format` for any other form.',
      'reads.mcr': '`GET /mcr/{did}` returns 200 with the MCR record.',
      'reads.mcr-explanation':
        'Addition: `/mcr/{did}/explanation` returns the record, followed by the inputs and the output of the model.',
      'reads.machine-did-form':
        '`GET /machine/{did}` answers 400 for an address DID, a raw address, a bare ID or leading zeros.',
      'reads.machine': '`GET /machine/{did}` returns 200 with the profile.',
      'reads.metadata-id-form':
        '`GET /metadata/{token_id}` answers 422 for anything but 1 to 2^256-1, including a DID.',
      'reads.metadata': '`GET /metadata/{token_id}` returns 200 with the ID, DID and name of the token.',
      'reads.card-id-form':
        '`GET /machines/{machine_id}` answers 422 for anything but a bare decimal ID, including a DID.',
      'reads.card': '`GET /machines/{machine_id}` returns 200 with the card.',
      'reads.absent-is-not-unreadable':
        'A machine that does not exist is reported as absent, never as unreadable, and an unreadable machine never as absent.',
      'reads.listing-paging':
        '`GET /operator/{did}/machines` takes `offset` (default 0, at least 0) and `limit` (default 20, 1 to 20).',
      'reads.public': 'Read routes are public and ignore credentials.',
      'reads.homed-elsewhere':
        'A machine homed on a chain that this deployment does not serve gets 409 with `home_protocol_chain_id`.',
      'reads.no-alt-chain': 'Without a configured alt chain, alt-chain machines are homed elsewhere.',
      'reads.alt-behavior':
        'Responses for an alt-chain machine carry `home_chain` and `rating_unavailable`, and are 503 while the home chain is unreachable.',
    },
  },
  {
    heading: 'Endpoints: rules of the operator listing',
    rules: {
      'listing.index-source': 'Rule 1: the index is built from MachineRegistry events up to the finalized block.',
      'listing.index-worker': 'Rule 1: a background worker builds it and polls about once a minute.',
      'listing.entries-from-chain': 'Rule 1: the data and score of each listed machine are read from the chain.',
      'listing.alt-snapshot': 'Rule 1: for the alt chain the index is a periodic snapshot.',
      'listing.lag-limit': 'Rule 2: a 200 means that the index is at most 100 blocks behind the head as last read.',
      'listing.head-age': 'Rule 2: `index.head_observed_age_seconds` is the age of that head.',
      'listing.behind-is-503':
        'Rule 3: more than 100 blocks behind, the route answers 503 with `Retry-After` and a detail that names the cause with block numbers.',
      'listing.stale-head-is-503':
        'Rule 3: the route answers 503 with `Retry-After` when the head was not read for more than ten poll intervals.',
      'listing.empty-index-is-503': 'Rule 3: the route answers 503, never an empty list, before anything is indexed.',
      'listing.stale-snapshot-is-503': 'Rule 3: the route answers 503 when the alt-chain snapshot is out of date.',
      'listing.missing-skipped':
        'Rule 4: a page can hold fewer entries than `limit`, because a machine that no longer exists is skipped.',
      'listing.unreadable-omitted': 'Rule 4: a machine that could not be read, or relocates, is left out and counted.',
      'listing.no-machines': 'Rule 5: an operator without machines gets 200, an empty list and a total of 0.',
      'listing.alt-operator':
        'Rule 6: an alt-chain machine is listed under the operator of its account, and not at all without one.',
      'listing.large-fleets': 'Rule 7: large fleets are read by iterating `offset`.',
    },
  },
  {
    heading: 'Endpoints: address-keyed routes',
    rules: {
      'address-keyed.mcr': '`GET /solana/mcr/{solana_addr}` returns the MCR record and two extra members.',
      'address-keyed.listing':
        '`GET /solana/operator/{solana_addr}/machines`, the operator counterpart, returns the listing and two extra members; the list is empty for an operator without machines.',
      'address-keyed.address-form': '`solana_addr` is base58 of 32 bytes.',
      'address-keyed.one-account-read':
        'An address is resolved with one account read of the binding at finalized commitment.',
      'address-keyed.main-chain-scores': 'Scores come from the main chain only, and no chain is written to.',
      'address-keyed.legacy-only': 'The routes serve only legacy machines: those with an address DID.',
      'address-keyed.cache': 'Settled resolution outcomes are cached for 60 seconds.',
      'address-keyed.ordinary-errors': 'After the resolution, every error is that of the ordinary route.',
      'address-keyed.resolution-errors':
        'A wallet that is not bound, a revoked binding, an unreadable registry and a service without a registry have their own errors.',
    },
  },
  {
    heading: 'Endpoints: monetization routes',
    rules: {
      'monetization.state': '`GET /machine/{key}/monetization` returns status, signer and last update.',
      'monetization.well-known': '`GET /.well-known/svc-monetization` publishes the registry address and `chain_id`.',
      'monetization.key-form': 'The key is a decimal machine DID or a bare decimal ID.',
      'monetization.address-key':
        'An address DID or a raw address as the key gets 400 `INVALID_REQUEST`; the message says that only decimal machine DIDs are supported.',
      'monetization.opted-in-boolean': '`opted_in` is a JSON boolean.',
      'monetization.timestamp-integer': '`timestamp` is a positive JSON integer.',
      'monetization.signature-form': '`signature` is `0x` followed by exactly 130 hex digits.',
      'monetization.alt-signature-form':
        '`signature` is base58 of at most 88 characters when `signer_pubkey` is present.',
      'monetization.signer-pubkey-form': '`signer_pubkey` is base58 of at most 44 characters; null gets 400.',
      'monetization.signer-pubkey-main-chain':
        '`signer_pubkey` for a main-chain machine gets 403 `UNAUTHORIZED_SIGNER`.',
      'monetization.main-signers': 'The owner or the controller signs for a main-chain machine, by EIP-191.',
      'monetization.main-no-other-signer': 'No other account signs for a main-chain machine.',
      'monetization.alt-signer': 'Only the owner signs for an alt-chain machine, by Ed25519.',
      'monetization.main-message': 'The main-chain message matches the specification byte for byte.',
      'monetization.resolved-id': 'The message carries the resolved machine ID, whichever key the URL has.',
      'monetization.alt-message':
        'The alt-chain message has `audience` and `home_chain` instead of `registry` and `chain_id`.',
      'monetization.window': 'The freshness window reaches 300 seconds back and 30 seconds ahead.',
      'monetization.timestamp-strictly-newer': 'A timestamp that is not strictly newer gets `STALE_SIGNATURE`.',
      'monetization.put': '`PUT /machine/{key}/monetization` returns 200 on success.',
    },
  },
  {
    heading: 'Endpoints: Verify read',
    rules: {
      'verify-read.no-query-no-body': 'The route takes no query string and no body.',
      'verify-read.accept': 'The route honors `Accept: application/json`.',
      'verify-read.id-form': 'Any other spelling of a machine ID gets 400 `INVALID_MACHINE_ID`.',
      'verify-read.headers': 'A 200 has `Content-Type: application/json; charset=utf-8` and `Cache-Control: no-store`.',
      'verify-read.no-redirect': '`GET /v1/verify/machines/{machineId}` never redirects.',
      'verify-read.alt-chain': 'An alt-chain machine always gets 503 `VERIFY_READ_UNAVAILABLE`.',
    },
  },
  {
    heading: 'Endpoints: chip challenge',
    rules: {
      'challenge.one-token': 'The request carries exactly one `Bearer` token.',
      'challenge.headers': 'The route checks `Content-Type` and `Accept`, and refuses a `Content-Encoding`.',
      'challenge.body':
        'The body is a closed object with exactly one member and at most 1024 bytes, without duplicate keys or extra fields.',
      'challenge.created':
        '`POST /v1/verify/chip/challenge` returns 201 with the challenge and `Cache-Control: no-store`.',
      'challenge.alt-chain': 'A machine homed on the alt chain gets 404 `MACHINE_NOT_FOUND`.',
    },
  },
  {
    heading: 'Endpoints: chip evidence',
    rules: {
      'evidence.receipt':
        '`POST /v1/verify/chip/evidence` takes the signed evidence for a challenge and returns a receipt.',
      'evidence.two-signatures': 'The chip and the controller both sign over the challenge.',
    },
  },
  {
    heading: 'Endpoints: probe routes',
    rules: {
      'health.alive': '`/health` returns 200 while the process runs.',
      'health.rate-limit': '`/health` answers 429 over the rate limit.',
      'health.no-connectivity': '`/health` checks no connectivity.',
      'readiness.ready': '`/ready` returns 200 when all five contracts are callable.',
      'readiness.not-ready': '`/ready` returns 503 `not_ready`, in the same shape, when any check fails.',
      'readiness.verify': '`/ready` checks Verify when the server runs it.',
      'readiness.uninitialized': 'Not initialized: every boolean is false and both index entries are null.',
      'readiness.failing-contracts': 'Initialized: only the fields of failing contracts are false.',
      'readiness.admin-flags': '`contracts.admin_flags` stays true when no AdminFlags address is configured.',
    },
  },
  {
    heading: 'Authentication',
    rules: {
      'auth.public-reads': 'All reads are public: no API keys and no tokens.',
      'auth.onboarding-token': 'The chip-intake routes require the onboarding token.',
      'auth.signature-only': 'The signature in the body is the only credential of the monetization PUT.',
      'auth.token-first': 'Rule 1: a missing, malformed, repeated or invalid token gets 401 before the body is read.',
      'auth.bound-to-deployment': 'Rule 2: a signature is bound to the registry address and the chain ID.',
      'auth.bound-to-alt-home': 'Rule 2: an alt-chain signature is bound to the audience and the home chain ordinal.',
      'auth.no-body-echo': 'Rule 3: error responses never echo the request body.',
      'auth.no-secret-echo': 'Rule 3: error responses never echo the token or the nonce.',
    },
  },
  {
    heading: 'Events',
    rules: {
      'events.input-only': 'Contract events are an input, from which the index is built. The service sends no events.',
    },
  },
  {
    heading: 'Errors: envelopes',
    rules: {
      'envelope.bare': 'Envelope 1: bare `{"detail": "<cause>"}`.',
      'envelope.coded-monetization': 'Envelope 2: coded, with `code` and `message`, on both monetization routes.',
      'envelope.coded-verify': 'Envelope 2: coded on every route under `/v1/verify/`.',
      'envelope.coded-homed-elsewhere':
        'Envelope 2: coded 409 on the read routes, with `home_protocol_chain_id` next to `code` and `message`.',
      'envelope.invalid-json': 'Envelope 3: a body that is not valid JSON gets 422 with a list and no `code`.',
      'envelope.rate-limit': 'Envelope 3: over the limit, 429 `{"error":"Rate limit exceeded: 90 per 1 minute"}`.',
    },
  },
  {
    heading: 'Errors: read routes',
    rules: {
      'read-errors.400': '400: bad DID form.',
      'read-errors.422': '422: wrong parameter.',
      'read-errors.409': '409: `MACHINE_HOMED_ELSEWHERE`.',
      'read-errors.429': '429: over the rate limit, with `Retry-After`.',
      'read-errors.503-index': '503: operator index behind or out of date, with `Retry-After`.',
      'read-errors.503-relocating': '503: the machine is relocating.',
      'read-errors.503-alt-chain': '503: the home chain of an alt-chain machine is unreachable.',
      'read-errors.503-uninitialized': 'Addition: 503 while the service is not initialized.',
    },
  },
  {
    heading: 'Errors: monetization',
    rules: {
      'monetization-errors.invalid-request':
        '400 `INVALID_REQUEST`: wrong key, wrong body field, or null `signer_pubkey`.',
      'monetization-errors.unauthorized-signer':
        '403 `UNAUTHORIZED_SIGNER`: `signer_pubkey` for a main-chain machine, unauthorized signer, or a message with another machine ID.',
      'monetization-errors.rounded-message-id': '403: the signed message carries a rounded machine ID.',
      'monetization-errors.not-found':
        '404 `MACHINE_NOT_FOUND`: no machine with the ID, for example a rounded ID in the URL.',
      'monetization-errors.homed-elsewhere': '409 `MACHINE_HOMED_ELSEWHERE`.',
      'monetization-errors.stale-signature':
        '`STALE_SIGNATURE`: the timestamp is not strictly newer, or is outside the window.',
      'monetization-errors.invalid-json': '422 without a code: the body is not valid JSON.',
      'monetization-errors.rate-limit': '429 without a code: over the rate limit.',
    },
  },
  {
    heading: 'Errors: Verify read',
    rules: {
      'verify-errors.invalid-id': '400 `INVALID_MACHINE_ID`: malformed machine ID.',
      'verify-errors.not-found': '404 `MACHINE_NOT_FOUND`: the machine does not exist, and nothing else.',
      'verify-errors.rate-limited': '429 `RATE_LIMITED` without `Retry-After`.',
      'verify-errors.unavailable':
        '503 `VERIFY_READ_UNAVAILABLE`: alt-chain machine, relocating, unreadable, or no valid record.',
      'verify-errors.uninitialized': 'Addition: 503 while the service is not initialized.',
      'verify-errors.deadline': '503 when the chain does not answer within the request deadline.',
    },
  },
  {
    heading: 'Errors: chip challenge',
    rules: {
      'challenge-errors.invalid-request':
        '400 `INVALID_REQUEST`: an invalid request. 413 `REQUEST_TOO_LARGE`: rejected as too large before parsing.',
      'challenge-errors.auth-required':
        '401 `ONBOARDING_AUTH_REQUIRED`: missing, malformed, repeated or invalid token.',
      'challenge-errors.not-found': '404 `MACHINE_NOT_FOUND`: no main-chain machine with this ID.',
      'challenge-errors.unknown-route': '404 `VERIFY_ROUTE_NOT_FOUND`: unknown path under `/v1/verify/`.',
      'challenge-errors.method': '405 `METHOD_NOT_ALLOWED`: another method under `/v1/verify/`.',
      'challenge-errors.not-acceptable': '406 `NOT_ACCEPTABLE`: `Accept` excludes JSON.',
      'challenge-errors.deactivated': '409 `MACHINE_DEACTIVATED`: the machine is administratively deactivated.',
      'challenge-errors.rate-limited': '429 `RATE_LIMITED`: over a limit.',
      'challenge-errors.internal': '500 `INTERNAL_ERROR`: unhandled server error.',
      'challenge-errors.chain': '503 `CHAIN_UNAVAILABLE`: the machine could not be read from the chain.',
      'challenge-errors.store': '503 `VERIFY_STORE_UNAVAILABLE`: the challenge could not be stored.',
      'challenge-errors.clock': '503 `VERIFY_CLOCK_INVALID`: the server clock is invalid.',
      'challenge-errors.changed-controller': 'Evidence is rejected when the controller changed after the challenge.',
    },
  },
  {
    heading: 'Limits',
    rules: {
      'limits.reads':
        '90 requests per minute for each connecting address and path; over the limit, 429 with `Retry-After`.',
      'limits.paths-count-separately': '`/machines/1` and `/machines/2` count separately.',
      'limits.addresses-count-separately': 'Addresses count separately.',
      'limits.verify-read': 'Verify read: 60 requests per minute for each address, across all machine IDs.',
      'limits.challenge':
        'Chip challenge: a limit for each address, and caps on open challenges for each machine and in total.',
      'limits.evidence': 'Chip evidence: a limit for each address.',
      'limits.challenge-body': 'The challenge request body is at most 1024 bytes.',
      'limits.challenge-lifetime': 'A challenge is valid for at most 300 seconds and for a single use.',
      'limits.verify-body': 'A Verify record is at most 4096 bytes.',
      'limits.page-size': '`limit` is 1 to 20 and `offset` at least 0.',
      'limits.index-lag': 'The index is at most 100 blocks behind and its head was read within ten poll intervals.',
      'limits.signature-freshness': 'A signature is accepted from 300 seconds in the past to 30 seconds in the future.',
      'limits.signature-sizes': 'Signature and public key have the stated sizes.',
      'limits.id-range': 'A machine ID is 1 to 2^256-1 on all routes.',
      'limits.binding-cache': 'Binding outcomes are cached for 60 seconds.',
    },
  },
  {
    heading: 'Versioning',
    rules: {
      'versioning.verify-prefix': 'The Verify routes have the prefix `/v1/`.',
      'versioning.challenge-constants': 'The constants of the challenge carry a version.',
      'versioning.no-other-prefix': 'Other routes have no version prefix, and none redirects to another path.',
    },
  },
  {
    heading: 'Additions: history, events and images',
    rules: {
      'history.daily-points':
        '`GET /mcr/{did}/history` returns one point for each UTC day, for machines of either chain.',
      'history.ends-with-current-rating':
        'The history ends with the current rating, and its revenue sums to the total.',
      'history.model-of-the-day': 'Each point is what the model returns for the events stored by that day.',
      'history.facts-of-the-day':
        'A past day is rated with the bond, flag and override of that day, whose changes are listed; where they are unknown there are no points.',
      'history.bounded-cost':
        'A history of any length is served from stored daily totals and reads at most 2,000 further events.',
      'events.rating-events':
        '`GET /machines/{machine_id}/events` returns the events that the rating used, newest first, in pages.',
      'events.visibility':
        'The events of a machine are served only for the visibilities `onchain` and `public`; otherwise 403.',
      'history.real-chains': 'History and events are served in front of real chains.',
      'explanation.availability': 'The explanation says whether the machine is stopped, on either chain.',
      'hostile-text.no-markup': 'Hostile text becomes no markup of any page or image.',
      'rated-fleet.complete':
        '`GET /operator/{did}/fleet` and `GET /operator/{did}/fleet.csv` rate every machine of an operator, on both chains, and name those that cannot be read.',
      'active-machines.newest':
        '`GET /active-machines` lists at most 20 machines with the newest events of both chains, and the lag of the indexes.',
      'card-image.svg':
        '`GET /machines/{machine_id}/card.svg` shows the current rating as an image, with the scores of 90 days.',
      'card-image.self-contained':
        'The SVG is at most 8 KB, has no script, loads nothing, and has the same bytes for the same facts.',
      'card-image.contrast': 'The image is readable in light and dark mode.',
      'card-image.hostile-text': 'Hostile text in the image remains text.',
      'card-image.png':
        '`GET /machines/{machine_id}/card.png` shows the same for link previews, and is rendered only for clients without a cached image.',
      'card-image.margins': 'No text of the image crosses its margin.',
      'badge.svg': '`GET /machines/{machine_id}/badge.svg` shows the rating and the score.',
      'images.always':
        'Badge, card and preview are images in every state of a machine, and when the service refuses or fails; they say why there is no rating.',
      'images.page-colors':
        'A rating has the same color on pages, card and badge; the colors are ordered in lightness.',
      'marketplace.profile': 'The profile carries `description`, `image`, `external_url` and typed `attributes`.',
      'marketplace.card': 'The card carries the members of an ERC-8004 registration whose names do not clash.',
      'status.freshness':
        '`GET /status` returns 200 while the lag of the indexes is within `max_lag_blocks`, otherwise 503.',
      'metadata.erc-4906': 'An ERC-4906 log invalidates what is cached for the machine.',
      'history.upstream-calls': 'History, card and badge cost a node at most one additional call.',
      'additions.off': '`ADDITIONS=off` removes the additions.',
    },
  },
  {
    heading: 'Additions: pages',
    rules: {
      'pages.accessible':
        'Every page is free of accessibility violations and policy violations, loads from no other origin, and fits 320 px.',
      'pages.other-origin':
        'A page of another origin may read, send decisions and follow changes; it may not read Verify.',
      'pages.checks-work': 'The checks of the pages detect planted violations.',
      'pages.status-and-policy': "A page has the status of what it shows, and the policy `default-src 'self'`.",
      'pages.without-script': 'Title, description and OpenGraph members show the rating without a script.',
      'pages.size': 'A first machine page loads at most 60 KB compressed; all files of the pages have at most 180 KB.',
      'pages.errors':
        'A page reports what is absent, unreadable, out of date, relocating, homed elsewhere or over the rate limit.',
      'pages.machine': 'A machine is shown as the routes return it.',
      'pages.copy': 'Every shortened id has a button that copies all of it.',
      'pages.compare': 'Compared machines show their factors, deductions and flag.',
      'pages.fleet': 'A fleet is listed completely, sorted, in pages, and exported as CSV.',
      'pages.directory':
        'The directory lists, filters, sorts and exports the machines of the deployment; its state is in the URL.',
      'pages.machine-tabs':
        'The tabs of a machine filter and export its events, show the records of operator and chip, and name its owner on its home chain.',
      'pages.time-zone': 'Times are shown in UTC or in the time zone of the browser; the choice stays.',
      'pages.home': 'The start page lists recently active machines and recent changes of ratings.',
      'pages.state-in-url':
        'Order, page and filters of a table are in the URL, and stay with the focus when it is loaded again.',
      'pages.layout-shift': 'The layout of a loading page shifts by less than 0.05.',
      'pages.wallet': 'A wallet page shows the state of its binding, and the machines of a bound operator.',
      'pages.bond-and-flag': 'Grace, the end of a bond, and the first and last day of a flag are shown.',
      'pages.sold-machine': 'A chip record and an opt-in from before a sale are shown as such.',
      'pages.opt-in-preconditions': 'An opt-in that the service would refuse is not offered, and the reason is shown.',
      'pages.watchlist': 'The watchlist stays in the browser and shows what changed since the last visit.',
      'pages.search':
        'The search finds ids, DIDs and addresses in any letter case, URLs, transactions and shortened ids, and says where no block explorer shows a transaction.',
      'pages.keyboard': 'Every control is reachable by keyboard.',
      'pages.hostile-text': 'Hostile text remains text.',
      'pages.signing':
        'An owner reads the exact message, then signs it with a wallet of either chain or pastes a signature.',
    },
  },
  {
    heading: 'Additions: rating statements',
    rules: {
      'statement.eip712':
        'A statement is EIP-712 typed data: eth-account, viem and the service compute the same digest and the same signer.',
      'statement.finalized-block':
        'A statement is of the newest finalized block whose logs are proven, and carries the explanation at that block and second.',
      'statement.alt-chain': 'A statement of an alt-chain machine names its slot, and its chip is `unverified`.',
      'statement.one-per-minute': 'There is one signature per machine, finalized block and minute, on every replica.',
      'statement.refusals':
        'Degraded, pending and unavailable ratings are not signed, nor with a doubtful clock, index or key: 503 with the reason.',
      'statement.faults': '`/mcr/{did}/statement` has the faults of `/mcr/{did}`.',
      'statement.off': 'Without `STATEMENT_KEY_FILE` the route is 404.',
      'statement.lending-gate':
        'Contract, client and CLI accept a statement of the running service, and refuse ten changed ones.',
      'statement.replay': '`svc statement verify --replay` recomputes the signed rating.',
      'statement.mutations': 'No structurally mutated statement is accepted.',
      'statement.explanation-hash':
        '`explanationHash` is the Keccak-256 of the RFC 8785 form of the whole explanation.',
      'statement.validity': 'A statement is valid from `ratedAt` to `validUntil`, at most 24 hours.',
      'statement.rotation':
        '`GET /.well-known/svc-statements` publishes keys before they sign, and every key that ever signed for ever.',
      'statement.key-times': 'A key proves statements rated within its published times, and none once it is revoked.',
    },
  },
  {
    heading: 'Additions: directory',
    rules: {
      'directory.complete':
        '`GET /directory` lists every observed machine of both chains with its values, and reports how many are known but not observed yet.',
      'directory.filters':
        'Filters by rating, bond, flag, KYB, chip, opt-in, home, operator, owner and activity select exactly the machines that match, in any order.',
      'directory.pages':
        'Pages follow a cursor and a `Link` header; a page examines a bounded number of machines, and none is listed twice or left out.',
      'directory.csv': '`GET /directory.csv` exports the same machines, one line per machine, with whole ids.',
      'directory.summary':
        '`GET /directory/summary` counts the machines by value, at a cost that does not depend on their number.',
      'directory.out-of-date': 'The directory is refused with 503 while an index is behind or out of date.',
    },
  },
  {
    heading: 'Additions: changes',
    rules: {
      'changes.feed':
        '`GET /changes` lists the final changes of machines in their order, by cursor and kind; a cursor that is not stored any more is refused with 410.',
      'changes.stream':
        '`GET /changes/stream` sends the same changes as they are stored, and continues after `Last-Event-ID`.',
      'changes.other-origin':
        'Pages of other origins follow `GET /changes/stream` and resume it, with `EventSource` and with `fetch`.',
      'changes.kills': 'No change is lost when replicas are killed.',
      'changes.webhooks': 'Webhooks are signed as Standard Webhooks describes.',
      'changes.asyncapi': '`GET /asyncapi.json` describes stream and webhooks.',
    },
  },
  {
    heading: 'Additions: decision log',
    rules: {
      'decision-log.row':
        'A row of the log has message, signature, authority, `previous` and `hash`, the SHA-256 of the RFC 8785 form of the rest.',
      'decision-log.one-chain': 'The rows of one machine are one chain, whatever writes them at once.',
      'decision-log.history':
        '`GET /machine/{key}/monetization/history` lists the decisions newest first, with `head` and `next_cursor`.',
      'decision-log.signature-delay': 'A signature is published 330 s after its timestamp.',
      'decision-log.unverifiable': 'Rows from before the chain are marked.',
      'decision-log.retention':
        'Rows older than 30 days, beyond the newest 500, are pruned behind a signed checkpoint with the last hash and the count.',
      'decision-log.signer-is-current':
        'The state ends with `signer_is_current`: whether the signer is owner or controller now; null when unreadable.',
      'decision-log.exit-while-relocating':
        'An opt-out of a relocating machine is judged by the chain that still holds its token or account.',
      'decision-log.bundle':
        '`svc decisions export` writes a bundle with a signed head, and `svc decisions verify` checks chain, signatures and authority.',
      'decision-log.mutations': 'No structurally mutated bundle is accepted.',
    },
  },
  {
    heading: 'Additions: documents and clients',
    rules: {
      'documents.openapi': '`/openapi.json` describes every route.',
      'documents.samples': 'The programs of the reference compile in Go and in Python, for every operation.',
      'documents.openapi-bounds':
        'Every number, array and text of a response has the bounds of the service, except what others publish; integers fit a 64-bit float.',
      'documents.openapi-generators':
        'The OpenAPI document has the form that generators of clients accept: security schemes, descriptions, bounds, examples.',
      'documents.generators':
        'Clients that generators make of the OpenAPI document in TypeScript, Python and Go compile and read the service.',
      'documents.openapi-answers': 'Every response matches the OpenAPI document.',
      'documents.did': '`GET /identifiers/{did}` returns a DID document with CAIP-10 and CAIP-19 identifiers.',
      'documents.agent-files':
        '`GET /machines/{machine_id}/agent-registration.json` and `GET /machines/{machine_id}/agent-feedback.json` are the ERC-8004 files of a machine, with CAIP-10 and CAIP-19 names beside the documented ones.',
      'documents.links': 'The `Link` header of a page names what programs read instead.',
      'documents.llms': '`/llms.txt` lists every route and no other.',
      'documents.reference': '`/docs` lists every route, and each opens without accessibility or policy violations.',
      'documents.reference-form':
        'The form of `/docs` sends the request that any client sends, and shows the complete response.',
      'documents.errors-page': '`docs/errors.md` is the error table, with cause and remedy.',
      'documents.getting-started': 'Every command of `docs/getting-started.md` runs.',
      'documents.blocks': 'Every fenced program and command of README and documents is run by a test.',
      'documents.index': '`docs/README.md` links to every document.',
      'client.vectors': 'The clients in TypeScript, Python and Go agree on all shared vectors.',
      'client.quick-starts': 'Every program in the READMEs of the Python and Go clients prints the output below it.',
      'client.changes': 'The clients in Python and Go read pages of changes and follow the stream.',
      'client.errors': 'The client knows every error of the table.',
      'client.other-machine': 'The client rejects a response about another machine.',
      'client.size': 'The client is at most 8 kB for reads.',
      'documents.integration-guide': 'Every example of the integration guide runs.',
      'mcp.read-only': 'The tools of `svc mcp` and `/mcp` only read.',
      'mcp.official-client':
        'The official client of the Model Context Protocol reads over standard input and output and over HTTP.',
      'mcp.resources': 'Resources of the Model Context Protocol describe the service and its rating model.',
      'mcp.limits': 'A read by a tool of `/mcp` passes the limits of its caller.',
      'mcp.browsers':
        'Pages of other origins may send `/mcp` every header of the official client, and read the response.',
      'client.package': 'The package of the client works where it is installed.',
    },
  },
  {
    heading: 'Additions: security',
    rules: {
      'security.seller-loses-control': 'A previous owner of a machine signs no more decisions about it.',
      'security.altered-signature':
        'A signature with a changed bit is rejected, or is another spelling of the same one.',
      'security.small-order-key': 'A signature by an Ed25519 key of small order is rejected.',
      'security.durable-acknowledgment':
        'An acknowledged decision or document is on disk, also after a killed process.',
      'security.faulty-dependency':
        'A failing, late or contradictory dependency gives an error of the table, never a wrong 200 or 404.',
      'security.refused-document': 'A refused document leaves the challenge open and stores nothing.',
      'security.signed-transcript':
        'The signed transcript names machine, controller, chain, expiry and leaf of its challenge.',
      'security.strict-certificate':
        'A leaf that other parsers read differently, or of another authority, is rejected.',
      'security.canonical-document': 'Only the canonical bytes of a document are accepted.',
      'security.coalesced-reads': 'Concurrent readers of a machine share one call to a node.',
      'security.slow-callers': 'Slow connections do not affect other callers and are closed.',
      'security.writing-routes': 'Exactly three routes write, and no other method of any route is accepted.',
      'security.no-administration': 'No administration path exists over HTTP.',
      'security.public-addresses-only':
        'Partner data is fetched from public addresses over HTTPS only, checked after resolution.',
      'security.configuration-problems':
        'All configuration problems are reported at start, by name and without a value.',
      'security.quorum':
        'With MAIN_RPC_QUORUM, a node that lies about owner, controller, flags or attestations changes no answer.',
      'security.wrong-chain': 'A node of another chain is reported by its position and never used.',
      'security.no-secret-in-errors':
        'No error or log line contains a key, the URL of a node or the message of a library.',
    },
  },
] as const satisfies readonly Section[];

type KeyOfEach<Each> = Each extends unknown ? keyof Each : never;

export type RuleId = KeyOfEach<(typeof SECTIONS)[number]['rules']>;
