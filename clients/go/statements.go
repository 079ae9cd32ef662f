package svcos

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"github.com/gowebpki/jcs"
	"golang.org/x/crypto/sha3"
)

const (
	maxLifetimeSeconds = 86_400
	clockSkewSeconds   = 30
	domainType         = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
)

// StatementRejected is the error of a document that proves nothing. Problem is one of the texts of the TypeScript client.
type StatementRejected struct{ Problem string }

func (e *StatementRejected) Error() string { return "svcos: " + e.Problem }

func reject(problem string) error { return &StatementRejected{problem} }

// StatementKey is an accepted key: an address that is known from elsewhere, or a published one with its times. NotBefore
// nil: announced, not in use yet.
type StatementKey struct {
	Address   string
	NotBefore *int64
	NotAfter  *int64
	RevokedAt *int64
}

// TrustedAddress accepts the key of this address at any time.
func TrustedAddress(address string) StatementKey {
	var always int64
	return StatementKey{Address: address, NotBefore: &always}
}

// StatementTrust is what a verifier accepts: one deployment and its keys.
type StatementTrust struct {
	ChainID  int64
	Registry string
	Keys     []StatementKey
}

// RatingStatement is the signed message.
type RatingStatement struct {
	MachineID       string `json:"machineId" eip712:"uint256"`
	HomeChain       int64  `json:"homeChain" eip712:"uint16"`
	Model           string `json:"model" eip712:"string"`
	Rating          string `json:"rating" eip712:"string"`
	ScoreHundredths int64  `json:"scoreHundredths" eip712:"uint16"`
	Bonded          bool   `json:"bonded" eip712:"bool"`
	NegativeFlag    bool   `json:"negativeFlag" eip712:"bool"`
	Kyb             string `json:"kyb" eip712:"string"`
	Chip            string `json:"chip" eip712:"string"`
	BlockNumber     string `json:"blockNumber" eip712:"uint256"`
	BlockHash       string `json:"blockHash" eip712:"bytes32"`
	AltSlot         string `json:"altSlot" eip712:"uint64"`
	RatedAt         int64  `json:"ratedAt" eip712:"uint64"`
	ValidUntil      int64  `json:"validUntil" eip712:"uint64"`
	ExplanationHash string `json:"explanationHash" eip712:"bytes32"`
}

// VerifyStatement verifies the text of a statement at a Unix second and returns the message with the address of the key.
// The error is *StatementRejected with the first problem.
func VerifyStatement(document []byte, trust StatementTrust, nowSeconds int64) (*RatingStatement, string, error) {
	registry, err := ParseAddress(trust.Registry)
	if err != nil {
		return nil, "", reject("invalid trust")
	}
	members, err := membersOf(document, "statement", "domain", "types", "signature", "signer", "explanation")
	if err != nil {
		return nil, "", err
	}
	statement, err := parseStatement(members["statement"])
	if err != nil {
		return nil, "", err
	}
	domain := []any{"svc rating statement", "1", trust.ChainID, ToChecksumAddress(registry)}
	if !isSame(members["domain"], map[string]any{"name": domain[0], "version": domain[1], "chainId": domain[2], "verifyingContract": domain[3]}) {
		return nil, "", reject("wrong domain")
	}
	if !isSame(members["types"], map[string]any{"RatingStatement": statementTypes()}) {
		return nil, "", reject("wrong types")
	}
	signer, err := recoverSigner(members["signature"], hashTypedData(registry, trust.ChainID, statement))
	if err != nil {
		return nil, "", err
	}
	if !isSame(members["signer"], signer) {
		return nil, "", reject("wrong signer")
	}
	if err := checkKey(trust.Keys, signer, statement.RatedAt); err != nil {
		return nil, "", err
	}
	canonical, err := jcs.Transform(members["explanation"])
	if err != nil || !bytes.HasPrefix(canonical, []byte("{")) || "0x"+hex.EncodeToString(keccak(canonical)) != statement.ExplanationHash {
		return nil, "", reject("wrong explanation")
	}
	if statement.RatedAt > nowSeconds+clockSkewSeconds {
		return nil, "", reject("not valid yet")
	}
	if statement.ValidUntil < nowSeconds {
		return nil, "", reject("expired")
	}
	return statement, signer, nil
}

func checkKey(keys []StatementKey, signer string, ratedAt int64) error {
	for _, key := range keys {
		address, err := ParseAddress(key.Address)
		if err != nil {
			return reject("invalid trust")
		}
		if !strings.EqualFold(address, signer) {
			continue
		}
		isInUse := key.NotBefore != nil && *key.NotBefore <= ratedAt && (key.NotAfter == nil || ratedAt <= *key.NotAfter)
		if key.RevokedAt != nil || !isInUse {
			return reject("key not valid")
		}
		return nil
	}
	return reject("unknown signer")
}

// membersOf returns the members of an object that has exactly these, and rejects repeated ones at any depth.
func membersOf(text []byte, names ...string) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	if !utf8.Valid(text) || json.Unmarshal(text, &members) != nil || len(members) != len(names) || hasRepeatedMember(text) {
		return nil, reject("malformed")
	}
	for _, name := range names {
		if _, isPresent := members[name]; !isPresent {
			return nil, reject("malformed")
		}
	}
	return members, nil
}

func hasRepeatedMember(text []byte) bool {
	decoder := json.NewDecoder(bytes.NewReader(text))
	// A set of names for each open object, nil for an array.
	var open []map[string]bool
	isName := func() bool { return len(open) > 0 && open[len(open)-1] != nil }
	expectsName := false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return false
		}
		if err != nil {
			return true
		}
		switch value := token.(type) {
		case json.Delim:
			switch value {
			case '{':
				open = append(open, map[string]bool{})
			case '[':
				open = append(open, nil)
			default:
				open = open[:len(open)-1]
			}
			expectsName = isName()
		case string:
			if expectsName {
				if open[len(open)-1][value] {
					return true
				}
				open[len(open)-1][value] = true
				expectsName = false
				continue
			}
			expectsName = isName()
		default:
			expectsName = isName()
		}
	}
}

var (
	wordForm      = regexp.MustCompile(`^[!-~]{1,32}$`)
	hashForm      = regexp.MustCompile(`^0x[0-9a-f]{64}$`)
	wholeForm     = regexp.MustCompile(`^(?:0|[1-9][0-9]{0,77})$`)
	signatureForm = regexp.MustCompile(`^0x[0-9a-f]{128}1[bc]$`)
)

func parseStatement(text json.RawMessage) (*RatingStatement, error) {
	names := make([]string, 0)
	for _, member := range statementTypes() {
		names = append(names, member.(map[string]any)["name"].(string))
	}
	members, err := membersOf(text, names...)
	if err != nil {
		return nil, err
	}
	for _, member := range members {
		if string(member) == "null" {
			return nil, reject("malformed")
		}
	}
	var s RatingStatement
	if json.Unmarshal(text, &s) != nil {
		return nil, reject("malformed")
	}
	isFormed := isBelow(s.MachineID, 256) && s.MachineID != "0" && isBelow(s.BlockNumber, 256) && isBelow(s.AltSlot, 64) &&
		isBetween(s.HomeChain, 1<<16-1) && isBetween(s.ScoreHundredths, 10_000) &&
		isBetween(s.RatedAt, maxTimestamp) && isBetween(s.ValidUntil, maxTimestamp) &&
		hashForm.MatchString(s.BlockHash) && hashForm.MatchString(s.ExplanationHash) &&
		s.RatedAt <= s.ValidUntil && s.ValidUntil-s.RatedAt <= maxLifetimeSeconds
	for _, word := range []string{s.Model, s.Rating, s.Kyb, s.Chip} {
		isFormed = isFormed && wordForm.MatchString(word)
	}
	if !isFormed {
		return nil, reject("malformed")
	}
	return &s, nil
}

func isBetween(value, most int64) bool { return value >= 0 && value <= most }

func isBelow(text string, bits int) bool {
	if !wholeForm.MatchString(text) {
		return false
	}
	number, _ := new(big.Int).SetString(text, 10)
	return number.BitLen() <= bits
}

// statementTypes returns the EIP-712 types in JSON form.
func statementTypes() []any {
	kind := reflect.TypeOf(RatingStatement{})
	types := make([]any, kind.NumField())
	for at := range types {
		field := kind.Field(at)
		types[at] = map[string]any{"name": field.Tag.Get("json"), "type": field.Tag.Get("eip712")}
	}
	return types
}

// isSame compares a JSON text with a value.
func isSame(text json.RawMessage, expected any) bool {
	wanted, err := json.Marshal(expected)
	if err != nil {
		return false
	}
	given, err := jcs.Transform(wrap(text))
	if err != nil {
		return false
	}
	canonical, err := jcs.Transform(wrap(wanted))
	return err == nil && bytes.Equal(given, canonical)
}

// wrap makes an array of a value, because a canonical form is of an object or an array.
func wrap(text []byte) []byte {
	return append(append([]byte("["), text...), ']')
}

func hashTypedData(registry string, chainID int64, statement *RatingStatement) []byte {
	contract, _ := hex.DecodeString(registry[2:])
	domain := keccak(keccak([]byte(domainType)), keccak([]byte("svc rating statement")), keccak([]byte("1")), word(big.NewInt(chainID).Bytes()), word(contract))
	value := reflect.ValueOf(*statement)
	kinds := make([]string, value.NumField())
	words := make([][]byte, value.NumField())
	for at := range words {
		field := value.Type().Field(at)
		kinds[at] = field.Tag.Get("eip712") + " " + field.Tag.Get("json")
		words[at] = encode(field.Tag.Get("eip712"), value.Field(at))
	}
	typeHash := keccak([]byte("RatingStatement(" + strings.Join(kinds, ",") + ")"))
	message := keccak(append([][]byte{typeHash}, words...)...)
	return keccak([]byte("\x19\x01"), domain, message)
}

func encode(kind string, value reflect.Value) []byte {
	switch {
	case kind == "string":
		return keccak([]byte(value.String()))
	case kind == "bytes32":
		octets, _ := hex.DecodeString(value.String()[2:])
		return octets
	case kind == "bool" && value.Bool():
		return word([]byte{1})
	case kind == "bool":
		return word(nil)
	case value.Kind() == reflect.String:
		number, _ := new(big.Int).SetString(value.String(), 10)
		return word(number.Bytes())
	default:
		return word(big.NewInt(value.Int()).Bytes())
	}
}

// word pads to 32 bytes.
func word(octets []byte) []byte {
	return append(make([]byte, 32-len(octets)), octets...)
}

func keccak(parts ...[]byte) []byte {
	hash := sha3.NewLegacyKeccak256()
	for _, part := range parts {
		hash.Write(part)
	}
	return hash.Sum(nil)
}

func recoverSigner(text json.RawMessage, digest []byte) (string, error) {
	var signature string
	if json.Unmarshal(text, &signature) != nil || !signatureForm.MatchString(signature) {
		return "", reject("invalid signature")
	}
	octets, _ := hex.DecodeString(signature[2:])
	var s secp256k1.ModNScalar
	if s.SetByteSlice(octets[32:64]) || s.IsOverHalfOrder() {
		return "", reject("invalid signature")
	}
	compact := append([]byte{octets[64]}, octets[:64]...)
	key, _, err := ecdsa.RecoverCompact(compact, digest)
	if err != nil {
		return "", reject("invalid signature")
	}
	account := keccak(key.SerializeUncompressed()[1:])[12:]
	return ToChecksumAddress("0x" + hex.EncodeToString(account)), nil
}

// ToChecksumAddress formats a lower-case address in EIP-55 spelling.
func ToChecksumAddress(address string) string {
	letters := []byte(address[2:])
	hash := hex.EncodeToString(keccak(letters))
	for at, letter := range letters {
		if letter >= 'a' && hash[at] >= '8' {
			letters[at] = letter - 'a' + 'A'
		}
	}
	return "0x" + string(letters)
}
