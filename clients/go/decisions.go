package svcos

import (
	"fmt"
	"math"
	"regexp"
	"strings"
)

const (
	messageHeader = "svc-mcr monetization"
	maxTimestamp  = 1<<53 - 1
)

var (
	lowerAddress = regexp.MustCompile(`^0x[0-9a-f]{40}$`)
)

// Decision opts a machine in or out.
type Decision struct {
	// MachineID is the canonical decimal id.
	MachineID string
	OptedIn   bool
	// Timestamp is the Unix time in seconds at which the message is signed.
	Timestamp int64
}

// Deployment is what a signature is bound to, as `/.well-known/svc-monetization` publishes it.
type Deployment struct {
	ChainID  string
	Registry string
}

// FormatDecisionMessage formats the message that the owner or controller signs. homeChain is the ordinal of the alt chain
// for its machines, and 0 for those of the main chain. Compare the deployment with the one that you expect before you sign:
// a signature counts for it alone.
func FormatDecisionMessage(decision Decision, homeChain int, deployment Deployment) (string, error) {
	switch id, err := ParseMachineKey(decision.MachineID); {
	case !lowerAddress.MatchString(deployment.Registry):
		return "", fmt.Errorf("svcos: registry is not 0x and 40 lower-case hex digits")
	case !decimal.MatchString(deployment.ChainID):
		return "", fmt.Errorf("svcos: chain_id is not a canonical decimal")
	case homeChain < 0 || homeChain > math.MaxUint16:
		return "", fmt.Errorf("svcos: home_chain is not a protocol chain ordinal")
	case err != nil || id != decision.MachineID:
		return "", fmt.Errorf("svcos: machine_id is not a canonical decimal in 1 to 2^256 - 1")
	case decision.Timestamp < 1 || decision.Timestamp > maxTimestamp:
		return "", fmt.Errorf("svcos: timestamp is not in 1 to 2^53 - 1")
	}
	binding := []string{"registry: " + deployment.Registry, "chain_id: " + deployment.ChainID}
	if homeChain != 0 {
		binding = []string{"audience: " + deployment.ChainID, fmt.Sprintf("home_chain: %d", homeChain)}
	}
	return strings.Join([]string{
		messageHeader,
		binding[0],
		binding[1],
		"machine_id: " + decision.MachineID,
		fmt.Sprintf("opted_in: %t", decision.OptedIn),
		fmt.Sprintf("timestamp: %d", decision.Timestamp),
	}, "\n"), nil
}
