"""Types of the JSON bodies of responses. Rendered from the schemas of the service by `node docs/render-client-types.ts`; edit those instead."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union


# The rating. NR: not rated; Provisioned: bonded, with too little history for a rating.
Letter = Literal["AAA", "AA", "A", "BBB", "BB", "B", "NR", "Provisioned"]


class RevenueFactorEntryMeasure(TypedDict):
    """The measurements that the points follow from."""

    # US cents of qualifying revenue in the counted weeks.
    usd_cents: int
    # The part of it that is paid or attested.
    verified_usd_cents: int


class RevenueFactorEntry(TypedDict):
    """How much the machine earns."""

    name: Literal["revenue"]
    # Points earned, in hundredths of a point.
    points_hundredths: int
    # Points that can be earned, in hundredths of a point.
    max_hundredths: int
    # The measurements that the points follow from.
    measure: "RevenueFactorEntryMeasure"


class CadenceFactorEntryMeasure(TypedDict):
    """The measurements that the points follow from."""

    # Weeks with a qualifying event.
    weeks: int
    # Days with a qualifying event.
    days: int
    # Weeks with a paid or attested event.
    verified_weeks: int
    # Days with a paid or attested event.
    verified_days: int


class CadenceFactorEntry(TypedDict):
    """How regularly the machine works."""

    name: Literal["cadence"]
    # Points earned, in hundredths of a point.
    points_hundredths: int
    # Points that can be earned, in hundredths of a point.
    max_hundredths: int
    # The measurements that the points follow from.
    measure: "CadenceFactorEntryMeasure"


class TrendFactorEntryMeasure(TypedDict):
    """The measurements that the points follow from."""

    # Measure by which the two periods are compared.
    basis: Literal["revenue", "activity", "none"]
    # The later period in percent of the earlier one; null: not known.
    percent: Union[int, None]
    # The same with single bursts cut; null: not known.
    even_percent: Union[int, None]


class TrendFactorEntry(TypedDict):
    """Whether revenue or activity grows."""

    name: Literal["trend"]
    # Points earned, in hundredths of a point.
    points_hundredths: int
    # Points that can be earned, in hundredths of a point.
    max_hundredths: int
    # The measurements that the points follow from.
    measure: "TrendFactorEntryMeasure"


class TrustFactorEntryMeasure(TypedDict):
    """The measurements that the points follow from."""

    # Source of the trust.
    source: Literal["flag", "override", "none", "events"]
    # Trust in hundredths of a percent.
    percent_hundredths: int
    # US cents of 180 days without evidence.
    declared_usd_cents: int
    # US cents of 180 days whose payment was followed.
    paid_usd_cents: int
    # US cents of 180 days reported by a device on record.
    attested_usd_cents: int


class TrustFactorEntry(TypedDict):
    """How much of the revenue has evidence."""

    name: Literal["trust"]
    # Points earned, in hundredths of a point.
    points_hundredths: int
    # Points that can be earned, in hundredths of a point.
    max_hundredths: int
    # The measurements that the points follow from.
    measure: "TrustFactorEntryMeasure"


class TenureFactorEntryMeasure(TypedDict):
    """The measurements that the points follow from."""

    # Weeks with a qualifying event.
    weeks: int


class TenureFactorEntry(TypedDict):
    """For how many weeks the machine has worked."""

    name: Literal["tenure"]
    # Points earned, in hundredths of a point.
    points_hundredths: int
    # Points that can be earned, in hundredths of a point.
    max_hundredths: int
    # The measurements that the points follow from.
    measure: "TenureFactorEntryMeasure"


# One of the five factors of the score.
RatingFactor = Union["RevenueFactorEntry", "CadenceFactorEntry", "TrendFactorEntry", "TrustFactorEntry", "TenureFactorEntry"]


class RatingReason(TypedDict):
    """A deduction from the score, or a notice."""

    # Identifies the notice or deduction.
    code: Literal["not_bonded", "not_graduated", "history_elsewhere", "dormant", "unanchored", "flagged", "revenue_low", "revenue_unverified", "cadence_low", "cadence_unverified", "trend_below", "trend_without_revenue", "trend_unknown", "trust_override", "trust_none", "trust_low", "tenure_short"]
    # Hundredths of a point; null: a notice, which costs none.
    lost_hundredths: Union[int, None]
    # The same for people.
    text: str


class ProfileFactsServiceEndpointsItem(TypedDict):
    """Part of a response."""

    # As published.
    id: str
    # As published.
    type: str
    # As published, unchecked.
    endpoint: str


class ProfileFacts(TypedDict):
    """Rating, operator and services of a machine."""

    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machine_id: str
    # The DID of a machine: its method and the canonical decimal id.
    did: str
    # The DID of the operator; null: none is designated.
    operator: Union[str, None]
    mcr: "Letter"
    # Points of 100, rounded.
    mcr_score: int
    # Whether the machine has an active bond.
    bond_status: Literal["bonded", "unbonded"]
    # Whether a negative flag is on record. It is in force for 180 days.
    negative_flag: bool
    # How many events the machine reported.
    event_count: int
    # Who may see the events, as the owner published.
    data_visibility: Literal["private", "onchain", "public"]
    # As published; null: none.
    documentation_url: Union[str, None]
    # As published in the DID document.
    service_endpoints: list["ProfileFactsServiceEndpointsItem"]
    # The data API of a private machine.
    data_api: NotRequired[str]
    # The oldest events of a machine with the visibility onchain.
    event_data: NotRequired[list["MachineEvent"]]
    # The response of the data API of a public machine, unchecked.
    partner_data: NotRequired[dict[str, Any]]
    # Why there is no response of the data API.
    partner_data_error: NotRequired[Literal["not_fetched", "no_data_api", "unreachable", "invalid"]]
    # Ordinal of the home chain; alt-chain machines only.
    home_chain: NotRequired[int]
    # Why there is no rating; alt-chain machines only, absent when the machine is rated.
    rating_unavailable: NotRequired[Literal["no_events_yet", "indexer_behind", "not_rated_here"]]
    # The account that owns the machine; alt-chain machines only.
    owner: NotRequired[str]
    # The account that controls the machine; alt-chain machines only.
    controller: NotRequired[Union[str, None]]
    # As registered; alt-chain machines only.
    machine_type: NotRequired[str]
    # A machine that relocates has no profile; alt-chain machines only.
    relocating: NotRequired[Literal[False]]


class MachineEvent(TypedDict):
    """An event that a machine reported."""

    # 0: revenue; 1: activity.
    event_type: int
    # Minor units of `origin_currency`, or a metric of the machine, with every digit.
    origin_value: float
    # When it happened, as reported: Unix time in seconds.
    timestamp: float
    # As reported. 0: self-reported; 1: on-chain; 2: hardware-signed.
    trust_level: int
    # Reported with the event, unchecked.
    metadata: dict[str, Any]
    # Revenue only: the currency.
    origin_currency: NotRequired[str]
    # Revenue only: US cents; null: not converted.
    usd_value: NotRequired[Union[int, None]]
    # Revenue only: minor units of one unit of the currency; null: not known.
    origin_subunit: NotRequired[Union[float, None]]
    # Revenue only: cents of a dollar.
    usd_subunit: NotRequired[Literal[100]]
    # Revenue only: whether the amount was converted.
    amount_status: NotRequired[Literal["ok", "unsupported_currency", "fx_unavailable"]]


class HistoryPoint(TypedDict):
    """The rating at the end of one UTC day, and the revenue of that day."""

    # A UTC day.
    day: str
    # Points of 100, rounded.
    mcr_score: int
    mcr: "Letter"
    # Whether some amounts could not be converted to US dollars.
    mcr_degraded: bool
    # Hundredths of a point, before rounding and before the bond is checked; null: not rated.
    total_hundredths: Union[int, None]
    # US cents of qualifying revenue in blocks of that day.
    revenue: int
    # Whether the machine has an active bond.
    bond_status: Literal["bonded", "unbonded"]


# An event of the history of a machine.
EventEntry = TypedDict("EventEntry", {
    # The place in the history of the machine, from 0.
    "position": int,
    # 0: revenue; 1: activity.
    "event_type": int,
    # Minor units of `origin_currency`, or a metric of the machine, with every digit.
    "origin_value": float,
    # When it happened, as reported: Unix time in seconds.
    "timestamp": float,
    # As reported. 0: self-reported; 1: on-chain; 2: hardware-signed.
    "trust_level": int,
    # Reported with the event, unchecked.
    "metadata": dict[str, Any],
    # Revenue only: the currency.
    "origin_currency": NotRequired[str],
    # Revenue only: US cents; null: not converted.
    "usd_value": NotRequired[Union[int, None]],
    # Revenue only: minor units of one unit of the currency; null: not known.
    "origin_subunit": NotRequired[Union[float, None]],
    # Revenue only: cents of a dollar.
    "usd_subunit": NotRequired[Literal[100]],
    # Revenue only: whether the amount was converted.
    "amount_status": NotRequired[Literal["ok", "unsupported_currency", "fx_unavailable"]],
    # Unix time of the block in seconds.
    "block_timestamp": int,
    # Only a sound event can qualify for the rating.
    "judgement": Literal["sound", "malformed", "late", "early"],
    # The hash of the reported data.
    "data_hash": str,
    # Decimal, as reported.
    "source_chain_id": str,
    # As reported.
    "source_tx_hash": str,
    # What supports the event: nothing, a payment, or a device on record; null: it does not qualify.
    "class": Union[Literal["declared", "paid", "attested"], None],
    # What became of the payment that the event cites; null: it is not revenue that qualifies.
    "verdict": Union[Literal["declared", "pending", "not_found", "failed", "wrong_time", "wrong_payee", "unknown_payer", "self_paid", "circular", "already_counted", "paid"], None],
    # US cents of the payment that count for this event.
    "paid_cents": int,
    # The chain of the payment (CAIP-2); null: not found.
    "source": Union[str, None],
    # The symbol of the token of the payment; null: not found.
    "token": Union[str, None],
    # The account that paid; null: not found.
    "payer": Union[str, None],
    # US cents of the whole payment; null: not found.
    "worth_cents": Union[int, None],
    # US cents that went back to the payer; null: not found.
    "returned_cents": Union[int, None],
})


class RatedFleetEntry(TypedDict):
    """A machine of a fleet: its rating record, and the state of its subscription."""

    # The DID of a machine: its method and the canonical decimal id.
    did: str
    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machine_id: str
    # Points of 100, rounded.
    mcr_score: int
    mcr: "Letter"
    # Whether some amounts could not be converted to US dollars.
    mcr_degraded: bool
    # Whether the machine has an active bond.
    bond_status: Literal["bonded", "unbonded"]
    # Whether a negative flag is on record. It is in force for 180 days.
    negative_flag: bool
    # How many events the machine reported.
    event_count: int
    # How many of the events report revenue.
    revenue_event_count: int
    # How many of the events report activity.
    activity_event_count: int
    # Revenue of the last 30 days against the 30 days before; null: not rated.
    revenue_trend: Union[Literal["up", "stable", "down", "insufficient"], None]
    # US cents of qualifying revenue.
    total_revenue: int
    # US cents, with two decimals; null: not rated.
    average_revenue_per_event: Union[float, None]
    # Unix time of the newest event in seconds; null: no event.
    last_updated: Union[int, None]
    # Ordinal of the home chain; alt-chain machines only.
    home_chain: NotRequired[int]
    # Why there is no rating; alt-chain machines only, absent when the machine is rated.
    rating_unavailable: NotRequired[Literal["no_events_yet", "indexer_behind", "not_rated_here"]]
    # The rating in one sentence.
    summary: str
    # The state of the bond’s subscription.
    subscription: Literal["NotActivated", "Active", "Grace", "Runoff", "Terminated"]


class FleetEntry(TypedDict):
    """A machine in a list."""

    # The DID of a machine: its method and the canonical decimal id.
    did: str
    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machine_id: str
    # Points of 100, rounded. Lists show 0 for alt-chain machines: read their rating.
    mcr_score: int
    mcr: "Letter"
    # Whether a negative flag is on record. It is in force for 180 days.
    negative_flag: bool
    # The display name of the machine.
    name: str
    # Whether the machine has an active bond.
    bond_status: Literal["bonded", "unbonded"]
    # How many events the machine reported.
    event_count: int
    # Ordinal of the home chain; alt-chain machines only.
    home_chain: NotRequired[int]
    # Why there is no rating; alt-chain machines only, absent when the machine is rated.
    rating_unavailable: NotRequired[Literal["no_events_yet", "indexer_behind", "not_rated_here"]]


class BoundFleetEntry(TypedDict):
    """A legacy machine in a list."""

    # The DID of an address of the main chain in EIP-55 spelling.
    did: str
    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machine_id: str
    # Points of 100, rounded. Lists show 0 for alt-chain machines: read their rating.
    mcr_score: int
    mcr: "Letter"
    # Whether a negative flag is on record. It is in force for 180 days.
    negative_flag: bool
    # The display name of the machine.
    name: str
    # Whether the machine has an active bond.
    bond_status: Literal["bonded", "unbonded"]
    # How many events the machine reported.
    event_count: int


class ActiveMachineEntry(TypedDict):
    """A machine in the list of the most active machines."""

    # The DID of a machine: its method and the canonical decimal id.
    did: str
    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machine_id: str
    # Points of 100, rounded. Lists show 0 for alt-chain machines: read their rating.
    mcr_score: int
    mcr: "Letter"
    # Whether a negative flag is on record. It is in force for 180 days.
    negative_flag: bool
    # The display name of the machine.
    name: str
    # Whether the machine has an active bond.
    bond_status: Literal["bonded", "unbonded"]
    # How many events the machine reported.
    event_count: int
    # Ordinal of the home chain; alt-chain machines only.
    home_chain: NotRequired[int]
    # Why there is no rating; alt-chain machines only, absent when the machine is rated.
    rating_unavailable: NotRequired[Literal["no_events_yet", "indexer_behind", "not_rated_here"]]
    # Unix time in seconds of the block of the newest indexed event.
    last_event_at: int


class FleetIndex(TypedDict):
    """How far the index that the list comes from is behind the chain."""

    # The newest indexed block.
    indexed_block: int
    # The head of the chain.
    head_block: int
    # Blocks between the two.
    lag_blocks: int
    # Seconds since the head was read.
    head_observed_age_seconds: int
    # Seconds since the owners of alt-chain machines were read; null: no alt chain.
    alt_snapshot_age_seconds: Union[int, None]


class DirectoryEntry(TypedDict):
    """A machine as it was last observed. `/mcr/{did}` has its current rating."""

    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machine_id: str
    # The DID of a machine: its method and the canonical decimal id.
    did: str
    # Letter of the rating.
    rating: Literal["AAA", "AA", "A", "BBB", "BB", "B", "NR", "Provisioned"]
    # State of the subscription of the bond.
    bond: Literal["NotActivated", "Active", "Grace", "Runoff", "Terminated"]
    # State of the negative flag.
    flag: Literal["none", "in_force", "ended"]
    # Verification of the operator (KYB).
    kyb: Literal["unverified", "verified", "expired", "revoked"]
    # Verification of the chip.
    chip: Literal["unverified", "verified", "expired", "revoked"]
    # Decision about monetization in force.
    opt_in: Literal["PENDING", "OPTED_IN", "OPTED_OUT"]
    # Home chain: the main chain or the alt chain.
    home: Literal["main", "alt"]
    # Points of 100, rounded.
    score: int
    # Operator of the machine; null: none is recorded.
    operator: Union[str, None]
    # Owner: an address, or a key of the alt chain.
    owner: str
    # Indexed events.
    event_count: int
    # Qualifying revenue in US cents.
    total_revenue: int
    # Unix time in seconds of the newest block with an event; null: none.
    last_event_at: Union[int, None]
    # Final block of the main chain at which the machine was observed.
    block: int
    # Unix time in seconds of the observation.
    observed_at: int


class DecisionEntry1(TypedDict):
    """Part of a response."""

    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machine_id: str
    opted_in: bool
    # Unix time in seconds when the decision was signed.
    timestamp: int
    # The address in EIP-55 spelling, or the base58 key of an alt-chain machine.
    signer: str
    # As sent. Null until 330 s after the timestamp, and while the clock of the service is in doubt.
    signature: Union[str, None]
    # The signed message.
    message: str
    authority: "AuthorityAtDecision"
    # The hash of the row before; null: the first row.
    previous: Union[str, None]
    # SHA-256 of the RFC 8785 form of the row without this member.
    hash: str


class DecisionEntry2(TypedDict):
    """Part of a response."""

    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machine_id: str
    opted_in: bool
    # Unix time in seconds when the decision was signed.
    timestamp: int
    # The address in EIP-55 spelling, or the base58 key of an alt-chain machine.
    signer: str
    # As sent. Null until 330 s after the timestamp, and while the clock of the service is in doubt.
    signature: Union[str, None]
    message: None
    authority: None
    previous: None
    hash: None
    # The row is older than the chain, and nothing proves it.
    unverifiable: Literal[True]


# A decision that was in force.
DecisionEntry = Union["DecisionEntry1", "DecisionEntry2"]


class AuthorityAtDecisionBlock(TypedDict):
    """The block of the main chain at which it was read."""

    number: str
    hash: str


class AuthorityAtDecision(TypedDict):
    """Who was entitled to decide."""

    # The address in EIP-55 spelling, or the base58 key of an alt-chain machine.
    owner: str
    # The owner where no controller is set.
    controller: str
    # The block of the main chain at which it was read.
    block: "AuthorityAtDecisionBlock"
    # The slot of an alt-chain machine; null: a main-chain machine.
    slot: Union[str, None]


class DecisionCheckpointHead(TypedDict):
    """Part of a response."""

    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machineId: str
    # The hash of the newest row.
    hash: str
    # The number of rows up to it.
    count: int
    # Unix time in seconds.
    signedAt: int


class DecisionCheckpoint(TypedDict):
    """The head of a decision log as EIP-712 typed data, signed by a statement key."""

    head: "DecisionCheckpointHead"
    # r, s and the recovery byte, with low s.
    signature: str
    # An address of the main chain in EIP-55 spelling.
    signer: str


# A difference between two consecutive observations of a machine, both of final facts.
Change = TypedDict("Change", {
    # Place in the order of all changes, without gaps.
    "cursor": int,
    # What has changed.
    "kind": Literal["owner", "operator", "bond", "flag", "kyb", "chip", "opt-in", "rating"],
    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    "machine_id": str,
    # The DID of a machine: its method and the canonical decimal id.
    "did": str,
    # Operator of the machine; null: none is recorded.
    "operator": Union[str, None],
    # Value of the previous observation; null: none.
    "from": Union[str, None],
    # Value now; null: none. Values of rating: the letter; bond: Active, Grace, Runoff, Terminated or NotActivated; flag: none, in_force or ended; owner and operator: an address or a key of the alt chain; chip and kyb: unverified, verified, expired or revoked; opt-in: PENDING, OPTED_IN or OPTED_OUT.
    "to": Union[str, None],
    # Final block of the main chain at which the change was observed.
    "block": int,
    # Unix time in seconds of the observation.
    "observed_at": int,
})


class VerifyAccount(TypedDict):
    """An account; its address is never zero."""

    kind: Literal["evm"]
    # An address of the main chain in EIP-55 spelling.
    address: str


class VerifyTopic(TypedDict):
    """The verification of one topic."""

    status: Literal["unverified", "verified", "expired", "revoked"]


class OperatorIndexLag(TypedDict):
    """How far the index of the main chain is behind its head."""

    # Whether the index is fresh enough to be used.
    ready: bool
    # The newest indexed block; null: none yet.
    indexed_block: Union[int, None]
    # The head of the chain; null: not read yet.
    head_block: Union[int, None]
    # Blocks between the two; null: not known.
    lag_blocks: Union[int, None]
    # Seconds since the head was read; null: never.
    head_observed_age_seconds: Union[int, None]
    # How far the index is proven; absent where that is not known.
    proof: NotRequired["IndexProofEntry"]


class IndexProofEntrySegmentsItem(TypedDict):
    """Part of a response."""

    # The first block.
    from_block: int
    # The last block.
    to_block: int
    # By every header, by the logs of two hosts, by random headers; or two hosts return a block without its parent.
    kind: Literal["headers", "second-node", "sample", "unprovable"]


class IndexProofEntry(TypedDict):
    """How far the index of the main chain is proven. Informational."""

    # The setting `INDEX_PROOF`.
    mode: Literal["background", "full", "before", "off"]
    # Whether all owners and block times of the first backfill are known.
    backfilled: bool
    # Blocks whose logs are served but not yet proven by their receipts.
    unproven_blocks: int
    # The number of ranges that are known to hold no other logs.
    segment_count: int
    # The newest of these ranges, newest first.
    segments: list["IndexProofEntrySegmentsItem"]


class CallBudgetEntry(TypedDict):
    """The call budget of this process for one chain. Informational."""

    # The chain whose nodes are called.
    chain: Literal["main", "solana"]
    # The calls allowed per second now; null: no limit is known.
    calls_per_second: Union[int, None]
    # Requests that wait for their turn.
    waiting_requests: int
    # Reads refused since the start because their turn did not come in time.
    refused_reads: int
    # Whether the calls of the day are used too fast, which stops the proof.
    day_exhausted: bool


class PaymentSourceEntry(TypedDict):
    """A payment source as this process follows it. Informational."""

    # The CAIP-2 name of the chain.
    source: str
    # Whether the last attempt could read it; null: there was none.
    up: Union[bool, None]
    # Seconds since the newest finalized block read; null: none yet.
    head_age_seconds: Union[int, None]
    # Machines that wait for a verdict on a payment.
    waiting_machines: int
    # The cause of the last failure; null: none since the start.
    last_failure: Union[Literal["transport", "deadline", "rate-limited", "calls-used-up", "own-calls-used-up", "rpc-error", "malformed", "wrong-chain", "wrong-deployment", "block-mismatch", "undecodable", "disagreement", "contradiction", "events", "no-head"], None]


class PaymentSearchEntry(TypedDict):
    """How far the events of a home chain are searched. Verdicts on later events are pending; those of Solana machines need both chains."""

    # The home chain of the events.
    chain: Literal["main", "solana"]
    # The block time through which all events are searched for payments, in Unix seconds; null: none yet.
    searched_through: Union[int, None]
    # The age of that time; null: none yet.
    age_seconds: Union[int, None]


class AltIndexLag(TypedDict):
    """How old the index of the alt chain is."""

    # Whether the index is fresh enough to be used.
    ready: bool
    # The slot of the newest snapshot; null: none yet.
    slot: Union[int, None]
    # The age of that snapshot; null: none yet.
    age_seconds: Union[int, None]


class AltIndexProgress(TypedDict):
    """The progress of the alt-chain index through its history."""

    # What the index does: it lists new transactions, newest to oldest; applies them, oldest to newest; or has applied all known ones.
    phase: Literal["listing", "applying", "following"]
    # The slot up to which transactions are applied; null: none yet.
    applied_slot: Union[int, None]
    # The slot of the newest known transaction.
    target_slot: int
    # The slot of the oldest transaction listed; null: nothing is being listed.
    listed_down_to_slot: Union[int, None]


class StatusCause(TypedDict):
    """A cause that stops or slows an index."""

    # A fixed name of the cause; more may be added.
    cause: str
    # The variable or fact that the cause concerns.
    subject: str
    # What is wrong.
    text: str
    # What to do.
    remedy: str


class ValidationIssue(TypedDict):
    """One invalid parameter."""

    # The kind of problem.
    type: str
    # Its place, and its name or position there.
    loc: list[Union[str, int]]
    # The problem, for people.
    msg: str
    # The given value, at most 100 characters of it.
    input: Any
    # The bounds that were violated.
    ctx: NotRequired[dict[str, Union[str, float]]]


class McrRecord(TypedDict):
    """The rating of a machine."""

    # The DID of a machine: its method and the canonical decimal id.
    did: str
    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machine_id: str
    # Points of 100, rounded.
    mcr_score: int
    mcr: "Letter"
    # Whether some amounts could not be converted to US dollars.
    mcr_degraded: bool
    # Whether the machine has an active bond.
    bond_status: Literal["bonded", "unbonded"]
    # Whether a negative flag is on record. It is in force for 180 days.
    negative_flag: bool
    # How many events the machine reported.
    event_count: int
    # How many of the events report revenue.
    revenue_event_count: int
    # How many of the events report activity.
    activity_event_count: int
    # Revenue of the last 30 days against the 30 days before; null: not rated.
    revenue_trend: Union[Literal["up", "stable", "down", "insufficient"], None]
    # US cents of qualifying revenue.
    total_revenue: int
    # US cents, with two decimals; null: not rated.
    average_revenue_per_event: Union[float, None]
    # Unix time of the newest event in seconds; null: no event.
    last_updated: Union[int, None]
    # Ordinal of the home chain; alt-chain machines only.
    home_chain: NotRequired[int]
    # Why there is no rating; alt-chain machines only, absent when the machine is rated.
    rating_unavailable: NotRequired[Literal["no_events_yet", "indexer_behind", "not_rated_here"]]
    # The rating in one sentence.
    summary: str


class ExplanationDormancy(TypedDict):
    """Part of a response."""

    # Days since the newest qualifying event; null: none.
    idle_days: Union[int, None]
    # Idle days without a deduction; null: no qualifying event.
    free_days: Union[int, None]
    # Days in which what remains halves; null: no qualifying event.
    half_days: Union[int, None]
    # Hundredths of a point.
    lost_hundredths: int


class ExplanationAnchor(TypedDict):
    """Part of a response."""

    # Whether the identity of the operator is verified and it accepted the machine.
    operator_verified: bool
    # Hundredths of a point.
    lost_hundredths: int


class ExplanationInputsBlock(TypedDict):
    """Part of a response."""

    # Decimal.
    number: str
    # The hash of the block.
    hash: str
    # Unix time in seconds.
    timestamp: int


class ExplanationInputsRates(TypedDict):
    """The exchange rates."""

    # Whether a feed of exchange rates is configured.
    feed: bool
    # The newest day of the rates.
    through: str
    # SHA-256 of all rates and tokens, as `docs/statements.md` describes.
    digest: str


class ExplanationInputs(TypedDict):
    """What the rating was computed from."""

    block: "ExplanationInputsBlock"
    # The slot of the alt chain that the facts were read at; alt-chain machines only.
    slot: NotRequired[str]
    # The Unix time in seconds that the rating was computed for.
    now: int
    # The state of the bond’s subscription.
    subscription: Literal["NotActivated", "Active", "Grace", "Runoff", "Terminated"]
    # Unix time of the last negative flag in seconds; 0: none.
    negative_flag_at: str
    # Trust set by an administrator; null: none.
    trust_override: Union[int, None]
    # Events before a move to this chain, which are not counted.
    prior_events: int
    # How many events the machine reported.
    event_count: int
    # The exchange rates.
    rates: "ExplanationInputsRates"


class ExplanationEvidenceAccountsItem(TypedDict):
    """Part of a response."""

    # The address of the account.
    account: str
    # The owner of the machine that the account signed for.
    owner: str
    # Unix time in seconds of the block with the signature.
    since: int
    # The position of the event with the signature.
    seq: int


class ExplanationEvidenceVerdicts(TypedDict):
    """How many events of the last 180 days have each verdict on their payment."""

    declared: int
    pending: int
    not_found: int
    failed: int
    wrong_time: int
    wrong_payee: int
    unknown_payer: int
    self_paid: int
    circular: int
    already_counted: int
    paid: int


class ExplanationEvidence(TypedDict):
    """The evidence found for the events."""

    # The hash of the payment sources; null: none are configured.
    sources_hash: Union[str, None]
    # Unix time in seconds of the newest change of hands; events before it count as declared. Null: none.
    changed_hands_at: Union[int, None]
    # Whether the machine changed hands since its chip record was issued; null: there is no chip record in force.
    chip_changed_hands: Union[bool, None]
    # The accounts that signed for payments to the machine.
    accounts: list["ExplanationEvidenceAccountsItem"]
    # How many events of the last 180 days have each verdict on their payment.
    verdicts: "ExplanationEvidenceVerdicts"


class Explanation(TypedDict):
    """A rating, and where every point of it comes from."""

    # The DID of a machine: its method and the canonical decimal id.
    did: str
    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machine_id: str
    # Points of 100, rounded.
    mcr_score: int
    mcr: "Letter"
    # Whether some amounts could not be converted to US dollars.
    mcr_degraded: bool
    # Whether the machine has an active bond.
    bond_status: Literal["bonded", "unbonded"]
    # Whether a negative flag is on record. It is in force for 180 days.
    negative_flag: bool
    # How many events the machine reported.
    event_count: int
    # How many of the events report revenue.
    revenue_event_count: int
    # How many of the events report activity.
    activity_event_count: int
    # Revenue of the last 30 days against the 30 days before; null: not rated.
    revenue_trend: Union[Literal["up", "stable", "down", "insufficient"], None]
    # US cents of qualifying revenue.
    total_revenue: int
    # US cents, with two decimals; null: not rated.
    average_revenue_per_event: Union[float, None]
    # Unix time of the newest event in seconds; null: no event.
    last_updated: Union[int, None]
    # Ordinal of the home chain; alt-chain machines only.
    home_chain: NotRequired[int]
    # Why there is no rating; alt-chain machines only, absent when the machine is rated.
    rating_unavailable: NotRequired[Literal["no_events_yet", "indexer_behind", "not_rated_here"]]
    # The rating in one sentence.
    summary: str
    # The version of the rating model.
    model: str
    # The score before rounding, in hundredths of a point; null: not rated.
    total_hundredths: Union[int, None]
    # The factors of the score.
    factors: list["RatingFactor"]
    # The deduction for dormancy; null: not rated.
    dormancy: Union["ExplanationDormancy", None]
    # The deduction without a verified operator, or with a negative flag in force; null: not rated.
    anchor: Union["ExplanationAnchor", None]
    # Deductions and notices, largest deduction first.
    reasons: list["RatingReason"]
    # Whether the machine is paused or deactivated. Does not affect the rating.
    availability: Literal["available", "paused", "deactivated", "unreadable"]
    # What the rating was computed from.
    inputs: "ExplanationInputs"
    # The evidence found for the events.
    evidence: "ExplanationEvidence"


class ProfileAttributesItem1(TypedDict):
    """Part of a response."""

    # The name of the attribute.
    trait_type: str
    value: str


class ProfileAttributesItem2(TypedDict):
    """Part of a response."""

    # The name of the attribute.
    trait_type: str
    # Points of 100, rounded.
    value: int
    max_value: int


class ProfileAttributesItem3(TypedDict):
    """Part of a response."""

    # The name of the attribute.
    trait_type: str
    display_type: Literal["number"]
    value: int


class Profile(TypedDict):
    """The profile of a machine, as token metadata."""

    # The version of this form.
    schema_version: Literal["1.0"]
    # The display name of the machine.
    name: str
    svcos: "ProfileFacts"
    # What kind of token it is.
    description: NotRequired[Literal["svcOS machine"]]
    # The picture of the rating.
    image: NotRequired[str]
    # The page of the machine.
    external_url: NotRequired[str]
    # The rating as typed attributes.
    attributes: NotRequired[list[Union["ProfileAttributesItem1", "ProfileAttributesItem2", "ProfileAttributesItem3"]]]


class CardServicesItem(TypedDict):
    """Part of a response."""

    # The type of the service, as published.
    name: str
    # As published, unchecked.
    endpoint: str


class CardRegistrationsItem(TypedDict):
    """Part of a response."""

    type: Literal["svcos:registration:v1"]
    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machineId: str
    # Chain and registry (CAIP-10).
    machineRegistry: str


class Card(TypedDict):
    """Services, registration and operator of a machine."""

    type: Literal["svcos:registration:v1"]
    # The display name of the machine.
    name: str
    description: Literal["svcOS machine"]
    # The DID of a machine: its method and the canonical decimal id.
    did: str
    # Every machine with a card is registered.
    active: Literal[True]
    # The web services that the machine publishes.
    services: list["CardServicesItem"]
    # Who may see the events, as the owner published.
    data_visibility: Literal["private", "onchain", "public"]
    # As published; empty: none.
    documentation_url: str
    # The DID of the operator; null: none is designated.
    operator: Union[str, None]
    # Whether the machine has an active bond.
    bond_status: Literal["bonded", "unbonded"]
    # How many events the machine reported.
    event_count: int
    # Where the machine is registered.
    registrations: list["CardRegistrationsItem"]
    # Ordinal of the home chain; alt-chain machines only.
    home_chain: NotRequired[int]
    # Why there is no rating; alt-chain machines only, absent when the machine is rated.
    rating_unavailable: NotRequired[Literal["no_events_yet", "indexer_behind", "not_rated_here"]]
    # The picture of the rating.
    image: NotRequired[str]
    # No endpoint is known to accept payments by x402.
    x402Support: NotRequired[Literal[False]]
    # Declares no trust model.
    supportedTrust: NotRequired[list[str]]
    # The token of the machine (CAIP-19); null: an alt-chain machine has none.
    asset_id: NotRequired[Union[str, None]]
    # The account of the operator (CAIP-10); null: none.
    operator_account: NotRequired[Union[str, None]]


class HistoryBond(TypedDict):
    """The present terms of the bond."""

    # The state of the bond’s subscription.
    status: Literal["NotActivated", "Active", "Grace", "Runoff", "Terminated"]
    # Unix time in seconds at which grace begins; null: no period.
    period_end: Union[int, None]
    # Unix time in seconds at which the bond ends; null: no period.
    grace_end: Union[int, None]


class HistoryChangesItem(TypedDict):
    """Part of a response."""

    # Unix time of the change in seconds.
    at: int
    kind: Literal["bond_started", "bond_renewed", "bond_in_grace", "bond_expired", "bond_terminated", "bond_terminated_for_fraud", "flagged", "flag_lapsed", "flag_cleared", "trust_override_set", "trust_override_cleared"]
    # The end of the period of a bond that starts or is renewed, or a percentage; else null.
    value: Union[int, None]


HistoryActionsItem = TypedDict("HistoryActionsItem", {
    # A UTC day.
    "day": str,
    "from": "Letter",
    "to": "Letter",
    # What changed that day; time: nothing but that a day passed.
    "cause": Literal["bond", "flag", "trust_override", "operator_verification", "events", "time"],
})


class History(TypedDict):
    """The rating and the revenue of each of the last 365 days."""

    # The DID of a machine: its method and the canonical decimal id.
    did: str
    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machine_id: str
    # The version of the rating model.
    model: str
    # False: events, days or changes are known to be missing; there are no points then. Until blocks are proven (`/status`), changes that cancel each other out may be missing from a complete history.
    complete: bool
    # The present terms of the bond.
    bond: "HistoryBond"
    # US cents before the first point. With those of the points: the total.
    revenue_before: int
    # Oldest first, one per day. The last is the present rating.
    points: list["HistoryPoint"]
    # Changes of the bond, the negative flag and the trust override, oldest first; those by time alone too.
    changes: list["HistoryChangesItem"]
    # Days on which the rating changed, oldest first.
    actions: list["HistoryActionsItem"]
    # Ordinal of the home chain; alt-chain machines only.
    home_chain: NotRequired[int]
    # Why there is no rating; alt-chain machines only, absent when the machine is rated.
    rating_unavailable: NotRequired[Literal["no_events_yet", "indexer_behind", "not_rated_here"]]


class EventListing(TypedDict):
    """A page of the events that the rating is computed from."""

    # The DID of a machine: its method and the canonical decimal id.
    did: str
    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machine_id: str
    # How many events the machine reported.
    event_count: int
    # Newest first.
    events: list["EventEntry"]
    # The cursor of the page of older events; null: there are none.
    next_cursor: Union[int, None]
    # Ordinal of the home chain; alt-chain machines only.
    home_chain: NotRequired[int]
    # Why there is no rating; alt-chain machines only, absent when the machine is rated.
    rating_unavailable: NotRequired[Literal["no_events_yet", "indexer_behind", "not_rated_here"]]


class FleetPagination(TypedDict):
    """Part of a response."""

    # As requested, with every digit.
    offset: int
    # As requested.
    limit: int
    # How many machines the operator has.
    total: int


class Fleet(TypedDict):
    """A page of the machines that an operator owns or controls."""

    # The DID of an operator or its raw address, in any letter case.
    operator_did: str
    # By machine id, lowest first.
    machines: list["FleetEntry"]
    pagination: "FleetPagination"
    # Machines that belong on this page, or may, and could not be read.
    unreadable: int
    index: "FleetIndex"


class RatedFleetPagination(TypedDict):
    """Part of a response."""

    # As requested, with every digit.
    offset: int
    # As requested.
    limit: int
    # How many machines the operator has.
    total: int


class RatedFleet(TypedDict):
    """A page of the machines that an operator owns or controls, each with its rating."""

    # The DID of an operator or its raw address, in any letter case.
    operator_did: str
    # By machine id, lowest first.
    machines: list["RatedFleetEntry"]
    pagination: "RatedFleetPagination"
    # Machines that belong on this page, or may, and could not be read.
    unreadable: int
    index: "FleetIndex"
    # Ids of the machines of this page that could not be read.
    unreadable_machines: list[str]


class ActiveMachines(TypedDict):
    """The machines with the newest indexed events."""

    # Newest event first.
    machines: list["ActiveMachineEntry"]
    # Machines that belong in the list and could not be read.
    unreadable: int
    # Null: there is no index of the main chain.
    operator_index: Union["OperatorIndexLag", None]
    # Null: no alt chain is configured.
    solana_indexer: Union["AltIndexLag", None]


class BoundMcrRecord(TypedDict):
    """The rating of the legacy machine that a wallet of the alt chain is bound to."""

    # The DID of an address of the main chain in EIP-55 spelling.
    did: str
    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machine_id: str
    # Points of 100, rounded.
    mcr_score: int
    mcr: "Letter"
    # Whether some amounts could not be converted to US dollars.
    mcr_degraded: bool
    # Whether the machine has an active bond.
    bond_status: Literal["bonded", "unbonded"]
    # Whether a negative flag is on record. It is in force for 180 days.
    negative_flag: bool
    # How many events the machine reported.
    event_count: int
    # How many of the events report revenue.
    revenue_event_count: int
    # How many of the events report activity.
    activity_event_count: int
    # Revenue of the last 30 days against the 30 days before; null: not rated.
    revenue_trend: Union[Literal["up", "stable", "down", "insufficient"], None]
    # US cents of qualifying revenue.
    total_revenue: int
    # US cents, with two decimals; null: not rated.
    average_revenue_per_event: Union[float, None]
    # Unix time of the newest event in seconds; null: no event.
    last_updated: Union[int, None]
    # The rating in one sentence.
    summary: str
    # The wallet, as sent.
    solana_address: str
    # The address that the wallet is bound to, in EIP-55 spelling.
    evm_address: str


class BoundFleetPagination(TypedDict):
    """Part of a response."""

    # As requested, with every digit.
    offset: int
    # As requested.
    limit: int
    # How many machines the operator has.
    total: int


class BoundFleet(TypedDict):
    """A page of the legacy machines of the operator that a wallet of the alt chain is bound to."""

    # The DID of an address of the main chain in EIP-55 spelling.
    operator_did: str
    # By machine id, lowest first.
    machines: list["BoundFleetEntry"]
    pagination: "BoundFleetPagination"
    # Machines that belong on this page, or may, and could not be read.
    unreadable: int
    index: "FleetIndex"
    # The wallet, as sent.
    solana_address: str
    # The address that the wallet is bound to, in EIP-55 spelling.
    evm_address: str


class Directory(TypedDict):
    """A page of the machines of the deployment."""

    # In the requested order. A page may be short, and even empty, before the end: `next` decides.
    machines: list["DirectoryEntry"]
    # Cursor of the next page, for `after`; null: nothing is left.
    next: Union[str, None]
    # Machines that are known and not observed yet, counted up to 1000. 0: the directory is complete.
    unlisted: int
    # Unix time in seconds at which every machine known then had been observed; null: machines are still observed for the first time.
    opened_at: Union[int, None]
    index: "FleetIndex"


class DirectorySummaryCountsRating(TypedDict):
    """Part of a response."""

    # Machines.
    AAA: int
    # Machines.
    AA: int
    # Machines.
    A: int
    # Machines.
    BBB: int
    # Machines.
    BB: int
    # Machines.
    B: int
    # Machines.
    NR: int
    # Machines.
    Provisioned: int


class DirectorySummaryCountsBond(TypedDict):
    """Part of a response."""

    # Machines.
    NotActivated: int
    # Machines.
    Active: int
    # Machines.
    Grace: int
    # Machines.
    Runoff: int
    # Machines.
    Terminated: int


class DirectorySummaryCountsFlag(TypedDict):
    """Part of a response."""

    # Machines.
    none: int
    # Machines.
    in_force: int
    # Machines.
    ended: int


class DirectorySummaryCountsKyb(TypedDict):
    """Part of a response."""

    # Machines.
    unverified: int
    # Machines.
    verified: int
    # Machines.
    expired: int
    # Machines.
    revoked: int


class DirectorySummaryCountsChip(TypedDict):
    """Part of a response."""

    # Machines.
    unverified: int
    # Machines.
    verified: int
    # Machines.
    expired: int
    # Machines.
    revoked: int


class DirectorySummaryCountsOptIn(TypedDict):
    """Part of a response."""

    # Machines.
    PENDING: int
    # Machines.
    OPTED_IN: int
    # Machines.
    OPTED_OUT: int


class DirectorySummaryCountsHome(TypedDict):
    """Part of a response."""

    # Machines.
    main: int
    # Machines.
    alt: int


class DirectorySummaryCounts(TypedDict):
    """Machines by value of each member of an entry."""

    rating: "DirectorySummaryCountsRating"
    bond: "DirectorySummaryCountsBond"
    flag: "DirectorySummaryCountsFlag"
    kyb: "DirectorySummaryCountsKyb"
    chip: "DirectorySummaryCountsChip"
    opt_in: "DirectorySummaryCountsOptIn"
    home: "DirectorySummaryCountsHome"


class DirectorySummary(TypedDict):
    """Numbers of machines of the deployment."""

    # Machines in the directory.
    machines: int
    # Machines by value of each member of an entry.
    counts: "DirectorySummaryCounts"
    # Machines that are known and not observed yet, counted up to 1000. 0: the directory is complete.
    unlisted: int
    # Unix time in seconds at which every machine known then had been observed; null: machines are still observed for the first time.
    opened_at: Union[int, None]
    index: "FleetIndex"


class ChangePage(TypedDict):
    """A page of changes."""

    # In the order of their cursors.
    changes: list["Change"]
    # Cursor to continue from, also when the page is empty.
    next: int
    # Cursor of the newest change; `next` reaches it when nothing is left.
    newest: int
    # The smallest cursor that can be continued from.
    oldest_after: int
    # Unix time in seconds since which changes are recorded; null: machines are still observed for the first time.
    opened_at: Union[int, None]


class MonetizationState1(TypedDict):
    """Part of a response."""

    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machine_id: str
    # The decision in force.
    status: Literal["OPTED_IN", "OPTED_OUT"]
    # The address in EIP-55 spelling, or the base58 key of an alt-chain machine.
    signer: str
    # Unix time in seconds when the decision was signed.
    updated_at: int
    # Whether the signer is owner or controller now; false after a sale. Null: unreadable.
    signer_is_current: NotRequired[Union[bool, None]]


class MonetizationState2(TypedDict):
    """Part of a response."""

    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machine_id: str
    # There is no decision yet.
    status: Literal["PENDING"]
    signer: None
    updated_at: None
    signer_is_current: NotRequired[None]


# The opt-in decision in force.
MonetizationState = Union["MonetizationState1", "MonetizationState2"]


class DecisionLog(TypedDict):
    """A page of the decision log of a machine."""

    # Newest first.
    decisions: list["DecisionEntry"]
    # The hash of the newest row; null: there is none.
    head: Union[str, None]
    # The cursor of the page of older decisions; null: there are none.
    next_cursor: Union[int, None]
    # On the last page, when older rows were pruned: their number and the last hash, signed.
    checkpoint: NotRequired["DecisionCheckpoint"]


class PublishedDeployment(TypedDict):
    """The deployment that a signature is bound to."""

    # The version of the signed message.
    version: Literal["tokenomics-2.0-monetization-v1"]
    # Decimal.
    chain_id: str
    # The machine registry, in lower case.
    registry: str


class VerifyRecordHomeChain(TypedDict):
    """The chain of the machine."""

    kind: Literal["evm"]
    # Decimal.
    chainId: str


class VerifyRecordVerification(TypedDict):
    """KYB of the operator, and the chip of the machine. There is no aggregate."""

    kyb: "VerifyTopic"
    chip: "VerifyTopic"


class VerifyRecord(TypedDict):
    """Who controls and operates a machine, and whether operator and chip are verified."""

    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machineId: str
    # The DID of a machine: its method and the canonical decimal id.
    machineDid: str
    # The chain of the machine.
    homeChain: "VerifyRecordHomeChain"
    # The account that controls the DID.
    didController: "VerifyAccount"
    # The economic owner of the machine, whose KYB status is reported.
    operator: "VerifyAccount"
    # KYB of the operator, and the chip of the machine. There is no aggregate.
    verification: "VerifyRecordVerification"


class ChipChallenge(TypedDict):
    """A challenge for the chip of a machine."""

    # The main chain, decimal.
    chainId: str
    # The controller of the machine in EIP-55 spelling, never zero.
    didController: str
    # When the challenge expires: Unix time in seconds, decimal.
    expiresAt: str
    # The DID of a machine: its method and the canonical decimal id.
    machineDid: str
    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machineId: str
    # Identifies the challenge. It is shown only once.
    nonce: str
    # The chip profile.
    profile: Literal["chipvendor-trustchip-express-ca306/1"]
    # The protocol and its version.
    protocol: Literal["svc.verify.chip-proof/1"]
    # The service that issued the challenge.
    verifier: Literal["svc.verify"]


class ChipReceipt(TypedDict):
    """The receipt of an accepted evidence document. The status of the chip changes when a record is written."""

    # Identifies the chip without its certificate.
    chipRef: str
    # Keccak-256 of the document.
    evidenceHash: str
    # The form of the document.
    evidenceSchema: Literal["svc.verify.chip-evidence/1"]
    # The DID of a machine: its method and the canonical decimal id.
    machineDid: str
    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machineId: str
    # Identifies the receipt.
    receiptId: str
    # When the evidence was accepted: Unix time in seconds, decimal.
    receivedAt: str
    # Revocation of the certificate is not checked.
    revocationStatus: Literal["not_evaluated"]
    # Acceptance is not verification.
    status: Literal["accepted"]
    # The pinned roots that the certificate leads to.
    trustBundle: Literal["chipvendor-trustchip-express-ca306-roots/1"]


class StatementStatement(TypedDict):
    """The signed message."""

    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machineId: str
    # The protocol ordinal of the home chain.
    homeChain: int
    # The version of the rating model.
    model: str
    # The rating.
    rating: Literal["AAA", "AA", "A", "BBB", "BB", "B", "NR", "Provisioned"]
    # Points in hundredths; 0 for NR and Provisioned.
    scoreHundredths: int
    # Whether the machine has an active bond.
    bonded: bool
    # Whether a negative flag is on record. It is in force for 180 days.
    negativeFlag: bool
    # The KYB status of the operator.
    kyb: Literal["unverified", "verified", "expired", "revoked"]
    # The status of the chip; `unverified` for alt-chain machines.
    chip: Literal["unverified", "verified", "expired", "revoked"]
    # The finalized block of all facts. Decimal.
    blockNumber: str
    # The hash of the block.
    blockHash: str
    # The slot of the alt chain; 0 for main-chain machines. Decimal.
    altSlot: str
    # The Unix time in seconds that the rating was computed for.
    ratedAt: int
    # The last second of validity, as Unix time.
    validUntil: int
    # Keccak-256 of the RFC 8785 form of `explanation`.
    explanationHash: str


class StatementDomain(TypedDict):
    """The EIP-712 domain."""

    # The name of the domain.
    name: Literal["svc rating statement"]
    version: Literal["1"]
    # The main chain.
    chainId: int
    # The machine registry in EIP-55 spelling.
    verifyingContract: str


class StatementTypesRatingStatementItem(TypedDict):
    """Part of a response."""

    name: Literal["machineId", "homeChain", "model", "rating", "scoreHundredths", "bonded", "negativeFlag", "kyb", "chip", "blockNumber", "blockHash", "altSlot", "ratedAt", "validUntil", "explanationHash"]
    type: Literal["uint256", "uint16", "string", "bool", "bytes32", "uint64"]


class StatementTypes(TypedDict):
    """The EIP-712 types."""

    RatingStatement: list["StatementTypesRatingStatementItem"]


class StatementExplanationDormancy(TypedDict):
    """Part of a response."""

    # Days since the newest qualifying event; null: none.
    idle_days: Union[int, None]
    # Idle days without a deduction; null: no qualifying event.
    free_days: Union[int, None]
    # Days in which what remains halves; null: no qualifying event.
    half_days: Union[int, None]
    # Hundredths of a point.
    lost_hundredths: int


class StatementExplanationAnchor(TypedDict):
    """Part of a response."""

    # Whether the identity of the operator is verified and it accepted the machine.
    operator_verified: bool
    # Hundredths of a point.
    lost_hundredths: int


class StatementExplanationInputsBlock(TypedDict):
    """Part of a response."""

    # Decimal.
    number: str
    # The hash of the block.
    hash: str
    # Unix time in seconds.
    timestamp: int


class StatementExplanationInputsRates(TypedDict):
    """The exchange rates."""

    # Whether a feed of exchange rates is configured.
    feed: bool
    # The newest day of the rates.
    through: str
    # SHA-256 of all rates and tokens, as `docs/statements.md` describes.
    digest: str


class StatementExplanationInputs(TypedDict):
    """What the rating was computed from."""

    block: "StatementExplanationInputsBlock"
    # The slot of the alt chain that the facts were read at; alt-chain machines only.
    slot: NotRequired[str]
    # The Unix time in seconds that the rating was computed for.
    now: int
    # The state of the bond’s subscription.
    subscription: Literal["NotActivated", "Active", "Grace", "Runoff", "Terminated"]
    # Unix time of the last negative flag in seconds; 0: none.
    negative_flag_at: str
    # Trust set by an administrator; null: none.
    trust_override: Union[int, None]
    # Events before a move to this chain, which are not counted.
    prior_events: int
    # How many events the machine reported.
    event_count: int
    # The exchange rates.
    rates: "StatementExplanationInputsRates"


class StatementExplanationEvidenceAccountsItem(TypedDict):
    """Part of a response."""

    # The address of the account.
    account: str
    # The owner of the machine that the account signed for.
    owner: str
    # Unix time in seconds of the block with the signature.
    since: int
    # The position of the event with the signature.
    seq: int


class StatementExplanationEvidenceVerdicts(TypedDict):
    """How many events of the last 180 days have each verdict on their payment."""

    declared: int
    pending: int
    not_found: int
    failed: int
    wrong_time: int
    wrong_payee: int
    unknown_payer: int
    self_paid: int
    circular: int
    already_counted: int
    paid: int


class StatementExplanationEvidence(TypedDict):
    """The evidence found for the events."""

    # The hash of the payment sources; null: none are configured.
    sources_hash: Union[str, None]
    # Unix time in seconds of the newest change of hands; events before it count as declared. Null: none.
    changed_hands_at: Union[int, None]
    # Whether the machine changed hands since its chip record was issued; null: there is no chip record in force.
    chip_changed_hands: Union[bool, None]
    # The accounts that signed for payments to the machine.
    accounts: list["StatementExplanationEvidenceAccountsItem"]
    # How many events of the last 180 days have each verdict on their payment.
    verdicts: "StatementExplanationEvidenceVerdicts"


class StatementExplanation(TypedDict):
    """A rating, and where every point of it comes from."""

    # The DID of a machine: its method and the canonical decimal id.
    did: str
    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machine_id: str
    # Points of 100, rounded.
    mcr_score: int
    mcr: "Letter"
    # Whether some amounts could not be converted to US dollars.
    mcr_degraded: bool
    # Whether the machine has an active bond.
    bond_status: Literal["bonded", "unbonded"]
    # Whether a negative flag is on record. It is in force for 180 days.
    negative_flag: bool
    # How many events the machine reported.
    event_count: int
    # How many of the events report revenue.
    revenue_event_count: int
    # How many of the events report activity.
    activity_event_count: int
    # Revenue of the last 30 days against the 30 days before; null: not rated.
    revenue_trend: Union[Literal["up", "stable", "down", "insufficient"], None]
    # US cents of qualifying revenue.
    total_revenue: int
    # US cents, with two decimals; null: not rated.
    average_revenue_per_event: Union[float, None]
    # Unix time of the newest event in seconds; null: no event.
    last_updated: Union[int, None]
    # Ordinal of the home chain; alt-chain machines only.
    home_chain: NotRequired[int]
    # Why there is no rating; alt-chain machines only, absent when the machine is rated.
    rating_unavailable: NotRequired[Literal["no_events_yet", "indexer_behind", "not_rated_here"]]
    # The rating in one sentence.
    summary: str
    # The version of the rating model.
    model: str
    # The score before rounding, in hundredths of a point; null: not rated.
    total_hundredths: Union[int, None]
    # The factors of the score.
    factors: list["RatingFactor"]
    # The deduction for dormancy; null: not rated.
    dormancy: Union["StatementExplanationDormancy", None]
    # The deduction without a verified operator, or with a negative flag in force; null: not rated.
    anchor: Union["StatementExplanationAnchor", None]
    # Deductions and notices, largest deduction first.
    reasons: list["RatingReason"]
    # Whether the machine is paused or deactivated. Does not affect the rating.
    availability: Literal["available", "paused", "deactivated", "unreadable"]
    # What the rating was computed from.
    inputs: "StatementExplanationInputs"
    # The evidence found for the events.
    evidence: "StatementExplanationEvidence"


class Statement(TypedDict):
    """A rating that can be proven later."""

    # The signed message.
    statement: "StatementStatement"
    # The EIP-712 domain.
    domain: "StatementDomain"
    # The EIP-712 types.
    types: "StatementTypes"
    # r, s and the recovery byte, with low s.
    signature: str
    # The signing key in EIP-55 spelling.
    signer: str
    # A rating, and where every point of it comes from.
    explanation: "StatementExplanation"


class StatementDirectoryKeysItem(TypedDict):
    """Part of a response."""

    # An address of the main chain in EIP-55 spelling.
    address: str
    # First second of `ratedAt`; null: announced, not in use yet. Unix time in seconds.
    notBefore: Union[int, None]
    # Last second of `ratedAt`; null: in use, or announced. Unix time in seconds.
    notAfter: Union[int, None]
    # When the key was revoked; its statements prove nothing. Null: not revoked. Unix time in seconds.
    revokedAt: Union[int, None]


class StatementDirectoryDomain(TypedDict):
    """The EIP-712 domain."""

    # The name of the domain.
    name: Literal["svc rating statement"]
    version: Literal["1"]
    # The main chain.
    chainId: int
    # The machine registry in EIP-55 spelling.
    verifyingContract: str


class StatementDirectoryTypesRatingStatementItem(TypedDict):
    """Part of a response."""

    name: Literal["machineId", "homeChain", "model", "rating", "scoreHundredths", "bonded", "negativeFlag", "kyb", "chip", "blockNumber", "blockHash", "altSlot", "ratedAt", "validUntil", "explanationHash"]
    type: Literal["uint256", "uint16", "string", "bool", "bytes32", "uint64"]


class StatementDirectoryTypes(TypedDict):
    """The EIP-712 types."""

    RatingStatement: list["StatementDirectoryTypesRatingStatementItem"]


class StatementDirectory(TypedDict):
    """The keys of rating statements."""

    # All keys in the order of their publication.
    keys: list["StatementDirectoryKeysItem"]
    # The EIP-712 domain.
    domain: "StatementDirectoryDomain"
    # The EIP-712 types.
    types: "StatementDirectoryTypes"


class DidDocumentVerificationMethodItem(TypedDict):
    """Part of a response."""

    # A DID URL.
    id: str
    # The DID of a machine: its method and the canonical decimal id.
    controller: str
    # How the signature of the account is verified.
    type: Literal["EcdsaSecp256k1RecoveryMethod2020", "Ed25519VerificationKey2018"]
    # The account that signs for the machine (CAIP-10).
    blockchainAccountId: str
    # The key of the account; alt-chain machines only.
    publicKeyBase58: NotRequired[str]


class DidDocumentServiceItem(TypedDict):
    """Part of a response."""

    # A DID URL.
    id: str
    # As published.
    type: str
    # As published, unchecked.
    serviceEndpoint: str


class DidDocument(TypedDict):
    """The DID document of a machine."""

    # The DID of a machine: its method and the canonical decimal id.
    id: str
    # The token of a main-chain machine (CAIP-19).
    alsoKnownAs: list[str]
    verificationMethod: list["DidDocumentVerificationMethodItem"]
    authentication: list[str]
    assertionMethod: list[str]
    # The published services with an HTTP URL.
    service: list["DidDocumentServiceItem"]


class DidResolutionDidDocumentVerificationMethodItem(TypedDict):
    """Part of a response."""

    # A DID URL.
    id: str
    # The DID of a machine: its method and the canonical decimal id.
    controller: str
    # How the signature of the account is verified.
    type: Literal["EcdsaSecp256k1RecoveryMethod2020", "Ed25519VerificationKey2018"]
    # The account that signs for the machine (CAIP-10).
    blockchainAccountId: str
    # The key of the account; alt-chain machines only.
    publicKeyBase58: NotRequired[str]


class DidResolutionDidDocumentServiceItem(TypedDict):
    """Part of a response."""

    # A DID URL.
    id: str
    # As published.
    type: str
    # As published, unchecked.
    serviceEndpoint: str


class DidResolutionDidDocument(TypedDict):
    """The DID document of a machine."""

    # The DID of a machine: its method and the canonical decimal id.
    id: str
    # The token of a main-chain machine (CAIP-19).
    alsoKnownAs: list[str]
    verificationMethod: list["DidResolutionDidDocumentVerificationMethodItem"]
    authentication: list[str]
    assertionMethod: list[str]
    # The published services with an HTTP URL.
    service: list["DidResolutionDidDocumentServiceItem"]


class DidResolutionDidResolutionMetadata(TypedDict):
    """Part of a response."""

    contentType: Literal["application/did+json"]


class DidResolution(TypedDict):
    """The result of resolving a DID."""

    # The DID document of a machine.
    didDocument: "DidResolutionDidDocument"
    didResolutionMetadata: "DidResolutionDidResolutionMetadata"
    # Empty.
    didDocumentMetadata: dict[str, Any]


class AgentRegistrationServicesItem(TypedDict):
    """Part of a response."""

    # The type of the service, as published, or DID.
    name: str
    # As published, unchecked.
    endpoint: str
    # Of the DID only.
    version: NotRequired[Literal["v1"]]


class AgentRegistrationRegistrationsItem(TypedDict):
    """Part of a response."""

    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    agentId: str
    # Chain and registry (CAIP-10).
    agentRegistry: str


class AgentRegistration(TypedDict):
    """The registration file of a machine (ERC-8004)."""

    type: Literal["https://eips.ethereum.org/EIPS/eip-8004#registration-v1"]
    # The display name of the machine.
    name: str
    description: Literal["svcOS machine"]
    # The picture of the rating.
    image: str
    # The published web services with an HTTP URL, and the DID.
    services: list["AgentRegistrationServicesItem"]
    # No endpoint is known to accept payments by x402.
    x402Support: Literal[False]
    # Every machine with a registration is registered.
    active: Literal[True]
    # Where the machine is registered.
    registrations: list["AgentRegistrationRegistrationsItem"]
    # Declares no trust model.
    supportedTrust: list[str]


class AgentFeedbackProofStatement(TypedDict):
    """The signed message."""

    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    machineId: str
    # The protocol ordinal of the home chain.
    homeChain: int
    # The version of the rating model.
    model: str
    # The rating.
    rating: Literal["AAA", "AA", "A", "BBB", "BB", "B", "NR", "Provisioned"]
    # Points in hundredths; 0 for NR and Provisioned.
    scoreHundredths: int
    # Whether the machine has an active bond.
    bonded: bool
    # Whether a negative flag is on record. It is in force for 180 days.
    negativeFlag: bool
    # The KYB status of the operator.
    kyb: Literal["unverified", "verified", "expired", "revoked"]
    # The status of the chip; `unverified` for alt-chain machines.
    chip: Literal["unverified", "verified", "expired", "revoked"]
    # The finalized block of all facts. Decimal.
    blockNumber: str
    # The hash of the block.
    blockHash: str
    # The slot of the alt chain; 0 for main-chain machines. Decimal.
    altSlot: str
    # The Unix time in seconds that the rating was computed for.
    ratedAt: int
    # The last second of validity, as Unix time.
    validUntil: int
    # Keccak-256 of the RFC 8785 form of `explanation`.
    explanationHash: str


class AgentFeedbackProofDomain(TypedDict):
    """The EIP-712 domain."""

    # The name of the domain.
    name: Literal["svc rating statement"]
    version: Literal["1"]
    # The main chain.
    chainId: int
    # The machine registry in EIP-55 spelling.
    verifyingContract: str


class AgentFeedbackProofTypesRatingStatementItem(TypedDict):
    """Part of a response."""

    name: Literal["machineId", "homeChain", "model", "rating", "scoreHundredths", "bonded", "negativeFlag", "kyb", "chip", "blockNumber", "blockHash", "altSlot", "ratedAt", "validUntil", "explanationHash"]
    type: Literal["uint256", "uint16", "string", "bool", "bytes32", "uint64"]


class AgentFeedbackProofTypes(TypedDict):
    """The EIP-712 types."""

    RatingStatement: list["AgentFeedbackProofTypesRatingStatementItem"]


class AgentFeedbackProof(TypedDict):
    """The signed rating statement."""

    # The signed message.
    statement: "AgentFeedbackProofStatement"
    # The EIP-712 domain.
    domain: "AgentFeedbackProofDomain"
    # The EIP-712 types.
    types: "AgentFeedbackProofTypes"
    # r, s and the recovery byte, with low s.
    signature: str
    # The signing key in EIP-55 spelling.
    signer: str


class AgentFeedback(TypedDict):
    """The rating of a machine as a feedback file (ERC-8004)."""

    # Chain and registry (CAIP-10).
    agentRegistry: str
    # Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
    agentId: str
    # The account of the statement key (CAIP-10).
    clientAddress: str
    # The time that the rating was computed for.
    createdAt: str
    # Points in hundredths.
    value: int
    # Decimals of the value.
    valueDecimals: Literal[2]
    # The version of the rating model.
    tag1: str
    # The rating.
    tag2: Literal["AAA", "AA", "A", "BBB", "BB", "B"]
    # The signed rating statement.
    proof: "AgentFeedbackProof"


class Health(TypedDict):
    """The process runs. Nothing else is checked."""

    status: Literal["ok"]


class ReadinessContracts(TypedDict):
    """Part of a response."""

    # Whether the contract can be called.
    machine_registry: bool
    # Whether the contract can be called.
    machine_state_and_sync: bool
    # Whether the contract can be called.
    machine_subscription: bool
    # Whether the contract can be called.
    event_registry: bool
    # Whether the contract can be called.
    admin_flags: bool


class Readiness(TypedDict):
    """Whether the service can serve requests."""

    # Whether the service can serve requests.
    status: Literal["ready", "not_ready"]
    # Whether a node of the main chain responds.
    rpc_connected: bool
    contracts: "ReadinessContracts"
    # Whether Verify is ready; null: this server does not run Verify.
    verify: Union[bool, None]
    # Null: no alt chain is configured.
    solana_indexer: Union["AltIndexLag", None]
    # Null: there is no index of the main chain.
    operator_index: Union["OperatorIndexLag", None]
    # State of the clock, judged by the blocks of the chain; while it is doubtful or behind, nothing that depends on the time is served.
    clock: NotRequired[Literal["good", "unconfirmed", "doubtful", "behind"]]
    # Present with distributed rate limiting. False: the store cannot be reached, and each replica counts alone.
    shared_rate_limits: NotRequired[bool]


class Status(TypedDict):
    """Whether the indexes are fresh."""

    # Whether every index is fresh.
    status: Literal["fresh", "not_fresh"]
    # The lag that counts as fresh, as requested.
    max_lag_blocks: int
    # Null: there is no index of the main chain.
    operator_index: Union["OperatorIndexLag", None]
    # Null: no alt chain is configured.
    solana_indexer: Union["AltIndexLag", None]
    # Null: no alt chain is configured, nothing is listed yet, or the index cannot be read.
    solana_index_progress: Union["AltIndexProgress", None]
    # What stops or slows the indexes now, as far as this process knows; empty: nothing.
    causes: list["StatusCause"]
    # The call budget of each chain.
    call_budgets: NotRequired[list["CallBudgetEntry"]]
    # The payment sources; only the process that follows them reports it.
    payment_sources: NotRequired[list["PaymentSourceEntry"]]
    # The search of each home chain; absent without payment sources, or when the database cannot be read.
    payment_searches: NotRequired[list["PaymentSearchEntry"]]
