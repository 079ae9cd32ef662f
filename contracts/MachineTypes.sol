// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// Shared value types of the local main chain (chain-evm 2).

enum SubscriptionStatus {
    NotActivated,
    Active,
    Grace,
    Runoff,
    Terminated
}

enum ChainKind {
    Unspecified,
    Evm,
    Substrate,
    AltChain
}

struct VerificationMethod {
    string id;
    string methodType;
    address controller;
    string publicKeyMultibase;
}

struct ServiceEndpoint {
    string id;
    string serviceType;
    string serviceEndpoint;
}

struct DIDDocument {
    string id;
    address controller;
    VerificationMethod[] verificationMethods;
    uint256[] authentication;
    ServiceEndpoint[] serviceEndpoints;
}

struct SubscriptionState {
    uint8 tier;
    uint64 periodStart;
    uint64 periodEnd;
    uint256 bondedAmount;
    uint256 accumulatedPoints;
}

/// Note the order: the currency is last here, but fourth in `submitEvent`.
struct MachineEvent {
    uint256 machineId;
    uint8 eventType;
    uint256 value;
    uint256 timestamp;
    bytes32 dataHash;
    uint8 trustLevel;
    uint256 sourceChainId;
    bytes32 sourceTxHash;
    bytes metadata;
    string currency;
}
