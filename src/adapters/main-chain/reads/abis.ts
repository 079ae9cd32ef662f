/**
 * ABIs of the functions, errors and events that the service reads from the main chain's contracts (chain-evm 2). Names,
 * types, tuple order and `indexed` are facts of the deployment. Writes are absent: the service sends no transaction.
 */
import { parseAbi } from 'viem/utils';

/** Events of every contract behind an ERC-1967 proxy. */
export const governedEvents = parseAbi([
  'event Upgraded(address indexed implementation)',
  'event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
  'event Initialized(uint64 version)',
]);

export const infoDeskAbi = parseAbi([
  'function peer(bytes32 key) view returns (address)',
  'function localChainId() view returns (uint16)',
  'function graceDuration() view returns (uint64)',
  'function runoffDuration() view returns (uint64)',
  'function isMachineRelocationEnabled() view returns (bool)',
  'function isMachineDataContract(address addr) view returns (bool)',
  'event PeerSet(bytes32 indexed key, address indexed addr)',
  'event PeerUnset(bytes32 indexed key, address indexed previous)',
  'event GraceDurationSet(uint64 value)',
  'event RunoffDurationSet(uint64 value)',
  'event SubscriptionPeriodLengthSet(uint64 value)',
  'event LocalChainIdSet(uint16 value)',
  'event ChainRegistered(uint16 indexed protocolChainId, uint8 kind, bytes32 nativeChainId, uint32 messagingVendorId)',
  'event ChainRemoved(uint16 indexed protocolChainId)',
  'event MachineRelocationEnabledSet(bool value)',
  'event MachineDataContractRegistered(address indexed addr)',
  'event MachineDataContractRemoved(address indexed addr)',
]);

export const machineRegistryAbi = parseAbi([
  'struct VerificationMethod { string id; string methodType; address controller; string publicKeyMultibase; }',
  'struct ServiceEndpoint { string id; string serviceType; string serviceEndpoint; }',
  'struct DIDDocument { string id; address controller; VerificationMethod[] verificationMethods; uint256[] authentication; ServiceEndpoint[] serviceEndpoints; }',
  'function balanceOf(address owner) view returns (uint256)',
  'function ownerOf(uint256 tokenId) view returns (address)',
  'function controllerOf(uint256 tokenId) view returns (address)',
  'function operatorOf(uint256 tokenId) view returns (address)',
  'function didDocument(uint256 tokenId) view returns (DIDDocument)',
  'function infoDesk() view returns (address)',
  'error ERC721NonexistentToken(uint256 tokenId)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)',
  'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
  'event ControllerUpdated(uint256 indexed tokenId, address indexed oldController, address indexed newController)',
  'event MachineMinted(uint256 indexed tokenId, address indexed to, address indexed controller, string machineType)',
  'event MachineBridgedIn(uint256 indexed tokenId, address indexed to, string machineType)',
  'event MachineBridgedOut(uint256 indexed tokenId, string machineType)',
  'event MachineRetired(uint256 indexed tokenId)',
  'event LegacyMachineReissued(uint256 indexed oldId, uint256 indexed newId, address indexed to)',
  'event VerificationMethodsUpdated(uint256 indexed tokenId)',
  'event AuthenticationUpdated(uint256 indexed tokenId)',
  'event ServiceEndpointsUpdated(uint256 indexed tokenId)',
]);

export const machineStateAndSyncAbi = parseAbi([
  'function isMachineAvailable(uint256 machineId) view returns (bool)',
  'function isGeneralPaused(uint256 machineId) view returns (bool)',
  'function isTechnicalPaused(uint256 machineId) view returns (bool)',
  'function isOperatorPaused(uint256 machineId) view returns (bool)',
  'function isRelocating(uint256 machineId) view returns (bool)',
  'function isGeneralPausedGlobal() view returns (bool)',
  'function isTechnicalPausedGlobal() view returns (bool)',
  'function infoDesk() view returns (address)',
  'event MachineOnboarded(uint256 indexed machineId, address indexed operator)',
  'event MachineRetired(uint256 indexed machineId)',
  'event GeneralPausedSet(uint256 indexed machineId, bool value)',
  'event TechnicalPausedSet(uint256 indexed machineId, bool value)',
  'event OperatorPausedSet(uint256 indexed machineId, bool value)',
  'event SubscriptionPausedSet(uint256 indexed machineId, bool value)',
  'event GeneralPausedGlobalSet(bool value)',
  'event TechnicalPausedGlobalSet(bool value)',
  'event ChainFlagSet(uint16 indexed chainId, bytes32 indexed key, bool value)',
  'event RelocationCollected(uint256 indexed machineId, uint16 destinationChainId)',
  'event RelocationReplayed(uint256 indexed machineId)',
  'event RelocationFinalized(uint256 indexed machineId)',
  'event RelocationCancelled(uint256 indexed machineId)',
  'event CancelRequested(uint256 indexed machineId, uint64 nonce)',
]);

export const machineSubscriptionAbi = parseAbi([
  'struct SubscriptionState { uint8 tier; uint64 periodStart; uint64 periodEnd; uint256 bondedAmount; uint256 accumulatedPoints; }',
  'function subscriptions(uint256 machineId) view returns (SubscriptionState)',
  'function subscriptionStatus(uint256 machineId) view returns (uint8)',
  'function isEconomicAuthority() view returns (bool)',
  'function TIER_COUNT() view returns (uint8)',
  'function infoDesk() view returns (address)',
  'event Activated(uint256 indexed machineId, address indexed operator, uint8 tier, uint256 bondedAmount, uint64 periodStart, uint64 periodEnd)',
  'event Renewed(uint256 indexed machineId, address indexed operator, uint8 tier, uint256 bondedAmount, uint64 periodEnd)',
  'event SubscriptionStatusChanged(uint256 indexed machineId, address indexed operator, uint8 previousStatus, uint8 status, uint8 tier, uint64 periodEnd, uint64 seq)',
  'event SubscriptionTerminated(uint256 indexed machineId, address indexed operator)',
  'event SubscriptionTerminatedForFraud(uint256 indexed machineId, address indexed operator)',
  'event TierUpgraded(uint256 indexed machineId, address indexed operator, address payer, uint8 oldTier, uint8 newTier, uint256 bondDelta, uint256 pointsDelta)',
  'event SubscriptionReissued(uint256 indexed oldId, uint256 indexed newId)',
  'event RunoffDecayApplied(uint256 indexed machineId, uint256 burned, uint256 toTreasury, uint256 remainingBonded)',
]);

/** Event registries of both generations, which have separate addresses. */
export const eventRegistryAbi = parseAbi([
  // The order differs from `submitEvent`: the currency is last here.
  'struct MachineEvent { uint256 machineId; uint8 eventType; uint256 value; uint256 timestamp; bytes32 dataHash; uint8 trustLevel; uint256 sourceChainId; bytes32 sourceTxHash; bytes metadata; string currency; }',
  'function getEventCount(uint256 machineId) view returns (uint256)',
  'function getEvents(uint256 machineId, uint256 offset, uint256 limit) view returns (MachineEvent[])',
  'function priorEventCount(uint256 machineId) view returns (uint256)',
  'function totalEventCount() view returns (uint256)',
  'function MAX_QUERY_LIMIT() view returns (uint256)',
  'function infoDesk() view returns (address)',
  'error OffsetOutOfBounds()',
  'event EventSubmitted(uint256 indexed machineId, uint256 indexed eventIndex, uint8 eventType, uint256 value, string indexed currency)',
  'event MachineEventsImported(uint256 indexed machineId, uint256 priorEventCount)',
  'event Paused(address account)',
  'event Unpaused(address account)',
]);

export const crossChainMirrorAbi = parseAbi([
  'function homeChainOf(uint256 machineId) view returns (uint16)',
  'function isHomedLocally(uint256 machineId) view returns (bool)',
  'function infoDesk() view returns (address)',
  'event HomeChainRegistered(uint256 indexed machineId, uint16 homeChainId)',
  'event HomeChainUpdated(uint256 indexed machineId, uint16 previousChainId, uint16 newChainId)',
  'event HomeChainCleared(uint256 indexed machineId)',
  'event HomeChainReissued(uint256 indexed oldId, uint256 indexed newId, uint16 chainId)',
  'event MirroredDataSet(uint256 indexed machineId, bytes32 indexed key)',
  'event MirroredChainDataSet(bytes32 indexed domain, uint16 indexed chainId, bytes32 indexed key)',
  'event ForeignRetirementDeferred(uint256 indexed machineId)',
]);

export const adminFlagsAbi = parseAbi([
  'function flagsOf(uint256 machineId) view returns (uint64 flaggedAt, bool overrideSet, uint8 trustOverride)',
  'event MachineFlagged(uint256 indexed machineId, uint64 flaggedAt)',
  'event FlagCleared(uint256 indexed machineId)',
  'event TrustOverrideSet(uint256 indexed machineId, uint8 value)',
  'event TrustOverrideCleared(uint256 indexed machineId)',
]);

export const attestationRegistryAbi = parseAbi([
  'struct Attestation { uint64 issuedAt; uint64 expiresAt; uint64 revokedAt; }',
  'function kybOf(address operator) view returns (Attestation)',
  'function recordsOf(uint256 machineId) view returns (address operator, Attestation kyb, Attestation chip)',
  'function chipLogCount(uint256 machineId) view returns (uint256)',
  'event KybAttested(address indexed operator, uint64 issuedAt, uint64 expiresAt)',
  'event KybRevoked(address indexed operator, uint64 revokedAt)',
  'event ChipAttested(uint256 indexed machineId, uint64 issuedAt, uint64 expiresAt, bytes32 certificateHash)',
  'event ChipRevoked(uint256 indexed machineId, uint64 revokedAt)',
  'event KybEvidence(address indexed operator, bytes32 evidenceHash)',
  'event ChipEvidence(uint256 indexed machineId, bytes32 indexed chipRef, bytes32 evidenceHash)',
  'event ChipReinstated(uint256 indexed machineId, bytes32 indexed chipRef, bytes32 reasonHash)',
]);

/** Registry of legacy machines (chain-evm 2.9); their events are read with `eventRegistryAbi`. */
export const identityRegistryAbi = parseAbi([
  'function machineIdOf(address machine) view returns (uint256)',
  'function machineExists(uint256 machineId) view returns (bool)',
  'function machineStatus(uint256 machineId) view returns (uint8)',
  'function operatorOf(uint256 machineId) view returns (address)',
  'function machineAddressOf(uint256 machineId) view returns (address)',
]);

export const identityStakingAbi = parseAbi(['function isStaked(uint256 machineId) view returns (bool)']);

export const didStoreAbi = parseAbi([
  'struct Attribute { bytes name; bytes value; uint32 validity; uint256 created; }',
  'function readAttribute(address didAccount, bytes name) view returns (Attribute)',
]);

export const arbSysAbi = parseAbi([
  'function arbBlockNumber() view returns (uint256)',
  'function arbBlockHash(uint256 blockNumber) view returns (bytes32)',
]);

export const multicall3Abi = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
  'function getBlockNumber() view returns (uint256)',
  'function getCurrentBlockTimestamp() view returns (uint256)',
  'function getLastBlockHash() view returns (bytes32)',
]);
