package svcos

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

type vectors struct {
	Identifiers []struct {
		Text string
		ID   *string
	}
	Addresses []struct {
		Text    string
		Address *string
	}
	Messages []struct {
		Name, MachineID, ChainID, Registry string
		OptedIn                            bool
		Timestamp                          int64
		HomeChain                          int
		Text                               *string
	}
	Errors []struct {
		Status      int
		Body        json.RawMessage
		Kind        string
		IsRetryable bool
	}
	Directory []struct {
		Query struct {
			DirectoryQuery
			OptIn       []string `json:"opt_in"`
			ActiveSince int64    `json:"active_since"`
		}
		Path string
	}
	Statements []struct {
		Name, Document, Registry string
		Now, ChainID             int64
		Keys                     []StatementKey
		Problem                  *string
	}
}

func read(t *testing.T) vectors {
	text, err := os.ReadFile("../../test/vectors/clients/clients.json")
	if err != nil {
		t.Fatal(err)
	}
	var found vectors
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	return found
}

func expect(t *testing.T, name string, found string, err error, expected *string) {
	t.Helper()
	if expected == nil && err == nil {
		t.Errorf("%s: accepted as %q", name, found)
	}
	if expected != nil && (err != nil || found != *expected) {
		t.Errorf("%s: %q, %v; expected %q", name, found, err, *expected)
	}
}

func TestIdentifiers(t *testing.T) {
	for _, vector := range read(t).Identifiers {
		found, err := ParseMachineKey(vector.Text)
		expect(t, vector.Text, found, err, vector.ID)
	}
	for _, vector := range read(t).Addresses {
		found, err := ParseAddress(vector.Text)
		expect(t, vector.Text, found, err, vector.Address)
	}
}

func TestMessages(t *testing.T) {
	for _, vector := range read(t).Messages {
		decision := Decision{vector.MachineID, vector.OptedIn, vector.Timestamp}
		found, err := FormatDecisionMessage(decision, vector.HomeChain, Deployment{vector.ChainID, vector.Registry})
		expect(t, vector.Name, found, err, vector.Text)
	}
}

func TestErrors(t *testing.T) {
	for _, vector := range read(t).Errors {
		server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, _ *http.Request) {
			writer.WriteHeader(vector.Status)
			_, _ = writer.Write(vector.Body)
		}))
		client, err := New(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Rating(context.Background(), "42")
		server.Close()
		var failure *ServiceError
		if !errors.As(err, &failure) || failure.Kind != vector.Kind || failure.IsRetryable() != vector.IsRetryable {
			t.Errorf("%d %s: %v; expected %s", vector.Status, vector.Body, err, vector.Kind)
		}
	}
}

func TestDirectory(t *testing.T) {
	for _, vector := range read(t).Directory {
		var requested []string
		server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
			requested = append(requested, request.RequestURI)
			next := `"1.1"`
			if len(requested) > 1 {
				next = "null"
			}
			_, _ = writer.Write([]byte(`{"machines":[],"next":` + next + `}`))
		}))
		client, err := New(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		query := vector.Query.DirectoryQuery
		query.OptIn, query.ActiveSince = vector.Query.OptIn, vector.Query.ActiveSince
		for _, err := range client.WholeDirectory(context.Background(), query) {
			if err != nil {
				t.Error(err)
			}
		}
		server.Close()
		if len(requested) != 2 || requested[0] != vector.Path || !strings.Contains(requested[1], "after=1.1") {
			t.Errorf("requested %q; expected %s and the next page", requested, vector.Path)
		}
	}
}

func TestAnotherMachine(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, _ *http.Request) {
		_, _ = writer.Write([]byte(`{"machine_id":"43"}`))
	}))
	defer server.Close()
	client, err := New(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Rating(context.Background(), "42")
	var failure *ServiceError
	if !errors.As(err, &failure) || failure.Kind != "unexpected-response" {
		t.Errorf("accepted a response about another machine: %v", err)
	}
}

func TestStatements(t *testing.T) {
	for _, vector := range read(t).Statements {
		trust := StatementTrust{vector.ChainID, vector.Registry, vector.Keys}
		_, _, err := VerifyStatement([]byte(vector.Document), trust, vector.Now)
		var rejected *StatementRejected
		switch {
		case vector.Problem == nil && err != nil:
			t.Errorf("%s: %v", vector.Name, err)
		case vector.Problem != nil && (!errors.As(err, &rejected) || rejected.Problem != *vector.Problem):
			t.Errorf("%s: %v; expected %s", vector.Name, err, *vector.Problem)
		}
	}
}
