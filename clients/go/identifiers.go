package svcos

import (
	"math/big"
	"regexp"
	"strings"
)

const didPrefix = "did:svc:"

var (
	decimal = regexp.MustCompile(`^[1-9][0-9]{0,77}$`)
	address = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)
	maxID   = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))
)

// ParseMachineKey parses a machine's canonical decimal id or its DID and returns the id. It accepts no similar text.
func ParseMachineKey(text string) (string, error) {
	id := strings.TrimPrefix(text, didPrefix)
	if decimal.MatchString(id) {
		if number, _ := new(big.Int).SetString(id, 10); number.Cmp(maxID) <= 0 {
			return id, nil
		}
	}
	return "", &ServiceError{Kind: "invalid-argument", Text: "not a machine id or DID"}
}

// FormatMachineDID formats the DID of a machine.
func FormatMachineDID(id string) string {
	return didPrefix + id
}

// ParseAddress parses an address or its DID and returns the address in lower case. It does not check the checksum.
func ParseAddress(text string) (string, error) {
	found := strings.TrimPrefix(text, didPrefix)
	if !address.MatchString(found) {
		return "", &ServiceError{Kind: "invalid-argument", Text: "not an address or address DID"}
	}
	return strings.ToLower(found), nil
}
