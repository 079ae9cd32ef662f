package svcos

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ServiceError is a documented error of the service, or a response or connection that is none. Only `machine-not-found`
// says that a machine does not exist.
type ServiceError struct {
	// Kind is for programs.
	Kind string
	// Text is for people.
	Text string
	// Status is 0 without a response.
	Status int
	// RetryAfterSeconds is nil unless the service sends `Retry-After`.
	RetryAfterSeconds *int
	// HomeProtocolChainID is the home of a machine that is homed elsewhere.
	HomeProtocolChainID *int
	cause               error
}

func (e *ServiceError) Error() string {
	return fmt.Sprintf("svcos: %s: %s", e.Kind, e.Text)
}

func (e *ServiceError) Unwrap() error {
	return e.cause
}

// IsRetryable says whether the same request may succeed later. Until then keep the last known value.
func (e *ServiceError) IsRetryable() bool {
	switch e.Status {
	case 429, 502, 503, 504:
		return true
	}
	return e.Kind == "unreachable"
}

var kindByDetail = map[string]string{
	"Alt-chain ownership snapshot is out of date": "alt-snapshot-out-of-date",
	"Bad Request":                                        "invalid-request",
	"Binding registry unavailable":                       "binding-registry-unavailable",
	"Chain unavailable":                                  "chain-unavailable",
	"Content Too Large":                                  "request-too-large",
	"Empty DID":                                          "invalid-operator",
	"Event data is private":                              "event-data-private",
	"Home chain unavailable":                             "chain-unavailable",
	"Internal Server Error":                              "internal-error",
	"Invalid Ethereum address format":                    "invalid-operator",
	"Invalid Solana address":                             "invalid-wallet",
	"Invalid machine DID format":                         "invalid-machine-id",
	"Machine is relocating":                              "machine-relocating",
	"Machine not found":                                  "machine-not-found",
	"Method Not Allowed":                                 "method-not-allowed",
	"Not Found":                                          "route-not-found",
	"Request Header Fields Too Large":                    "request-too-large",
	"Request Timeout":                                    "request-timeout",
	"Service clock is not usable now":                    "clock-unusable",
	"Service not initialised":                            "service-not-initialised",
	"Solana address is not bound":                        "wallet-not-bound",
	"Solana binding is revoked":                          "binding-revoked",
	"Storage unavailable":                                "storage-unavailable",
	"Token not found":                                    "machine-not-found",
	"Too many new lookups, retry later":                  "too-many-lookups",
	"Ownership index is being repaired for this address": "index-under-repair",
}

var kindByPattern = []struct {
	form *regexp.Regexp
	kind string
}{
	{regexp.MustCompile(`^(?:Event|Operator) index is syncing: block [0-9]{1,15} of [0-9]{1,15}$`), "index-syncing"},
	{regexp.MustCompile(`^Operator index is stale: chain head not read for [0-9]{1,15} seconds$`), "index-stale"},
	{regexp.MustCompile(`^Statement unavailable: `), "statement-unavailable"},
}

var (
	code       = regexp.MustCompile(`^[A-Z]+(?:_[A-Z]+)*$`)
	retryAfter = regexp.MustCompile(`^[0-9]{1,9}$`)
)

func toServiceError(status int, body []byte, retry string) *ServiceError {
	failure := classify(status, body)
	failure.Status = status
	if retryAfter.MatchString(retry) {
		seconds, _ := strconv.Atoi(retry)
		failure.RetryAfterSeconds = &seconds
	}
	return failure
}

func classify(status int, body []byte) *ServiceError {
	var envelope struct {
		Detail json.RawMessage
		Error  *string
	}
	_ = json.Unmarshal(body, &envelope)
	var issues []json.RawMessage
	var text string
	var coded struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Home    *int   `json:"home_protocol_chain_id"`
	}
	switch {
	case status == 422 && envelope.Detail != nil && json.Unmarshal(envelope.Detail, &issues) == nil && issues != nil:
		return &ServiceError{Kind: "invalid-parameters", Text: "Invalid parameters"}
	case status == 429 && envelope.Error != nil:
		return &ServiceError{Kind: "rate-limited", Text: *envelope.Error}
	case json.Unmarshal(envelope.Detail, &text) == nil:
		if kind := kindOf(text); kind != "" {
			return &ServiceError{Kind: kind, Text: text}
		}
	case json.Unmarshal(envelope.Detail, &coded) == nil && code.MatchString(coded.Code):
		if coded.Message == "" {
			coded.Message = coded.Code
		}
		kind := strings.ReplaceAll(strings.ToLower(coded.Code), "_", "-")
		return &ServiceError{Kind: kind, Text: coded.Message, HomeProtocolChainID: coded.Home}
	}
	return &ServiceError{Kind: "unexpected-response", Text: fmt.Sprintf("HTTP %d", status)}
}

func kindOf(text string) string {
	if kind, isKnown := kindByDetail[text]; isKnown {
		return kind
	}
	for _, each := range kindByPattern {
		if each.form.MatchString(text) {
			return each.kind
		}
	}
	return ""
}
