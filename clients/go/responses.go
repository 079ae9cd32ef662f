// Rendered from the schemas of the service by `node docs/render-client-types.ts`; edit those instead.

package svcos

import "encoding/json"

// Letter: The rating. NR: not rated; Provisioned: bonded, with too little history for a rating.
type Letter string

// RevenueFactorEntryMeasure: The measurements that the points follow from.
type RevenueFactorEntryMeasure struct {
	// US cents of qualifying revenue in the counted weeks.
	UsdCents int64 `json:"usd_cents"`

	// The part of it that is paid or attested.
	VerifiedUsdCents int64 `json:"verified_usd_cents"`
}

// RevenueFactorEntry: How much the machine earns.
type RevenueFactorEntry struct {
	Name string `json:"name"`

	// Points earned, in hundredths of a point.
	PointsHundredths int64 `json:"points_hundredths"`

	// Points that can be earned, in hundredths of a point.
	MaxHundredths int64 `json:"max_hundredths"`

	// The measurements that the points follow from.
	Measure RevenueFactorEntryMeasure `json:"measure"`
}

// CadenceFactorEntryMeasure: The measurements that the points follow from.
type CadenceFactorEntryMeasure struct {
	// Weeks with a qualifying event.
	Weeks int64 `json:"weeks"`

	// Days with a qualifying event.
	Days int64 `json:"days"`

	// Weeks with a paid or attested event.
	VerifiedWeeks int64 `json:"verified_weeks"`

	// Days with a paid or attested event.
	VerifiedDays int64 `json:"verified_days"`
}

// CadenceFactorEntry: How regularly the machine works.
type CadenceFactorEntry struct {
	Name string `json:"name"`

	// Points earned, in hundredths of a point.
	PointsHundredths int64 `json:"points_hundredths"`

	// Points that can be earned, in hundredths of a point.
	MaxHundredths int64 `json:"max_hundredths"`

	// The measurements that the points follow from.
	Measure CadenceFactorEntryMeasure `json:"measure"`
}

// TrendFactorEntryMeasure: The measurements that the points follow from.
type TrendFactorEntryMeasure struct {
	// Measure by which the two periods are compared.
	Basis string `json:"basis"`

	// The later period in percent of the earlier one; null: not known.
	Percent *int64 `json:"percent"`

	// The same with single bursts cut; null: not known.
	EvenPercent *int64 `json:"even_percent"`
}

// TrendFactorEntry: Whether revenue or activity grows.
type TrendFactorEntry struct {
	Name string `json:"name"`

	// Points earned, in hundredths of a point.
	PointsHundredths int64 `json:"points_hundredths"`

	// Points that can be earned, in hundredths of a point.
	MaxHundredths int64 `json:"max_hundredths"`

	// The measurements that the points follow from.
	Measure TrendFactorEntryMeasure `json:"measure"`
}

// TrustFactorEntryMeasure: The measurements that the points follow from.
type TrustFactorEntryMeasure struct {
	// Source of the trust.
	Source string `json:"source"`

	// Trust in hundredths of a percent.
	PercentHundredths int64 `json:"percent_hundredths"`

	// US cents of 180 days without evidence.
	DeclaredUsdCents int64 `json:"declared_usd_cents"`

	// US cents of 180 days whose payment was followed.
	PaidUsdCents int64 `json:"paid_usd_cents"`

	// US cents of 180 days reported by a device on record.
	AttestedUsdCents int64 `json:"attested_usd_cents"`
}

// TrustFactorEntry: How much of the revenue has evidence.
type TrustFactorEntry struct {
	Name string `json:"name"`

	// Points earned, in hundredths of a point.
	PointsHundredths int64 `json:"points_hundredths"`

	// Points that can be earned, in hundredths of a point.
	MaxHundredths int64 `json:"max_hundredths"`

	// The measurements that the points follow from.
	Measure TrustFactorEntryMeasure `json:"measure"`
}

// TenureFactorEntryMeasure: The measurements that the points follow from.
type TenureFactorEntryMeasure struct {
	// Weeks with a qualifying event.
	Weeks int64 `json:"weeks"`
}

// TenureFactorEntry: For how many weeks the machine has worked.
type TenureFactorEntry struct {
	Name string `json:"name"`

	// Points earned, in hundredths of a point.
	PointsHundredths int64 `json:"points_hundredths"`

	// Points that can be earned, in hundredths of a point.
	MaxHundredths int64 `json:"max_hundredths"`

	// The measurements that the points follow from.
	Measure TenureFactorEntryMeasure `json:"measure"`
}

// RatingFactor: One of the five factors of the score.
type RatingFactor json.RawMessage

// RatingReason: A deduction from the score, or a notice.
type RatingReason struct {
	// Identifies the notice or deduction.
	Code string `json:"code"`

	// Hundredths of a point; null: a notice, which costs none.
	LostHundredths *int64 `json:"lost_hundredths"`

	// The same for people.
	Text string `json:"text"`
}

// ProfileFactsServiceEndpointsItem is part of a response.
type ProfileFactsServiceEndpointsItem struct {
	// As published.
	Id string `json:"id"`

	// As published.
	Type string `json:"type"`

	// As published, unchecked.
	Endpoint string `json:"endpoint"`
}

// ProfileFacts: Rating, operator and services of a machine.
type ProfileFacts struct {
	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machine_id"`

	// The DID of a machine: its method and the canonical decimal id.
	Did string `json:"did"`

	// The DID of the operator; null: none is designated.
	Operator *string `json:"operator"`

	Mcr Letter `json:"mcr"`

	// Points of 100, rounded.
	McrScore int64 `json:"mcr_score"`

	// Whether the machine has an active bond.
	BondStatus string `json:"bond_status"`

	// Whether a negative flag is on record. It is in force for 180 days.
	NegativeFlag bool `json:"negative_flag"`

	// How many events the machine reported.
	EventCount int64 `json:"event_count"`

	// Who may see the events, as the owner published.
	DataVisibility string `json:"data_visibility"`

	// As published; null: none.
	DocumentationUrl *string `json:"documentation_url"`

	// As published in the DID document.
	ServiceEndpoints []ProfileFactsServiceEndpointsItem `json:"service_endpoints"`

	// The data API of a private machine.
	DataApi *string `json:"data_api,omitempty"`

	// The oldest events of a machine with the visibility onchain.
	EventData []MachineEvent `json:"event_data,omitempty"`

	// The response of the data API of a public machine, unchecked.
	PartnerData map[string]json.RawMessage `json:"partner_data,omitempty"`

	// Why there is no response of the data API.
	PartnerDataError *string `json:"partner_data_error,omitempty"`

	// Ordinal of the home chain; alt-chain machines only.
	HomeChain *int64 `json:"home_chain,omitempty"`

	// Why there is no rating; alt-chain machines only, absent when the machine is rated.
	RatingUnavailable *string `json:"rating_unavailable,omitempty"`

	// The account that owns the machine; alt-chain machines only.
	Owner *string `json:"owner,omitempty"`

	// The account that controls the machine; alt-chain machines only.
	Controller *string `json:"controller,omitempty"`

	// As registered; alt-chain machines only.
	MachineType *string `json:"machine_type,omitempty"`

	// A machine that relocates has no profile; alt-chain machines only.
	Relocating *bool `json:"relocating,omitempty"`
}

// MachineEvent: An event that a machine reported.
type MachineEvent struct {
	// 0: revenue; 1: activity.
	EventType int64 `json:"event_type"`

	// Minor units of `origin_currency`, or a metric of the machine, with every digit.
	OriginValue float64 `json:"origin_value"`

	// When it happened, as reported: Unix time in seconds.
	Timestamp float64 `json:"timestamp"`

	// As reported. 0: self-reported; 1: on-chain; 2: hardware-signed.
	TrustLevel int64 `json:"trust_level"`

	// Reported with the event, unchecked.
	Metadata map[string]json.RawMessage `json:"metadata"`

	// Revenue only: the currency.
	OriginCurrency *string `json:"origin_currency,omitempty"`

	// Revenue only: US cents; null: not converted.
	UsdValue *int64 `json:"usd_value,omitempty"`

	// Revenue only: minor units of one unit of the currency; null: not known.
	OriginSubunit *float64 `json:"origin_subunit,omitempty"`

	// Revenue only: cents of a dollar.
	UsdSubunit *int64 `json:"usd_subunit,omitempty"`

	// Revenue only: whether the amount was converted.
	AmountStatus *string `json:"amount_status,omitempty"`
}

// HistoryPoint: The rating at the end of one UTC day, and the revenue of that day.
type HistoryPoint struct {
	// A UTC day.
	Day string `json:"day"`

	// Points of 100, rounded.
	McrScore int64 `json:"mcr_score"`

	Mcr Letter `json:"mcr"`

	// Whether some amounts could not be converted to US dollars.
	McrDegraded bool `json:"mcr_degraded"`

	// Hundredths of a point, before rounding and before the bond is checked; null: not rated.
	TotalHundredths *int64 `json:"total_hundredths"`

	// US cents of qualifying revenue in blocks of that day.
	Revenue int64 `json:"revenue"`

	// Whether the machine has an active bond.
	BondStatus string `json:"bond_status"`
}

// EventEntry: An event of the history of a machine.
type EventEntry struct {
	// The place in the history of the machine, from 0.
	Position int64 `json:"position"`

	// 0: revenue; 1: activity.
	EventType int64 `json:"event_type"`

	// Minor units of `origin_currency`, or a metric of the machine, with every digit.
	OriginValue float64 `json:"origin_value"`

	// When it happened, as reported: Unix time in seconds.
	Timestamp float64 `json:"timestamp"`

	// As reported. 0: self-reported; 1: on-chain; 2: hardware-signed.
	TrustLevel int64 `json:"trust_level"`

	// Reported with the event, unchecked.
	Metadata map[string]json.RawMessage `json:"metadata"`

	// Revenue only: the currency.
	OriginCurrency *string `json:"origin_currency,omitempty"`

	// Revenue only: US cents; null: not converted.
	UsdValue *int64 `json:"usd_value,omitempty"`

	// Revenue only: minor units of one unit of the currency; null: not known.
	OriginSubunit *float64 `json:"origin_subunit,omitempty"`

	// Revenue only: cents of a dollar.
	UsdSubunit *int64 `json:"usd_subunit,omitempty"`

	// Revenue only: whether the amount was converted.
	AmountStatus *string `json:"amount_status,omitempty"`

	// Unix time of the block in seconds.
	BlockTimestamp int64 `json:"block_timestamp"`

	// Only a sound event can qualify for the rating.
	Judgement string `json:"judgement"`

	// The hash of the reported data.
	DataHash string `json:"data_hash"`

	// Decimal, as reported.
	SourceChainId string `json:"source_chain_id"`

	// As reported.
	SourceTxHash string `json:"source_tx_hash"`

	// What supports the event: nothing, a payment, or a device on record; null: it does not qualify.
	Class *string `json:"class"`

	// What became of the payment that the event cites; null: it is not revenue that qualifies.
	Verdict *string `json:"verdict"`

	// US cents of the payment that count for this event.
	PaidCents int64 `json:"paid_cents"`

	// The chain of the payment (CAIP-2); null: not found.
	Source *string `json:"source"`

	// The symbol of the token of the payment; null: not found.
	Token *string `json:"token"`

	// The account that paid; null: not found.
	Payer *string `json:"payer"`

	// US cents of the whole payment; null: not found.
	WorthCents *int64 `json:"worth_cents"`

	// US cents that went back to the payer; null: not found.
	ReturnedCents *int64 `json:"returned_cents"`
}

// RatedFleetEntry: A machine of a fleet: its rating record, and the state of its subscription.
type RatedFleetEntry struct {
	// The DID of a machine: its method and the canonical decimal id.
	Did string `json:"did"`

	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machine_id"`

	// Points of 100, rounded.
	McrScore int64 `json:"mcr_score"`

	Mcr Letter `json:"mcr"`

	// Whether some amounts could not be converted to US dollars.
	McrDegraded bool `json:"mcr_degraded"`

	// Whether the machine has an active bond.
	BondStatus string `json:"bond_status"`

	// Whether a negative flag is on record. It is in force for 180 days.
	NegativeFlag bool `json:"negative_flag"`

	// How many events the machine reported.
	EventCount int64 `json:"event_count"`

	// How many of the events report revenue.
	RevenueEventCount int64 `json:"revenue_event_count"`

	// How many of the events report activity.
	ActivityEventCount int64 `json:"activity_event_count"`

	// Revenue of the last 30 days against the 30 days before; null: not rated.
	RevenueTrend *string `json:"revenue_trend"`

	// US cents of qualifying revenue.
	TotalRevenue int64 `json:"total_revenue"`

	// US cents, with two decimals; null: not rated.
	AverageRevenuePerEvent *float64 `json:"average_revenue_per_event"`

	// Unix time of the newest event in seconds; null: no event.
	LastUpdated *int64 `json:"last_updated"`

	// Ordinal of the home chain; alt-chain machines only.
	HomeChain *int64 `json:"home_chain,omitempty"`

	// Why there is no rating; alt-chain machines only, absent when the machine is rated.
	RatingUnavailable *string `json:"rating_unavailable,omitempty"`

	// The rating in one sentence.
	Summary string `json:"summary"`

	// The state of the bond’s subscription.
	Subscription string `json:"subscription"`
}

// FleetEntry: A machine in a list.
type FleetEntry struct {
	// The DID of a machine: its method and the canonical decimal id.
	Did string `json:"did"`

	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machine_id"`

	// Points of 100, rounded. Lists show 0 for alt-chain machines: read their rating.
	McrScore int64 `json:"mcr_score"`

	Mcr Letter `json:"mcr"`

	// Whether a negative flag is on record. It is in force for 180 days.
	NegativeFlag bool `json:"negative_flag"`

	// The display name of the machine.
	Name string `json:"name"`

	// Whether the machine has an active bond.
	BondStatus string `json:"bond_status"`

	// How many events the machine reported.
	EventCount int64 `json:"event_count"`

	// Ordinal of the home chain; alt-chain machines only.
	HomeChain *int64 `json:"home_chain,omitempty"`

	// Why there is no rating; alt-chain machines only, absent when the machine is rated.
	RatingUnavailable *string `json:"rating_unavailable,omitempty"`
}

// BoundFleetEntry: A legacy machine in a list.
type BoundFleetEntry struct {
	// The DID of an address of the main chain in EIP-55 spelling.
	Did string `json:"did"`

	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machine_id"`

	// Points of 100, rounded. Lists show 0 for alt-chain machines: read their rating.
	McrScore int64 `json:"mcr_score"`

	Mcr Letter `json:"mcr"`

	// Whether a negative flag is on record. It is in force for 180 days.
	NegativeFlag bool `json:"negative_flag"`

	// The display name of the machine.
	Name string `json:"name"`

	// Whether the machine has an active bond.
	BondStatus string `json:"bond_status"`

	// How many events the machine reported.
	EventCount int64 `json:"event_count"`
}

// ActiveMachineEntry: A machine in the list of the most active machines.
type ActiveMachineEntry struct {
	// The DID of a machine: its method and the canonical decimal id.
	Did string `json:"did"`

	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machine_id"`

	// Points of 100, rounded. Lists show 0 for alt-chain machines: read their rating.
	McrScore int64 `json:"mcr_score"`

	Mcr Letter `json:"mcr"`

	// Whether a negative flag is on record. It is in force for 180 days.
	NegativeFlag bool `json:"negative_flag"`

	// The display name of the machine.
	Name string `json:"name"`

	// Whether the machine has an active bond.
	BondStatus string `json:"bond_status"`

	// How many events the machine reported.
	EventCount int64 `json:"event_count"`

	// Ordinal of the home chain; alt-chain machines only.
	HomeChain *int64 `json:"home_chain,omitempty"`

	// Why there is no rating; alt-chain machines only, absent when the machine is rated.
	RatingUnavailable *string `json:"rating_unavailable,omitempty"`

	// Unix time in seconds of the block of the newest indexed event.
	LastEventAt int64 `json:"last_event_at"`
}

// FleetIndex: How far the index that the list comes from is behind the chain.
type FleetIndex struct {
	// The newest indexed block.
	IndexedBlock int64 `json:"indexed_block"`

	// The head of the chain.
	HeadBlock int64 `json:"head_block"`

	// Blocks between the two.
	LagBlocks int64 `json:"lag_blocks"`

	// Seconds since the head was read.
	HeadObservedAgeSeconds int64 `json:"head_observed_age_seconds"`

	// Seconds since the owners of alt-chain machines were read; null: no alt chain.
	AltSnapshotAgeSeconds *int64 `json:"alt_snapshot_age_seconds"`
}

// DirectoryEntry: A machine as it was last observed. `/mcr/{did}` has its current rating.
type DirectoryEntry struct {
	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machine_id"`

	// The DID of a machine: its method and the canonical decimal id.
	Did string `json:"did"`

	// Letter of the rating.
	Rating string `json:"rating"`

	// State of the subscription of the bond.
	Bond string `json:"bond"`

	// State of the negative flag.
	Flag string `json:"flag"`

	// Verification of the operator (KYB).
	Kyb string `json:"kyb"`

	// Verification of the chip.
	Chip string `json:"chip"`

	// Decision about monetization in force.
	OptIn string `json:"opt_in"`

	// Home chain: the main chain or the alt chain.
	Home string `json:"home"`

	// Points of 100, rounded.
	Score int64 `json:"score"`

	// Operator of the machine; null: none is recorded.
	Operator *string `json:"operator"`

	// Owner: an address, or a key of the alt chain.
	Owner string `json:"owner"`

	// Indexed events.
	EventCount int64 `json:"event_count"`

	// Qualifying revenue in US cents.
	TotalRevenue int64 `json:"total_revenue"`

	// Unix time in seconds of the newest block with an event; null: none.
	LastEventAt *int64 `json:"last_event_at"`

	// Final block of the main chain at which the machine was observed.
	Block int64 `json:"block"`

	// Unix time in seconds of the observation.
	ObservedAt int64 `json:"observed_at"`
}

// DecisionEntry1 is part of a response.
type DecisionEntry1 struct {
	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machine_id"`

	OptedIn bool `json:"opted_in"`

	// Unix time in seconds when the decision was signed.
	Timestamp int64 `json:"timestamp"`

	// The address in EIP-55 spelling, or the base58 key of an alt-chain machine.
	Signer string `json:"signer"`

	// As sent. Null until 330 s after the timestamp, and while the clock of the service is in doubt.
	Signature *string `json:"signature"`

	// The signed message.
	Message string `json:"message"`

	Authority AuthorityAtDecision `json:"authority"`

	// The hash of the row before; null: the first row.
	Previous *string `json:"previous"`

	// SHA-256 of the RFC 8785 form of the row without this member.
	Hash string `json:"hash"`
}

// DecisionEntry2 is part of a response.
type DecisionEntry2 struct {
	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machine_id"`

	OptedIn bool `json:"opted_in"`

	// Unix time in seconds when the decision was signed.
	Timestamp int64 `json:"timestamp"`

	// The address in EIP-55 spelling, or the base58 key of an alt-chain machine.
	Signer string `json:"signer"`

	// As sent. Null until 330 s after the timestamp, and while the clock of the service is in doubt.
	Signature *string `json:"signature"`

	Message json.RawMessage `json:"message"`

	Authority json.RawMessage `json:"authority"`

	Previous json.RawMessage `json:"previous"`

	Hash json.RawMessage `json:"hash"`

	// The row is older than the chain, and nothing proves it.
	Unverifiable bool `json:"unverifiable"`
}

// DecisionEntry: A decision that was in force.
type DecisionEntry json.RawMessage

// AuthorityAtDecisionBlock: The block of the main chain at which it was read.
type AuthorityAtDecisionBlock struct {
	Number string `json:"number"`

	Hash string `json:"hash"`
}

// AuthorityAtDecision: Who was entitled to decide.
type AuthorityAtDecision struct {
	// The address in EIP-55 spelling, or the base58 key of an alt-chain machine.
	Owner string `json:"owner"`

	// The owner where no controller is set.
	Controller string `json:"controller"`

	// The block of the main chain at which it was read.
	Block AuthorityAtDecisionBlock `json:"block"`

	// The slot of an alt-chain machine; null: a main-chain machine.
	Slot *string `json:"slot"`
}

// DecisionCheckpointHead is part of a response.
type DecisionCheckpointHead struct {
	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machineId"`

	// The hash of the newest row.
	Hash string `json:"hash"`

	// The number of rows up to it.
	Count int64 `json:"count"`

	// Unix time in seconds.
	SignedAt int64 `json:"signedAt"`
}

// DecisionCheckpoint: The head of a decision log as EIP-712 typed data, signed by a statement key.
type DecisionCheckpoint struct {
	Head DecisionCheckpointHead `json:"head"`

	// r, s and the recovery byte, with low s.
	Signature string `json:"signature"`

	// An address of the main chain in EIP-55 spelling.
	Signer string `json:"signer"`
}

// Change: A difference between two consecutive observations of a machine, both of final facts.
type Change struct {
	// Place in the order of all changes, without gaps.
	Cursor int64 `json:"cursor"`

	// What has changed.
	Kind string `json:"kind"`

	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machine_id"`

	// The DID of a machine: its method and the canonical decimal id.
	Did string `json:"did"`

	// Operator of the machine; null: none is recorded.
	Operator *string `json:"operator"`

	// Value of the previous observation; null: none.
	From *string `json:"from"`

	// Value now; null: none. Values of rating: the letter; bond: Active, Grace, Runoff, Terminated or NotActivated; flag: none, in_force or ended; owner and operator: an address or a key of the alt chain; chip and kyb: unverified, verified, expired or revoked; opt-in: PENDING, OPTED_IN or OPTED_OUT.
	To *string `json:"to"`

	// Final block of the main chain at which the change was observed.
	Block int64 `json:"block"`

	// Unix time in seconds of the observation.
	ObservedAt int64 `json:"observed_at"`
}

// VerifyAccount: An account; its address is never zero.
type VerifyAccount struct {
	Kind string `json:"kind"`

	// An address of the main chain in EIP-55 spelling.
	Address string `json:"address"`
}

// VerifyTopic: The verification of one topic.
type VerifyTopic struct {
	Status string `json:"status"`
}

// OperatorIndexLag: How far the index of the main chain is behind its head.
type OperatorIndexLag struct {
	// Whether the index is fresh enough to be used.
	Ready bool `json:"ready"`

	// The newest indexed block; null: none yet.
	IndexedBlock *int64 `json:"indexed_block"`

	// The head of the chain; null: not read yet.
	HeadBlock *int64 `json:"head_block"`

	// Blocks between the two; null: not known.
	LagBlocks *int64 `json:"lag_blocks"`

	// Seconds since the head was read; null: never.
	HeadObservedAgeSeconds *int64 `json:"head_observed_age_seconds"`

	// How far the index is proven; absent where that is not known.
	Proof *IndexProofEntry `json:"proof,omitempty"`
}

// IndexProofEntrySegmentsItem is part of a response.
type IndexProofEntrySegmentsItem struct {
	// The first block.
	FromBlock int64 `json:"from_block"`

	// The last block.
	ToBlock int64 `json:"to_block"`

	// By every header, by the logs of two hosts, by random headers; or two hosts return a block without its parent.
	Kind string `json:"kind"`
}

// IndexProofEntry: How far the index of the main chain is proven. Informational.
type IndexProofEntry struct {
	// The setting `INDEX_PROOF`.
	Mode string `json:"mode"`

	// Whether all owners and block times of the first backfill are known.
	Backfilled bool `json:"backfilled"`

	// Blocks whose logs are served but not yet proven by their receipts.
	UnprovenBlocks int64 `json:"unproven_blocks"`

	// The number of ranges that are known to hold no other logs.
	SegmentCount int64 `json:"segment_count"`

	// The newest of these ranges, newest first.
	Segments []IndexProofEntrySegmentsItem `json:"segments"`
}

// CallBudgetEntry: The call budget of this process for one chain. Informational.
type CallBudgetEntry struct {
	// The chain whose nodes are called.
	Chain string `json:"chain"`

	// The calls allowed per second now; null: no limit is known.
	CallsPerSecond *int64 `json:"calls_per_second"`

	// Requests that wait for their turn.
	WaitingRequests int64 `json:"waiting_requests"`

	// Reads refused since the start because their turn did not come in time.
	RefusedReads int64 `json:"refused_reads"`

	// Whether the calls of the day are used too fast, which stops the proof.
	DayExhausted bool `json:"day_exhausted"`
}

// PaymentSourceEntry: A payment source as this process follows it. Informational.
type PaymentSourceEntry struct {
	// The CAIP-2 name of the chain.
	Source string `json:"source"`

	// Whether the last attempt could read it; null: there was none.
	Up *bool `json:"up"`

	// Seconds since the newest finalized block read; null: none yet.
	HeadAgeSeconds *int64 `json:"head_age_seconds"`

	// Machines that wait for a verdict on a payment.
	WaitingMachines int64 `json:"waiting_machines"`

	// The cause of the last failure; null: none since the start.
	LastFailure *string `json:"last_failure"`
}

// PaymentSearchEntry: How far the events of a home chain are searched. Verdicts on later events are pending; those of Solana machines need both chains.
type PaymentSearchEntry struct {
	// The home chain of the events.
	Chain string `json:"chain"`

	// The block time through which all events are searched for payments, in Unix seconds; null: none yet.
	SearchedThrough *int64 `json:"searched_through"`

	// The age of that time; null: none yet.
	AgeSeconds *int64 `json:"age_seconds"`
}

// AltIndexLag: How old the index of the alt chain is.
type AltIndexLag struct {
	// Whether the index is fresh enough to be used.
	Ready bool `json:"ready"`

	// The slot of the newest snapshot; null: none yet.
	Slot *int64 `json:"slot"`

	// The age of that snapshot; null: none yet.
	AgeSeconds *int64 `json:"age_seconds"`
}

// AltIndexProgress: The progress of the alt-chain index through its history.
type AltIndexProgress struct {
	// What the index does: it lists new transactions, newest to oldest; applies them, oldest to newest; or has applied all known ones.
	Phase string `json:"phase"`

	// The slot up to which transactions are applied; null: none yet.
	AppliedSlot *int64 `json:"applied_slot"`

	// The slot of the newest known transaction.
	TargetSlot int64 `json:"target_slot"`

	// The slot of the oldest transaction listed; null: nothing is being listed.
	ListedDownToSlot *int64 `json:"listed_down_to_slot"`
}

// StatusCause: A cause that stops or slows an index.
type StatusCause struct {
	// A fixed name of the cause; more may be added.
	Cause string `json:"cause"`

	// The variable or fact that the cause concerns.
	Subject string `json:"subject"`

	// What is wrong.
	Text string `json:"text"`

	// What to do.
	Remedy string `json:"remedy"`
}

// ValidationIssue: One invalid parameter.
type ValidationIssue struct {
	// The kind of problem.
	Type string `json:"type"`

	// Its place, and its name or position there.
	Loc []json.RawMessage `json:"loc"`

	// The problem, for people.
	Msg string `json:"msg"`

	// The given value, at most 100 characters of it.
	Input json.RawMessage `json:"input"`

	// The bounds that were violated.
	Ctx map[string]json.RawMessage `json:"ctx,omitempty"`
}

// McrRecord: The rating of a machine.
type McrRecord struct {
	// The DID of a machine: its method and the canonical decimal id.
	Did string `json:"did"`

	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machine_id"`

	// Points of 100, rounded.
	McrScore int64 `json:"mcr_score"`

	Mcr Letter `json:"mcr"`

	// Whether some amounts could not be converted to US dollars.
	McrDegraded bool `json:"mcr_degraded"`

	// Whether the machine has an active bond.
	BondStatus string `json:"bond_status"`

	// Whether a negative flag is on record. It is in force for 180 days.
	NegativeFlag bool `json:"negative_flag"`

	// How many events the machine reported.
	EventCount int64 `json:"event_count"`

	// How many of the events report revenue.
	RevenueEventCount int64 `json:"revenue_event_count"`

	// How many of the events report activity.
	ActivityEventCount int64 `json:"activity_event_count"`

	// Revenue of the last 30 days against the 30 days before; null: not rated.
	RevenueTrend *string `json:"revenue_trend"`

	// US cents of qualifying revenue.
	TotalRevenue int64 `json:"total_revenue"`

	// US cents, with two decimals; null: not rated.
	AverageRevenuePerEvent *float64 `json:"average_revenue_per_event"`

	// Unix time of the newest event in seconds; null: no event.
	LastUpdated *int64 `json:"last_updated"`

	// Ordinal of the home chain; alt-chain machines only.
	HomeChain *int64 `json:"home_chain,omitempty"`

	// Why there is no rating; alt-chain machines only, absent when the machine is rated.
	RatingUnavailable *string `json:"rating_unavailable,omitempty"`

	// The rating in one sentence.
	Summary string `json:"summary"`
}

// ExplanationDormancy is part of a response.
type ExplanationDormancy struct {
	// Days since the newest qualifying event; null: none.
	IdleDays *int64 `json:"idle_days"`

	// Idle days without a deduction; null: no qualifying event.
	FreeDays *int64 `json:"free_days"`

	// Days in which what remains halves; null: no qualifying event.
	HalfDays *int64 `json:"half_days"`

	// Hundredths of a point.
	LostHundredths int64 `json:"lost_hundredths"`
}

// ExplanationAnchor is part of a response.
type ExplanationAnchor struct {
	// Whether the identity of the operator is verified and it accepted the machine.
	OperatorVerified bool `json:"operator_verified"`

	// Hundredths of a point.
	LostHundredths int64 `json:"lost_hundredths"`
}

// ExplanationInputsBlock is part of a response.
type ExplanationInputsBlock struct {
	// Decimal.
	Number string `json:"number"`

	// The hash of the block.
	Hash string `json:"hash"`

	// Unix time in seconds.
	Timestamp int64 `json:"timestamp"`
}

// ExplanationInputsRates: The exchange rates.
type ExplanationInputsRates struct {
	// Whether a feed of exchange rates is configured.
	Feed bool `json:"feed"`

	// The newest day of the rates.
	Through string `json:"through"`

	// SHA-256 of all rates and tokens, as `docs/statements.md` describes.
	Digest string `json:"digest"`
}

// ExplanationInputs: What the rating was computed from.
type ExplanationInputs struct {
	Block ExplanationInputsBlock `json:"block"`

	// The slot of the alt chain that the facts were read at; alt-chain machines only.
	Slot *string `json:"slot,omitempty"`

	// The Unix time in seconds that the rating was computed for.
	Now int64 `json:"now"`

	// The state of the bond’s subscription.
	Subscription string `json:"subscription"`

	// Unix time of the last negative flag in seconds; 0: none.
	NegativeFlagAt string `json:"negative_flag_at"`

	// Trust set by an administrator; null: none.
	TrustOverride *int64 `json:"trust_override"`

	// Events before a move to this chain, which are not counted.
	PriorEvents int64 `json:"prior_events"`

	// How many events the machine reported.
	EventCount int64 `json:"event_count"`

	// The exchange rates.
	Rates ExplanationInputsRates `json:"rates"`
}

// ExplanationEvidenceAccountsItem is part of a response.
type ExplanationEvidenceAccountsItem struct {
	// The address of the account.
	Account string `json:"account"`

	// The owner of the machine that the account signed for.
	Owner string `json:"owner"`

	// Unix time in seconds of the block with the signature.
	Since int64 `json:"since"`

	// The position of the event with the signature.
	Seq int64 `json:"seq"`
}

// ExplanationEvidenceVerdicts: How many events of the last 180 days have each verdict on their payment.
type ExplanationEvidenceVerdicts struct {
	Declared int64 `json:"declared"`

	Pending int64 `json:"pending"`

	NotFound int64 `json:"not_found"`

	Failed int64 `json:"failed"`

	WrongTime int64 `json:"wrong_time"`

	WrongPayee int64 `json:"wrong_payee"`

	UnknownPayer int64 `json:"unknown_payer"`

	SelfPaid int64 `json:"self_paid"`

	Circular int64 `json:"circular"`

	AlreadyCounted int64 `json:"already_counted"`

	Paid int64 `json:"paid"`
}

// ExplanationEvidence: The evidence found for the events.
type ExplanationEvidence struct {
	// The hash of the payment sources; null: none are configured.
	SourcesHash *string `json:"sources_hash"`

	// Unix time in seconds of the newest change of hands; events before it count as declared. Null: none.
	ChangedHandsAt *int64 `json:"changed_hands_at"`

	// Whether the machine changed hands since its chip record was issued; null: there is no chip record in force.
	ChipChangedHands *bool `json:"chip_changed_hands"`

	// The accounts that signed for payments to the machine.
	Accounts []ExplanationEvidenceAccountsItem `json:"accounts"`

	// How many events of the last 180 days have each verdict on their payment.
	Verdicts ExplanationEvidenceVerdicts `json:"verdicts"`
}

// Explanation: A rating, and where every point of it comes from.
type Explanation struct {
	// The DID of a machine: its method and the canonical decimal id.
	Did string `json:"did"`

	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machine_id"`

	// Points of 100, rounded.
	McrScore int64 `json:"mcr_score"`

	Mcr Letter `json:"mcr"`

	// Whether some amounts could not be converted to US dollars.
	McrDegraded bool `json:"mcr_degraded"`

	// Whether the machine has an active bond.
	BondStatus string `json:"bond_status"`

	// Whether a negative flag is on record. It is in force for 180 days.
	NegativeFlag bool `json:"negative_flag"`

	// How many events the machine reported.
	EventCount int64 `json:"event_count"`

	// How many of the events report revenue.
	RevenueEventCount int64 `json:"revenue_event_count"`

	// How many of the events report activity.
	ActivityEventCount int64 `json:"activity_event_count"`

	// Revenue of the last 30 days against the 30 days before; null: not rated.
	RevenueTrend *string `json:"revenue_trend"`

	// US cents of qualifying revenue.
	TotalRevenue int64 `json:"total_revenue"`

	// US cents, with two decimals; null: not rated.
	AverageRevenuePerEvent *float64 `json:"average_revenue_per_event"`

	// Unix time of the newest event in seconds; null: no event.
	LastUpdated *int64 `json:"last_updated"`

	// Ordinal of the home chain; alt-chain machines only.
	HomeChain *int64 `json:"home_chain,omitempty"`

	// Why there is no rating; alt-chain machines only, absent when the machine is rated.
	RatingUnavailable *string `json:"rating_unavailable,omitempty"`

	// The rating in one sentence.
	Summary string `json:"summary"`

	// The version of the rating model.
	Model string `json:"model"`

	// The score before rounding, in hundredths of a point; null: not rated.
	TotalHundredths *int64 `json:"total_hundredths"`

	// The factors of the score.
	Factors []RatingFactor `json:"factors"`

	// The deduction for dormancy; null: not rated.
	Dormancy *ExplanationDormancy `json:"dormancy"`

	// The deduction without a verified operator, or with a negative flag in force; null: not rated.
	Anchor *ExplanationAnchor `json:"anchor"`

	// Deductions and notices, largest deduction first.
	Reasons []RatingReason `json:"reasons"`

	// Whether the machine is paused or deactivated. Does not affect the rating.
	Availability string `json:"availability"`

	// What the rating was computed from.
	Inputs ExplanationInputs `json:"inputs"`

	// The evidence found for the events.
	Evidence ExplanationEvidence `json:"evidence"`
}

// ProfileAttributesItem1 is part of a response.
type ProfileAttributesItem1 struct {
	// The name of the attribute.
	TraitType string `json:"trait_type"`

	Value string `json:"value"`
}

// ProfileAttributesItem2 is part of a response.
type ProfileAttributesItem2 struct {
	// The name of the attribute.
	TraitType string `json:"trait_type"`

	// Points of 100, rounded.
	Value int64 `json:"value"`

	MaxValue int64 `json:"max_value"`
}

// ProfileAttributesItem3 is part of a response.
type ProfileAttributesItem3 struct {
	// The name of the attribute.
	TraitType string `json:"trait_type"`

	DisplayType string `json:"display_type"`

	Value int64 `json:"value"`
}

// Profile: The profile of a machine, as token metadata.
type Profile struct {
	// The version of this form.
	SchemaVersion string `json:"schema_version"`

	// The display name of the machine.
	Name string `json:"name"`

	Svcos ProfileFacts `json:"svcos"`

	// What kind of token it is.
	Description *string `json:"description,omitempty"`

	// The picture of the rating.
	Image *string `json:"image,omitempty"`

	// The page of the machine.
	ExternalUrl *string `json:"external_url,omitempty"`

	// The rating as typed attributes.
	Attributes []json.RawMessage `json:"attributes,omitempty"`
}

// CardServicesItem is part of a response.
type CardServicesItem struct {
	// The type of the service, as published.
	Name string `json:"name"`

	// As published, unchecked.
	Endpoint string `json:"endpoint"`
}

// CardRegistrationsItem is part of a response.
type CardRegistrationsItem struct {
	Type string `json:"type"`

	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machineId"`

	// Chain and registry (CAIP-10).
	MachineRegistry string `json:"machineRegistry"`
}

// Card: Services, registration and operator of a machine.
type Card struct {
	Type string `json:"type"`

	// The display name of the machine.
	Name string `json:"name"`

	Description string `json:"description"`

	// The DID of a machine: its method and the canonical decimal id.
	Did string `json:"did"`

	// Every machine with a card is registered.
	Active bool `json:"active"`

	// The web services that the machine publishes.
	Services []CardServicesItem `json:"services"`

	// Who may see the events, as the owner published.
	DataVisibility string `json:"data_visibility"`

	// As published; empty: none.
	DocumentationUrl string `json:"documentation_url"`

	// The DID of the operator; null: none is designated.
	Operator *string `json:"operator"`

	// Whether the machine has an active bond.
	BondStatus string `json:"bond_status"`

	// How many events the machine reported.
	EventCount int64 `json:"event_count"`

	// Where the machine is registered.
	Registrations []CardRegistrationsItem `json:"registrations"`

	// Ordinal of the home chain; alt-chain machines only.
	HomeChain *int64 `json:"home_chain,omitempty"`

	// Why there is no rating; alt-chain machines only, absent when the machine is rated.
	RatingUnavailable *string `json:"rating_unavailable,omitempty"`

	// The picture of the rating.
	Image *string `json:"image,omitempty"`

	// No endpoint is known to accept payments by x402.
	X402Support *bool `json:"x402Support,omitempty"`

	// Declares no trust model.
	SupportedTrust []string `json:"supportedTrust,omitempty"`

	// The token of the machine (CAIP-19); null: an alt-chain machine has none.
	AssetId *string `json:"asset_id,omitempty"`

	// The account of the operator (CAIP-10); null: none.
	OperatorAccount *string `json:"operator_account,omitempty"`
}

// HistoryBond: The present terms of the bond.
type HistoryBond struct {
	// The state of the bond’s subscription.
	Status string `json:"status"`

	// Unix time in seconds at which grace begins; null: no period.
	PeriodEnd *int64 `json:"period_end"`

	// Unix time in seconds at which the bond ends; null: no period.
	GraceEnd *int64 `json:"grace_end"`
}

// HistoryChangesItem is part of a response.
type HistoryChangesItem struct {
	// Unix time of the change in seconds.
	At int64 `json:"at"`

	Kind string `json:"kind"`

	// The end of the period of a bond that starts or is renewed, or a percentage; else null.
	Value *int64 `json:"value"`
}

// HistoryActionsItem is part of a response.
type HistoryActionsItem struct {
	// A UTC day.
	Day string `json:"day"`

	From Letter `json:"from"`

	To Letter `json:"to"`

	// What changed that day; time: nothing but that a day passed.
	Cause string `json:"cause"`
}

// History: The rating and the revenue of each of the last 365 days.
type History struct {
	// The DID of a machine: its method and the canonical decimal id.
	Did string `json:"did"`

	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machine_id"`

	// The version of the rating model.
	Model string `json:"model"`

	// False: events, days or changes are known to be missing; there are no points then. Until blocks are proven (`/status`), changes that cancel each other out may be missing from a complete history.
	Complete bool `json:"complete"`

	// The present terms of the bond.
	Bond HistoryBond `json:"bond"`

	// US cents before the first point. With those of the points: the total.
	RevenueBefore int64 `json:"revenue_before"`

	// Oldest first, one per day. The last is the present rating.
	Points []HistoryPoint `json:"points"`

	// Changes of the bond, the negative flag and the trust override, oldest first; those by time alone too.
	Changes []HistoryChangesItem `json:"changes"`

	// Days on which the rating changed, oldest first.
	Actions []HistoryActionsItem `json:"actions"`

	// Ordinal of the home chain; alt-chain machines only.
	HomeChain *int64 `json:"home_chain,omitempty"`

	// Why there is no rating; alt-chain machines only, absent when the machine is rated.
	RatingUnavailable *string `json:"rating_unavailable,omitempty"`
}

// EventListing: A page of the events that the rating is computed from.
type EventListing struct {
	// The DID of a machine: its method and the canonical decimal id.
	Did string `json:"did"`

	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machine_id"`

	// How many events the machine reported.
	EventCount int64 `json:"event_count"`

	// Newest first.
	Events []EventEntry `json:"events"`

	// The cursor of the page of older events; null: there are none.
	NextCursor *int64 `json:"next_cursor"`

	// Ordinal of the home chain; alt-chain machines only.
	HomeChain *int64 `json:"home_chain,omitempty"`

	// Why there is no rating; alt-chain machines only, absent when the machine is rated.
	RatingUnavailable *string `json:"rating_unavailable,omitempty"`
}

// FleetPagination is part of a response.
type FleetPagination struct {
	// As requested, with every digit.
	Offset int64 `json:"offset"`

	// As requested.
	Limit int64 `json:"limit"`

	// How many machines the operator has.
	Total int64 `json:"total"`
}

// Fleet: A page of the machines that an operator owns or controls.
type Fleet struct {
	// The DID of an operator or its raw address, in any letter case.
	OperatorDid string `json:"operator_did"`

	// By machine id, lowest first.
	Machines []FleetEntry `json:"machines"`

	Pagination FleetPagination `json:"pagination"`

	// Machines that belong on this page, or may, and could not be read.
	Unreadable int64 `json:"unreadable"`

	Index FleetIndex `json:"index"`
}

// RatedFleetPagination is part of a response.
type RatedFleetPagination struct {
	// As requested, with every digit.
	Offset int64 `json:"offset"`

	// As requested.
	Limit int64 `json:"limit"`

	// How many machines the operator has.
	Total int64 `json:"total"`
}

// RatedFleet: A page of the machines that an operator owns or controls, each with its rating.
type RatedFleet struct {
	// The DID of an operator or its raw address, in any letter case.
	OperatorDid string `json:"operator_did"`

	// By machine id, lowest first.
	Machines []RatedFleetEntry `json:"machines"`

	Pagination RatedFleetPagination `json:"pagination"`

	// Machines that belong on this page, or may, and could not be read.
	Unreadable int64 `json:"unreadable"`

	Index FleetIndex `json:"index"`

	// Ids of the machines of this page that could not be read.
	UnreadableMachines []string `json:"unreadable_machines"`
}

// ActiveMachines: The machines with the newest indexed events.
type ActiveMachines struct {
	// Newest event first.
	Machines []ActiveMachineEntry `json:"machines"`

	// Machines that belong in the list and could not be read.
	Unreadable int64 `json:"unreadable"`

	// Null: there is no index of the main chain.
	OperatorIndex *OperatorIndexLag `json:"operator_index"`

	// Null: no alt chain is configured.
	SolanaIndexer *AltIndexLag `json:"solana_indexer"`
}

// BoundMcrRecord: The rating of the legacy machine that a wallet of the alt chain is bound to.
type BoundMcrRecord struct {
	// The DID of an address of the main chain in EIP-55 spelling.
	Did string `json:"did"`

	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machine_id"`

	// Points of 100, rounded.
	McrScore int64 `json:"mcr_score"`

	Mcr Letter `json:"mcr"`

	// Whether some amounts could not be converted to US dollars.
	McrDegraded bool `json:"mcr_degraded"`

	// Whether the machine has an active bond.
	BondStatus string `json:"bond_status"`

	// Whether a negative flag is on record. It is in force for 180 days.
	NegativeFlag bool `json:"negative_flag"`

	// How many events the machine reported.
	EventCount int64 `json:"event_count"`

	// How many of the events report revenue.
	RevenueEventCount int64 `json:"revenue_event_count"`

	// How many of the events report activity.
	ActivityEventCount int64 `json:"activity_event_count"`

	// Revenue of the last 30 days against the 30 days before; null: not rated.
	RevenueTrend *string `json:"revenue_trend"`

	// US cents of qualifying revenue.
	TotalRevenue int64 `json:"total_revenue"`

	// US cents, with two decimals; null: not rated.
	AverageRevenuePerEvent *float64 `json:"average_revenue_per_event"`

	// Unix time of the newest event in seconds; null: no event.
	LastUpdated *int64 `json:"last_updated"`

	// The rating in one sentence.
	Summary string `json:"summary"`

	// The wallet, as sent.
	SolanaAddress string `json:"solana_address"`

	// The address that the wallet is bound to, in EIP-55 spelling.
	EvmAddress string `json:"evm_address"`
}

// BoundFleetPagination is part of a response.
type BoundFleetPagination struct {
	// As requested, with every digit.
	Offset int64 `json:"offset"`

	// As requested.
	Limit int64 `json:"limit"`

	// How many machines the operator has.
	Total int64 `json:"total"`
}

// BoundFleet: A page of the legacy machines of the operator that a wallet of the alt chain is bound to.
type BoundFleet struct {
	// The DID of an address of the main chain in EIP-55 spelling.
	OperatorDid string `json:"operator_did"`

	// By machine id, lowest first.
	Machines []BoundFleetEntry `json:"machines"`

	Pagination BoundFleetPagination `json:"pagination"`

	// Machines that belong on this page, or may, and could not be read.
	Unreadable int64 `json:"unreadable"`

	Index FleetIndex `json:"index"`

	// The wallet, as sent.
	SolanaAddress string `json:"solana_address"`

	// The address that the wallet is bound to, in EIP-55 spelling.
	EvmAddress string `json:"evm_address"`
}

// Directory: A page of the machines of the deployment.
type Directory struct {
	// In the requested order. A page may be short, and even empty, before the end: `next` decides.
	Machines []DirectoryEntry `json:"machines"`

	// Cursor of the next page, for `after`; null: nothing is left.
	Next *string `json:"next"`

	// Machines that are known and not observed yet, counted up to 1000. 0: the directory is complete.
	Unlisted int64 `json:"unlisted"`

	// Unix time in seconds at which every machine known then had been observed; null: machines are still observed for the first time.
	OpenedAt *int64 `json:"opened_at"`

	Index FleetIndex `json:"index"`
}

// DirectorySummaryCountsRating is part of a response.
type DirectorySummaryCountsRating struct {
	// Machines.
	AAA int64 `json:"AAA"`

	// Machines.
	AA int64 `json:"AA"`

	// Machines.
	A int64 `json:"A"`

	// Machines.
	BBB int64 `json:"BBB"`

	// Machines.
	BB int64 `json:"BB"`

	// Machines.
	B int64 `json:"B"`

	// Machines.
	NR int64 `json:"NR"`

	// Machines.
	Provisioned int64 `json:"Provisioned"`
}

// DirectorySummaryCountsBond is part of a response.
type DirectorySummaryCountsBond struct {
	// Machines.
	NotActivated int64 `json:"NotActivated"`

	// Machines.
	Active int64 `json:"Active"`

	// Machines.
	Grace int64 `json:"Grace"`

	// Machines.
	Runoff int64 `json:"Runoff"`

	// Machines.
	Terminated int64 `json:"Terminated"`
}

// DirectorySummaryCountsFlag is part of a response.
type DirectorySummaryCountsFlag struct {
	// Machines.
	None int64 `json:"none"`

	// Machines.
	InForce int64 `json:"in_force"`

	// Machines.
	Ended int64 `json:"ended"`
}

// DirectorySummaryCountsKyb is part of a response.
type DirectorySummaryCountsKyb struct {
	// Machines.
	Unverified int64 `json:"unverified"`

	// Machines.
	Verified int64 `json:"verified"`

	// Machines.
	Expired int64 `json:"expired"`

	// Machines.
	Revoked int64 `json:"revoked"`
}

// DirectorySummaryCountsChip is part of a response.
type DirectorySummaryCountsChip struct {
	// Machines.
	Unverified int64 `json:"unverified"`

	// Machines.
	Verified int64 `json:"verified"`

	// Machines.
	Expired int64 `json:"expired"`

	// Machines.
	Revoked int64 `json:"revoked"`
}

// DirectorySummaryCountsOptIn is part of a response.
type DirectorySummaryCountsOptIn struct {
	// Machines.
	PENDING int64 `json:"PENDING"`

	// Machines.
	OPTEDIN int64 `json:"OPTED_IN"`

	// Machines.
	OPTEDOUT int64 `json:"OPTED_OUT"`
}

// DirectorySummaryCountsHome is part of a response.
type DirectorySummaryCountsHome struct {
	// Machines.
	Main int64 `json:"main"`

	// Machines.
	Alt int64 `json:"alt"`
}

// DirectorySummaryCounts: Machines by value of each member of an entry.
type DirectorySummaryCounts struct {
	Rating DirectorySummaryCountsRating `json:"rating"`

	Bond DirectorySummaryCountsBond `json:"bond"`

	Flag DirectorySummaryCountsFlag `json:"flag"`

	Kyb DirectorySummaryCountsKyb `json:"kyb"`

	Chip DirectorySummaryCountsChip `json:"chip"`

	OptIn DirectorySummaryCountsOptIn `json:"opt_in"`

	Home DirectorySummaryCountsHome `json:"home"`
}

// DirectorySummary: Numbers of machines of the deployment.
type DirectorySummary struct {
	// Machines in the directory.
	Machines int64 `json:"machines"`

	// Machines by value of each member of an entry.
	Counts DirectorySummaryCounts `json:"counts"`

	// Machines that are known and not observed yet, counted up to 1000. 0: the directory is complete.
	Unlisted int64 `json:"unlisted"`

	// Unix time in seconds at which every machine known then had been observed; null: machines are still observed for the first time.
	OpenedAt *int64 `json:"opened_at"`

	Index FleetIndex `json:"index"`
}

// ChangePage: A page of changes.
type ChangePage struct {
	// In the order of their cursors.
	Changes []Change `json:"changes"`

	// Cursor to continue from, also when the page is empty.
	Next int64 `json:"next"`

	// Cursor of the newest change; `next` reaches it when nothing is left.
	Newest int64 `json:"newest"`

	// The smallest cursor that can be continued from.
	OldestAfter int64 `json:"oldest_after"`

	// Unix time in seconds since which changes are recorded; null: machines are still observed for the first time.
	OpenedAt *int64 `json:"opened_at"`
}

// MonetizationState1 is part of a response.
type MonetizationState1 struct {
	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machine_id"`

	// The decision in force.
	Status string `json:"status"`

	// The address in EIP-55 spelling, or the base58 key of an alt-chain machine.
	Signer string `json:"signer"`

	// Unix time in seconds when the decision was signed.
	UpdatedAt int64 `json:"updated_at"`

	// Whether the signer is owner or controller now; false after a sale. Null: unreadable.
	SignerIsCurrent *bool `json:"signer_is_current,omitempty"`
}

// MonetizationState2 is part of a response.
type MonetizationState2 struct {
	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machine_id"`

	// There is no decision yet.
	Status string `json:"status"`

	Signer json.RawMessage `json:"signer"`

	UpdatedAt json.RawMessage `json:"updated_at"`

	SignerIsCurrent json.RawMessage `json:"signer_is_current,omitempty"`
}

// MonetizationState: The opt-in decision in force.
type MonetizationState json.RawMessage

// DecisionLog: A page of the decision log of a machine.
type DecisionLog struct {
	// Newest first.
	Decisions []DecisionEntry `json:"decisions"`

	// The hash of the newest row; null: there is none.
	Head *string `json:"head"`

	// The cursor of the page of older decisions; null: there are none.
	NextCursor *int64 `json:"next_cursor"`

	// On the last page, when older rows were pruned: their number and the last hash, signed.
	Checkpoint *DecisionCheckpoint `json:"checkpoint,omitempty"`
}

// PublishedDeployment: The deployment that a signature is bound to.
type PublishedDeployment struct {
	// The version of the signed message.
	Version string `json:"version"`

	// Decimal.
	ChainId string `json:"chain_id"`

	// The machine registry, in lower case.
	Registry string `json:"registry"`
}

// VerifyRecordHomeChain: The chain of the machine.
type VerifyRecordHomeChain struct {
	Kind string `json:"kind"`

	// Decimal.
	ChainId string `json:"chainId"`
}

// VerifyRecordVerification: KYB of the operator, and the chip of the machine. There is no aggregate.
type VerifyRecordVerification struct {
	Kyb VerifyTopic `json:"kyb"`

	Chip VerifyTopic `json:"chip"`
}

// VerifyRecord: Who controls and operates a machine, and whether operator and chip are verified.
type VerifyRecord struct {
	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machineId"`

	// The DID of a machine: its method and the canonical decimal id.
	MachineDid string `json:"machineDid"`

	// The chain of the machine.
	HomeChain VerifyRecordHomeChain `json:"homeChain"`

	// The account that controls the DID.
	DidController VerifyAccount `json:"didController"`

	// The economic owner of the machine, whose KYB status is reported.
	Operator VerifyAccount `json:"operator"`

	// KYB of the operator, and the chip of the machine. There is no aggregate.
	Verification VerifyRecordVerification `json:"verification"`
}

// ChipChallenge: A challenge for the chip of a machine.
type ChipChallenge struct {
	// The main chain, decimal.
	ChainId string `json:"chainId"`

	// The controller of the machine in EIP-55 spelling, never zero.
	DidController string `json:"didController"`

	// When the challenge expires: Unix time in seconds, decimal.
	ExpiresAt string `json:"expiresAt"`

	// The DID of a machine: its method and the canonical decimal id.
	MachineDid string `json:"machineDid"`

	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machineId"`

	// Identifies the challenge. It is shown only once.
	Nonce string `json:"nonce"`

	// The chip profile.
	Profile string `json:"profile"`

	// The protocol and its version.
	Protocol string `json:"protocol"`

	// The service that issued the challenge.
	Verifier string `json:"verifier"`
}

// ChipReceipt: The receipt of an accepted evidence document. The status of the chip changes when a record is written.
type ChipReceipt struct {
	// Identifies the chip without its certificate.
	ChipRef string `json:"chipRef"`

	// Keccak-256 of the document.
	EvidenceHash string `json:"evidenceHash"`

	// The form of the document.
	EvidenceSchema string `json:"evidenceSchema"`

	// The DID of a machine: its method and the canonical decimal id.
	MachineDid string `json:"machineDid"`

	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machineId"`

	// Identifies the receipt.
	ReceiptId string `json:"receiptId"`

	// When the evidence was accepted: Unix time in seconds, decimal.
	ReceivedAt string `json:"receivedAt"`

	// Revocation of the certificate is not checked.
	RevocationStatus string `json:"revocationStatus"`

	// Acceptance is not verification.
	Status string `json:"status"`

	// The pinned roots that the certificate leads to.
	TrustBundle string `json:"trustBundle"`
}

// StatementStatement: The signed message.
type StatementStatement struct {
	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machineId"`

	// The protocol ordinal of the home chain.
	HomeChain int64 `json:"homeChain"`

	// The version of the rating model.
	Model string `json:"model"`

	// The rating.
	Rating string `json:"rating"`

	// Points in hundredths; 0 for NR and Provisioned.
	ScoreHundredths int64 `json:"scoreHundredths"`

	// Whether the machine has an active bond.
	Bonded bool `json:"bonded"`

	// Whether a negative flag is on record. It is in force for 180 days.
	NegativeFlag bool `json:"negativeFlag"`

	// The KYB status of the operator.
	Kyb string `json:"kyb"`

	// The status of the chip; `unverified` for alt-chain machines.
	Chip string `json:"chip"`

	// The finalized block of all facts. Decimal.
	BlockNumber string `json:"blockNumber"`

	// The hash of the block.
	BlockHash string `json:"blockHash"`

	// The slot of the alt chain; 0 for main-chain machines. Decimal.
	AltSlot string `json:"altSlot"`

	// The Unix time in seconds that the rating was computed for.
	RatedAt int64 `json:"ratedAt"`

	// The last second of validity, as Unix time.
	ValidUntil int64 `json:"validUntil"`

	// Keccak-256 of the RFC 8785 form of `explanation`.
	ExplanationHash string `json:"explanationHash"`
}

// StatementDomain: The EIP-712 domain.
type StatementDomain struct {
	// The name of the domain.
	Name string `json:"name"`

	Version string `json:"version"`

	// The main chain.
	ChainId int64 `json:"chainId"`

	// The machine registry in EIP-55 spelling.
	VerifyingContract string `json:"verifyingContract"`
}

// StatementTypesRatingStatementItem is part of a response.
type StatementTypesRatingStatementItem struct {
	Name string `json:"name"`

	Type string `json:"type"`
}

// StatementTypes: The EIP-712 types.
type StatementTypes struct {
	RatingStatement []StatementTypesRatingStatementItem `json:"RatingStatement"`
}

// StatementExplanationDormancy is part of a response.
type StatementExplanationDormancy struct {
	// Days since the newest qualifying event; null: none.
	IdleDays *int64 `json:"idle_days"`

	// Idle days without a deduction; null: no qualifying event.
	FreeDays *int64 `json:"free_days"`

	// Days in which what remains halves; null: no qualifying event.
	HalfDays *int64 `json:"half_days"`

	// Hundredths of a point.
	LostHundredths int64 `json:"lost_hundredths"`
}

// StatementExplanationAnchor is part of a response.
type StatementExplanationAnchor struct {
	// Whether the identity of the operator is verified and it accepted the machine.
	OperatorVerified bool `json:"operator_verified"`

	// Hundredths of a point.
	LostHundredths int64 `json:"lost_hundredths"`
}

// StatementExplanationInputsBlock is part of a response.
type StatementExplanationInputsBlock struct {
	// Decimal.
	Number string `json:"number"`

	// The hash of the block.
	Hash string `json:"hash"`

	// Unix time in seconds.
	Timestamp int64 `json:"timestamp"`
}

// StatementExplanationInputsRates: The exchange rates.
type StatementExplanationInputsRates struct {
	// Whether a feed of exchange rates is configured.
	Feed bool `json:"feed"`

	// The newest day of the rates.
	Through string `json:"through"`

	// SHA-256 of all rates and tokens, as `docs/statements.md` describes.
	Digest string `json:"digest"`
}

// StatementExplanationInputs: What the rating was computed from.
type StatementExplanationInputs struct {
	Block StatementExplanationInputsBlock `json:"block"`

	// The slot of the alt chain that the facts were read at; alt-chain machines only.
	Slot *string `json:"slot,omitempty"`

	// The Unix time in seconds that the rating was computed for.
	Now int64 `json:"now"`

	// The state of the bond’s subscription.
	Subscription string `json:"subscription"`

	// Unix time of the last negative flag in seconds; 0: none.
	NegativeFlagAt string `json:"negative_flag_at"`

	// Trust set by an administrator; null: none.
	TrustOverride *int64 `json:"trust_override"`

	// Events before a move to this chain, which are not counted.
	PriorEvents int64 `json:"prior_events"`

	// How many events the machine reported.
	EventCount int64 `json:"event_count"`

	// The exchange rates.
	Rates StatementExplanationInputsRates `json:"rates"`
}

// StatementExplanationEvidenceAccountsItem is part of a response.
type StatementExplanationEvidenceAccountsItem struct {
	// The address of the account.
	Account string `json:"account"`

	// The owner of the machine that the account signed for.
	Owner string `json:"owner"`

	// Unix time in seconds of the block with the signature.
	Since int64 `json:"since"`

	// The position of the event with the signature.
	Seq int64 `json:"seq"`
}

// StatementExplanationEvidenceVerdicts: How many events of the last 180 days have each verdict on their payment.
type StatementExplanationEvidenceVerdicts struct {
	Declared int64 `json:"declared"`

	Pending int64 `json:"pending"`

	NotFound int64 `json:"not_found"`

	Failed int64 `json:"failed"`

	WrongTime int64 `json:"wrong_time"`

	WrongPayee int64 `json:"wrong_payee"`

	UnknownPayer int64 `json:"unknown_payer"`

	SelfPaid int64 `json:"self_paid"`

	Circular int64 `json:"circular"`

	AlreadyCounted int64 `json:"already_counted"`

	Paid int64 `json:"paid"`
}

// StatementExplanationEvidence: The evidence found for the events.
type StatementExplanationEvidence struct {
	// The hash of the payment sources; null: none are configured.
	SourcesHash *string `json:"sources_hash"`

	// Unix time in seconds of the newest change of hands; events before it count as declared. Null: none.
	ChangedHandsAt *int64 `json:"changed_hands_at"`

	// Whether the machine changed hands since its chip record was issued; null: there is no chip record in force.
	ChipChangedHands *bool `json:"chip_changed_hands"`

	// The accounts that signed for payments to the machine.
	Accounts []StatementExplanationEvidenceAccountsItem `json:"accounts"`

	// How many events of the last 180 days have each verdict on their payment.
	Verdicts StatementExplanationEvidenceVerdicts `json:"verdicts"`
}

// StatementExplanation: A rating, and where every point of it comes from.
type StatementExplanation struct {
	// The DID of a machine: its method and the canonical decimal id.
	Did string `json:"did"`

	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machine_id"`

	// Points of 100, rounded.
	McrScore int64 `json:"mcr_score"`

	Mcr Letter `json:"mcr"`

	// Whether some amounts could not be converted to US dollars.
	McrDegraded bool `json:"mcr_degraded"`

	// Whether the machine has an active bond.
	BondStatus string `json:"bond_status"`

	// Whether a negative flag is on record. It is in force for 180 days.
	NegativeFlag bool `json:"negative_flag"`

	// How many events the machine reported.
	EventCount int64 `json:"event_count"`

	// How many of the events report revenue.
	RevenueEventCount int64 `json:"revenue_event_count"`

	// How many of the events report activity.
	ActivityEventCount int64 `json:"activity_event_count"`

	// Revenue of the last 30 days against the 30 days before; null: not rated.
	RevenueTrend *string `json:"revenue_trend"`

	// US cents of qualifying revenue.
	TotalRevenue int64 `json:"total_revenue"`

	// US cents, with two decimals; null: not rated.
	AverageRevenuePerEvent *float64 `json:"average_revenue_per_event"`

	// Unix time of the newest event in seconds; null: no event.
	LastUpdated *int64 `json:"last_updated"`

	// Ordinal of the home chain; alt-chain machines only.
	HomeChain *int64 `json:"home_chain,omitempty"`

	// Why there is no rating; alt-chain machines only, absent when the machine is rated.
	RatingUnavailable *string `json:"rating_unavailable,omitempty"`

	// The rating in one sentence.
	Summary string `json:"summary"`

	// The version of the rating model.
	Model string `json:"model"`

	// The score before rounding, in hundredths of a point; null: not rated.
	TotalHundredths *int64 `json:"total_hundredths"`

	// The factors of the score.
	Factors []RatingFactor `json:"factors"`

	// The deduction for dormancy; null: not rated.
	Dormancy *StatementExplanationDormancy `json:"dormancy"`

	// The deduction without a verified operator, or with a negative flag in force; null: not rated.
	Anchor *StatementExplanationAnchor `json:"anchor"`

	// Deductions and notices, largest deduction first.
	Reasons []RatingReason `json:"reasons"`

	// Whether the machine is paused or deactivated. Does not affect the rating.
	Availability string `json:"availability"`

	// What the rating was computed from.
	Inputs StatementExplanationInputs `json:"inputs"`

	// The evidence found for the events.
	Evidence StatementExplanationEvidence `json:"evidence"`
}

// Statement: A rating that can be proven later.
type Statement struct {
	// The signed message.
	Statement StatementStatement `json:"statement"`

	// The EIP-712 domain.
	Domain StatementDomain `json:"domain"`

	// The EIP-712 types.
	Types StatementTypes `json:"types"`

	// r, s and the recovery byte, with low s.
	Signature string `json:"signature"`

	// The signing key in EIP-55 spelling.
	Signer string `json:"signer"`

	// A rating, and where every point of it comes from.
	Explanation StatementExplanation `json:"explanation"`
}

// StatementDirectoryKeysItem is part of a response.
type StatementDirectoryKeysItem struct {
	// An address of the main chain in EIP-55 spelling.
	Address string `json:"address"`

	// First second of `ratedAt`; null: announced, not in use yet. Unix time in seconds.
	NotBefore *int64 `json:"notBefore"`

	// Last second of `ratedAt`; null: in use, or announced. Unix time in seconds.
	NotAfter *int64 `json:"notAfter"`

	// When the key was revoked; its statements prove nothing. Null: not revoked. Unix time in seconds.
	RevokedAt *int64 `json:"revokedAt"`
}

// StatementDirectoryDomain: The EIP-712 domain.
type StatementDirectoryDomain struct {
	// The name of the domain.
	Name string `json:"name"`

	Version string `json:"version"`

	// The main chain.
	ChainId int64 `json:"chainId"`

	// The machine registry in EIP-55 spelling.
	VerifyingContract string `json:"verifyingContract"`
}

// StatementDirectoryTypesRatingStatementItem is part of a response.
type StatementDirectoryTypesRatingStatementItem struct {
	Name string `json:"name"`

	Type string `json:"type"`
}

// StatementDirectoryTypes: The EIP-712 types.
type StatementDirectoryTypes struct {
	RatingStatement []StatementDirectoryTypesRatingStatementItem `json:"RatingStatement"`
}

// StatementDirectory: The keys of rating statements.
type StatementDirectory struct {
	// All keys in the order of their publication.
	Keys []StatementDirectoryKeysItem `json:"keys"`

	// The EIP-712 domain.
	Domain StatementDirectoryDomain `json:"domain"`

	// The EIP-712 types.
	Types StatementDirectoryTypes `json:"types"`
}

// DidDocumentVerificationMethodItem is part of a response.
type DidDocumentVerificationMethodItem struct {
	// A DID URL.
	Id string `json:"id"`

	// The DID of a machine: its method and the canonical decimal id.
	Controller string `json:"controller"`

	// How the signature of the account is verified.
	Type string `json:"type"`

	// The account that signs for the machine (CAIP-10).
	BlockchainAccountId string `json:"blockchainAccountId"`

	// The key of the account; alt-chain machines only.
	PublicKeyBase58 *string `json:"publicKeyBase58,omitempty"`
}

// DidDocumentServiceItem is part of a response.
type DidDocumentServiceItem struct {
	// A DID URL.
	Id string `json:"id"`

	// As published.
	Type string `json:"type"`

	// As published, unchecked.
	ServiceEndpoint string `json:"serviceEndpoint"`
}

// DidDocument: The DID document of a machine.
type DidDocument struct {
	// The DID of a machine: its method and the canonical decimal id.
	Id string `json:"id"`

	// The token of a main-chain machine (CAIP-19).
	AlsoKnownAs []string `json:"alsoKnownAs"`

	VerificationMethod []DidDocumentVerificationMethodItem `json:"verificationMethod"`

	Authentication []string `json:"authentication"`

	AssertionMethod []string `json:"assertionMethod"`

	// The published services with an HTTP URL.
	Service []DidDocumentServiceItem `json:"service"`
}

// DidResolutionDidDocumentVerificationMethodItem is part of a response.
type DidResolutionDidDocumentVerificationMethodItem struct {
	// A DID URL.
	Id string `json:"id"`

	// The DID of a machine: its method and the canonical decimal id.
	Controller string `json:"controller"`

	// How the signature of the account is verified.
	Type string `json:"type"`

	// The account that signs for the machine (CAIP-10).
	BlockchainAccountId string `json:"blockchainAccountId"`

	// The key of the account; alt-chain machines only.
	PublicKeyBase58 *string `json:"publicKeyBase58,omitempty"`
}

// DidResolutionDidDocumentServiceItem is part of a response.
type DidResolutionDidDocumentServiceItem struct {
	// A DID URL.
	Id string `json:"id"`

	// As published.
	Type string `json:"type"`

	// As published, unchecked.
	ServiceEndpoint string `json:"serviceEndpoint"`
}

// DidResolutionDidDocument: The DID document of a machine.
type DidResolutionDidDocument struct {
	// The DID of a machine: its method and the canonical decimal id.
	Id string `json:"id"`

	// The token of a main-chain machine (CAIP-19).
	AlsoKnownAs []string `json:"alsoKnownAs"`

	VerificationMethod []DidResolutionDidDocumentVerificationMethodItem `json:"verificationMethod"`

	Authentication []string `json:"authentication"`

	AssertionMethod []string `json:"assertionMethod"`

	// The published services with an HTTP URL.
	Service []DidResolutionDidDocumentServiceItem `json:"service"`
}

// DidResolutionDidResolutionMetadata is part of a response.
type DidResolutionDidResolutionMetadata struct {
	ContentType string `json:"contentType"`
}

// DidResolution: The result of resolving a DID.
type DidResolution struct {
	// The DID document of a machine.
	DidDocument DidResolutionDidDocument `json:"didDocument"`

	DidResolutionMetadata DidResolutionDidResolutionMetadata `json:"didResolutionMetadata"`

	// Empty.
	DidDocumentMetadata map[string]json.RawMessage `json:"didDocumentMetadata"`
}

// AgentRegistrationServicesItem is part of a response.
type AgentRegistrationServicesItem struct {
	// The type of the service, as published, or DID.
	Name string `json:"name"`

	// As published, unchecked.
	Endpoint string `json:"endpoint"`

	// Of the DID only.
	Version *string `json:"version,omitempty"`
}

// AgentRegistrationRegistrationsItem is part of a response.
type AgentRegistrationRegistrationsItem struct {
	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	AgentId string `json:"agentId"`

	// Chain and registry (CAIP-10).
	AgentRegistry string `json:"agentRegistry"`
}

// AgentRegistration: The registration file of a machine (ERC-8004).
type AgentRegistration struct {
	Type string `json:"type"`

	// The display name of the machine.
	Name string `json:"name"`

	Description string `json:"description"`

	// The picture of the rating.
	Image string `json:"image"`

	// The published web services with an HTTP URL, and the DID.
	Services []AgentRegistrationServicesItem `json:"services"`

	// No endpoint is known to accept payments by x402.
	X402Support bool `json:"x402Support"`

	// Every machine with a registration is registered.
	Active bool `json:"active"`

	// Where the machine is registered.
	Registrations []AgentRegistrationRegistrationsItem `json:"registrations"`

	// Declares no trust model.
	SupportedTrust []string `json:"supportedTrust"`
}

// AgentFeedbackProofStatement: The signed message.
type AgentFeedbackProofStatement struct {
	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	MachineId string `json:"machineId"`

	// The protocol ordinal of the home chain.
	HomeChain int64 `json:"homeChain"`

	// The version of the rating model.
	Model string `json:"model"`

	// The rating.
	Rating string `json:"rating"`

	// Points in hundredths; 0 for NR and Provisioned.
	ScoreHundredths int64 `json:"scoreHundredths"`

	// Whether the machine has an active bond.
	Bonded bool `json:"bonded"`

	// Whether a negative flag is on record. It is in force for 180 days.
	NegativeFlag bool `json:"negativeFlag"`

	// The KYB status of the operator.
	Kyb string `json:"kyb"`

	// The status of the chip; `unverified` for alt-chain machines.
	Chip string `json:"chip"`

	// The finalized block of all facts. Decimal.
	BlockNumber string `json:"blockNumber"`

	// The hash of the block.
	BlockHash string `json:"blockHash"`

	// The slot of the alt chain; 0 for main-chain machines. Decimal.
	AltSlot string `json:"altSlot"`

	// The Unix time in seconds that the rating was computed for.
	RatedAt int64 `json:"ratedAt"`

	// The last second of validity, as Unix time.
	ValidUntil int64 `json:"validUntil"`

	// Keccak-256 of the RFC 8785 form of `explanation`.
	ExplanationHash string `json:"explanationHash"`
}

// AgentFeedbackProofDomain: The EIP-712 domain.
type AgentFeedbackProofDomain struct {
	// The name of the domain.
	Name string `json:"name"`

	Version string `json:"version"`

	// The main chain.
	ChainId int64 `json:"chainId"`

	// The machine registry in EIP-55 spelling.
	VerifyingContract string `json:"verifyingContract"`
}

// AgentFeedbackProofTypesRatingStatementItem is part of a response.
type AgentFeedbackProofTypesRatingStatementItem struct {
	Name string `json:"name"`

	Type string `json:"type"`
}

// AgentFeedbackProofTypes: The EIP-712 types.
type AgentFeedbackProofTypes struct {
	RatingStatement []AgentFeedbackProofTypesRatingStatementItem `json:"RatingStatement"`
}

// AgentFeedbackProof: The signed rating statement.
type AgentFeedbackProof struct {
	// The signed message.
	Statement AgentFeedbackProofStatement `json:"statement"`

	// The EIP-712 domain.
	Domain AgentFeedbackProofDomain `json:"domain"`

	// The EIP-712 types.
	Types AgentFeedbackProofTypes `json:"types"`

	// r, s and the recovery byte, with low s.
	Signature string `json:"signature"`

	// The signing key in EIP-55 spelling.
	Signer string `json:"signer"`
}

// AgentFeedback: The rating of a machine as a feedback file (ERC-8004).
type AgentFeedback struct {
	// Chain and registry (CAIP-10).
	AgentRegistry string `json:"agentRegistry"`

	// Canonical decimal, 1 to 2^256 - 1. Never a JSON number, which would lose digits.
	AgentId string `json:"agentId"`

	// The account of the statement key (CAIP-10).
	ClientAddress string `json:"clientAddress"`

	// The time that the rating was computed for.
	CreatedAt string `json:"createdAt"`

	// Points in hundredths.
	Value int64 `json:"value"`

	// Decimals of the value.
	ValueDecimals int64 `json:"valueDecimals"`

	// The version of the rating model.
	Tag1 string `json:"tag1"`

	// The rating.
	Tag2 string `json:"tag2"`

	// The signed rating statement.
	Proof AgentFeedbackProof `json:"proof"`
}

// Health: The process runs. Nothing else is checked.
type Health struct {
	Status string `json:"status"`
}

// ReadinessContracts is part of a response.
type ReadinessContracts struct {
	// Whether the contract can be called.
	MachineRegistry bool `json:"machine_registry"`

	// Whether the contract can be called.
	MachineStateAndSync bool `json:"machine_state_and_sync"`

	// Whether the contract can be called.
	MachineSubscription bool `json:"machine_subscription"`

	// Whether the contract can be called.
	EventRegistry bool `json:"event_registry"`

	// Whether the contract can be called.
	AdminFlags bool `json:"admin_flags"`
}

// Readiness: Whether the service can serve requests.
type Readiness struct {
	// Whether the service can serve requests.
	Status string `json:"status"`

	// Whether a node of the main chain responds.
	RpcConnected bool `json:"rpc_connected"`

	Contracts ReadinessContracts `json:"contracts"`

	// Whether Verify is ready; null: this server does not run Verify.
	Verify *bool `json:"verify"`

	// Null: no alt chain is configured.
	SolanaIndexer *AltIndexLag `json:"solana_indexer"`

	// Null: there is no index of the main chain.
	OperatorIndex *OperatorIndexLag `json:"operator_index"`

	// State of the clock, judged by the blocks of the chain; while it is doubtful or behind, nothing that depends on the time is served.
	Clock *string `json:"clock,omitempty"`

	// Present with distributed rate limiting. False: the store cannot be reached, and each replica counts alone.
	SharedRateLimits *bool `json:"shared_rate_limits,omitempty"`
}

// Status: Whether the indexes are fresh.
type Status struct {
	// Whether every index is fresh.
	Status string `json:"status"`

	// The lag that counts as fresh, as requested.
	MaxLagBlocks int64 `json:"max_lag_blocks"`

	// Null: there is no index of the main chain.
	OperatorIndex *OperatorIndexLag `json:"operator_index"`

	// Null: no alt chain is configured.
	SolanaIndexer *AltIndexLag `json:"solana_indexer"`

	// Null: no alt chain is configured, nothing is listed yet, or the index cannot be read.
	SolanaIndexProgress *AltIndexProgress `json:"solana_index_progress"`

	// What stops or slows the indexes now, as far as this process knows; empty: nothing.
	Causes []StatusCause `json:"causes"`

	// The call budget of each chain.
	CallBudgets []CallBudgetEntry `json:"call_budgets,omitempty"`

	// The payment sources; only the process that follows them reports it.
	PaymentSources []PaymentSourceEntry `json:"payment_sources,omitempty"`

	// The search of each home chain; absent without payment sources, or when the database cannot be read.
	PaymentSearches []PaymentSearchEntry `json:"payment_searches,omitempty"`
}
