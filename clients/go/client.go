// Package svcos reads the Machine Rating, Monetization and Verification Service, prepares opt-in decisions, and verifies
// rating statements.
package svcos

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	pageSize       = 20
	defaultTimeout = 30 * time.Second
	// Longer bodies are not responses of the service.
	maxBodyBytes = 16 << 20
	// The service sends something every 15 seconds. A stream that is silent for longer has lost its connection.
	streamTimeout = 45 * time.Second
)

// Client reads the service. Its methods may be called at the same time.
type Client struct {
	baseURL string
	http    *http.Client
}

// Block is the block of the main chain that a response was computed at.
type Block struct {
	Number     uint64
	AgeSeconds uint64
}

// Reply is a response, and its block where the service names one.
type Reply[T any] struct {
	Value T
	Block *Block
}

// New creates a client of the service at this URL.
func New(baseURL string) (*Client, error) {
	return NewWithHTTP(baseURL, &http.Client{Timeout: defaultTimeout})
}

// NewWithHTTP creates a client that sends its requests with a copy of the given HTTP client. It follows no redirects.
func NewWithHTTP(baseURL string, client *http.Client) (*Client, error) {
	parsed, err := url.Parse(baseURL)
	if err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return nil, fmt.Errorf("svcos: %q is not an HTTP URL", baseURL)
	}
	own := *client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{strings.TrimRight(baseURL, "/"), &own}, nil
}

// Rating reads the rating of a machine, which is named by its decimal id or its DID.
func (c *Client) Rating(ctx context.Context, machine string) (*Reply[McrRecord], error) {
	return ofMachine(ctx, c, machine, "/mcr/%[2]s", func(body McrRecord) string { return body.MachineId })
}

// Explanation reads the rating, and where every point of it comes from.
func (c *Client) Explanation(ctx context.Context, machine string) (*Reply[Explanation], error) {
	return ofMachine(ctx, c, machine, "/mcr/%[2]s/explanation", func(body Explanation) string { return body.MachineId })
}

// History reads rating and revenue of each of the last 365 days.
func (c *Client) History(ctx context.Context, machine string) (*Reply[History], error) {
	return ofMachine(ctx, c, machine, "/mcr/%[2]s/history", func(body History) string { return body.MachineId })
}

// Profile reads the profile of a machine.
func (c *Client) Profile(ctx context.Context, machine string) (*Reply[Profile], error) {
	return ofMachine(ctx, c, machine, "/machine/%[2]s", func(body Profile) string { return body.Svcos.MachineId })
}

// Card reads the card of a machine.
func (c *Client) Card(ctx context.Context, machine string) (*Reply[Card], error) {
	return ofMachine(ctx, c, machine, "/machines/%[1]s", func(body Card) string { return strings.TrimPrefix(body.Did, didPrefix) })
}

// Events reads a page of events, newest first. cursor is the next cursor of the previous page; nil: the newest events.
func (c *Client) Events(ctx context.Context, machine string, cursor *int64, limit int) (*Reply[EventListing], error) {
	query := fmt.Sprintf("?limit=%d", limit)
	if cursor != nil {
		query += fmt.Sprintf("&cursor=%d", *cursor)
	}
	return ofMachine(ctx, c, machine, "/machines/%[1]s/events"+query, func(body EventListing) string { return body.MachineId })
}

// Verification reads the KYB status of the operator and the status of the chip, which are independent.
func (c *Client) Verification(ctx context.Context, machine string) (*Reply[VerifyRecord], error) {
	return ofMachine(ctx, c, machine, "/v1/verify/machines/%[1]s", func(body VerifyRecord) string { return body.MachineId })
}

// Statement reads the text of the rating as a signed statement. Verify it with VerifyStatement.
func (c *Client) Statement(ctx context.Context, machine string) (*Reply[json.RawMessage], error) {
	read := func(body json.RawMessage) string {
		var document struct{ Statement struct{ MachineID string } }
		_ = json.Unmarshal(body, &document)
		return document.Statement.MachineID
	}
	return ofMachine(ctx, c, machine, "/mcr/%[2]s/statement", read)
}

// StatementKeys reads all keys that sign or ever signed statements.
func (c *Client) StatementKeys(ctx context.Context) (*Reply[StatementDirectory], error) {
	return send(ctx, c, "/.well-known/svc-statements", func(body StatementDirectory) bool { return body.Keys != nil })
}

// Deployment reads the deployment that opt-in decisions are signed for.
func (c *Client) Deployment(ctx context.Context) (*Reply[PublishedDeployment], error) {
	return send(ctx, c, "/.well-known/svc-monetization", func(body PublishedDeployment) bool { return body.Registry != "" })
}

// Status reads how far the indexes of the service are behind their chains.
func (c *Client) Status(ctx context.Context) (*Reply[Status], error) {
	return send(ctx, c, "/status", func(body Status) bool { return body.Status != "" }, http.StatusServiceUnavailable)
}

// Fleet reads a page of the machines of an operator, which is named by its address or DID.
func (c *Client) Fleet(ctx context.Context, operator string, offset, limit int) (*Reply[Fleet], error) {
	address, err := ParseAddress(operator)
	if err != nil {
		return nil, err
	}
	path := fmt.Sprintf("/operator/%s/machines?offset=%d&limit=%d", didPrefix+address, offset, limit)
	return send(ctx, c, path, func(body Fleet) bool { return strings.EqualFold(body.OperatorDid, didPrefix+address) })
}

// DirectoryQuery selects machines. A list selects any of its values; what is left out selects all.
type DirectoryQuery struct {
	Rating, Bond, Flag, Kyb, Chip, OptIn, Home []string
	// Operator is an address or an address DID. Machines of one operator or owner are ordered by id.
	Operator string
	// Owner is an address, or a key of the alt chain. Not beside Operator.
	Owner string
	// ActiveSince is in Unix seconds.
	ActiveSince int64
	// Sort is a key such as "score"; with "-" before it the largest comes first.
	Sort string
	// After is the next cursor of the previous page, in the same order.
	After string
	// Limit is at most 500; 0: 50.
	Limit int
}

func (q DirectoryQuery) path() string {
	given := url.Values{}
	set := func(name, value string) {
		if value != "" {
			given.Set(name, value)
		}
	}
	number := func(value int64) string {
		if value == 0 {
			return ""
		}
		return strconv.FormatInt(value, 10)
	}
	set("rating", strings.Join(q.Rating, ","))
	set("bond", strings.Join(q.Bond, ","))
	set("flag", strings.Join(q.Flag, ","))
	set("kyb", strings.Join(q.Kyb, ","))
	set("chip", strings.Join(q.Chip, ","))
	set("opt_in", strings.Join(q.OptIn, ","))
	set("home", strings.Join(q.Home, ","))
	set("operator", q.Operator)
	set("owner", q.Owner)
	set("active_since", number(q.ActiveSince))
	set("sort", q.Sort)
	set("after", q.After)
	set("limit", number(int64(q.Limit)))
	if len(given) == 0 {
		return "/directory"
	}
	return "/directory?" + given.Encode()
}

// Directory reads a page of the machines of the deployment, as they were last observed.
func (c *Client) Directory(ctx context.Context, query DirectoryQuery) (*Reply[Directory], error) {
	return send(ctx, c, query.path(), func(body Directory) bool { return body.Machines != nil })
}

// WholeDirectory reads page after page and ends with the last, or with the first error.
func (c *Client) WholeDirectory(ctx context.Context, query DirectoryQuery) iter.Seq2[*Reply[Directory], error] {
	return func(yield func(*Reply[Directory], error) bool) {
		for {
			page, err := c.Directory(ctx, query)
			if !yield(page, err) || err != nil || page.Value.Next == nil {
				return
			}
			query.After = *page.Value.Next
		}
	}
}

// DirectorySummary reads the numbers of machines by rating, bond, flag, verification, opt-in and home.
func (c *Client) DirectorySummary(ctx context.Context) (*Reply[DirectorySummary], error) {
	return send(ctx, c, "/directory/summary", func(body DirectorySummary) bool { return body.Index != (FleetIndex{}) })
}

// WholeFleet reads page after page and ends with the last, or with the first error. While a fleet changes, a machine may
// appear twice or not at all.
func (c *Client) WholeFleet(ctx context.Context, operator string) iter.Seq2[*Reply[Fleet], error] {
	return func(yield func(*Reply[Fleet], error) bool) {
		for offset := 0; ; offset += pageSize {
			page, err := c.Fleet(ctx, operator, offset, pageSize)
			if !yield(page, err) || err != nil || int64(offset+pageSize) >= page.Value.Pagination.Total {
				return
			}
		}
	}
}

// ChangeQuery selects changes.
type ChangeQuery struct {
	// After is the cursor to begin after. nil: a page begins with the oldest stored change, a stream with the next one.
	After *int64
	// Kinds such as "rating"; empty: all kinds.
	Kinds []string
	// Limit of a page is at most 500; 0: 100.
	Limit int
}

func (q ChangeQuery) path(route string) string {
	given := url.Values{}
	if q.After != nil {
		given.Set("after", strconv.FormatInt(*q.After, 10))
	}
	if len(q.Kinds) > 0 {
		given.Set("kinds", strings.Join(q.Kinds, ","))
	}
	if q.Limit != 0 {
		given.Set("limit", strconv.Itoa(q.Limit))
	}
	if len(given) == 0 {
		return route
	}
	return route + "?" + given.Encode()
}

// Changes reads a page of changes, oldest first. To follow them, store Next and pass it as After.
func (c *Client) Changes(ctx context.Context, query ChangeQuery) (*Reply[ChangePage], error) {
	return send(ctx, c, query.path("/changes"), func(body ChangePage) bool { return body.Changes != nil })
}

// StreamChanges yields changes as they are observed, until the service closes the stream or with the first error. To
// continue, pass the cursor of the last change as After.
func (c *Client) StreamChanges(ctx context.Context, query ChangeQuery) iter.Seq2[*Change, error] {
	query.Limit = 0
	return func(yield func(*Change, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		silence := time.AfterFunc(streamTimeout, cancel)
		defer silence.Stop()
		response, err := c.openStream(ctx, query.path("/changes/stream"))
		if err != nil {
			yield(nil, err)
			return
		}
		defer response.Body.Close()
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, maxBodyBytes)
		var name, data string
		for lines.Scan() {
			silence.Reset(streamTimeout)
			field, value, _ := strings.Cut(lines.Text(), ":")
			switch value = strings.TrimPrefix(value, " "); {
			case field == "event":
				name = value
			case field == "data":
				data += value
			case lines.Text() == "":
				if name == "change" {
					change, err := parseChange(data)
					// Time that the caller takes is not silence.
					silence.Stop()
					if !yield(change, err) || err != nil {
						return
					}
					silence.Reset(streamTimeout)
				}
				name, data = "", ""
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, &ServiceError{Kind: "unreachable", Text: err.Error(), cause: err})
		}
	}
}

func parseChange(data string) (*Change, error) {
	var change Change
	if json.Unmarshal([]byte(data), &change) != nil || change.Cursor == 0 {
		return nil, &ServiceError{Kind: "unexpected-response", Status: http.StatusOK, Text: "not a change"}
	}
	return &change, nil
}

// openStream sends a request without the timeout of the client, which would include the whole stream.
func (c *Client) openStream(ctx context.Context, path string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.baseURL+path, nil)
	if err != nil {
		return nil, err
	}
	unlimited := *c.http
	unlimited.Timeout = 0
	response, err := unlimited.Do(request)
	if err != nil {
		return nil, &ServiceError{Kind: "unreachable", Text: err.Error(), cause: err}
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxBodyBytes))
	if err != nil {
		return nil, &ServiceError{Kind: "unreachable", Text: err.Error(), cause: err}
	}
	return nil, toServiceError(response.StatusCode, text, response.Header.Get("Retry-After"))
}

// ofMachine fills the path with the id and the DID, and accepts a response about this machine only.
func ofMachine[T any](ctx context.Context, c *Client, machine, path string, idOf func(T) string) (*Reply[T], error) {
	id, err := ParseMachineKey(machine)
	if err != nil {
		return nil, err
	}
	filled := strings.NewReplacer("%[1]s", id, "%[2]s", didPrefix+id).Replace(path)
	return send(ctx, c, filled, func(body T) bool { return idOf(body) == id })
}

func send[T any](ctx context.Context, c *Client, path string, isExpected func(T) bool, statuses ...int) (*Reply[T], error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.baseURL+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, &ServiceError{Kind: "unreachable", Text: err.Error(), cause: err}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxBodyBytes))
	if err != nil {
		return nil, &ServiceError{Kind: "unreachable", Text: err.Error(), cause: err}
	}
	isSuccess := response.StatusCode == http.StatusOK
	for _, status := range statuses {
		isSuccess = isSuccess || response.StatusCode == status
	}
	if !isSuccess {
		return nil, toServiceError(response.StatusCode, text, response.Header.Get("Retry-After"))
	}
	var value T
	if json.Unmarshal(text, &value) != nil || !isExpected(value) {
		return nil, &ServiceError{Kind: "unexpected-response", Status: response.StatusCode, Text: "not a response to this request"}
	}
	return &Reply[T]{value, parseBlock(response.Header)}, nil
}

var digits = regexp.MustCompile(`^[0-9]{1,18}$`)

func parseBlock(header http.Header) *Block {
	number, age := header.Get("chain-block"), header.Get("chain-block-age")
	if !digits.MatchString(number) || !digits.MatchString(age) {
		return nil
	}
	var block Block
	block.Number, _ = strconv.ParseUint(number, 10, 64)
	block.AgeSeconds, _ = strconv.ParseUint(age, 10, 64)
	return &block
}
