// Calls of the client that oapi-codegen makes of the OpenAPI document.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"generated/service"
)

func main() {
	baseURL, id, owner := os.Args[1], os.Args[2], os.Args[3]
	client, err := service.NewClientWithResponses(baseURL)
	check(err)
	ctx := context.Background()

	rating, err := client.GetRatingWithResponse(ctx, "did:svc:"+id)
	check(err)
	explanation, err := client.GetExplanationWithResponse(ctx, "did:svc:"+id)
	check(err)
	revenue, err := explanation.JSON200.Factors[0].AsRevenueFactorEntry()
	check(err)
	limit := 1
	fleet, err := client.ListFleetWithResponse(ctx, owner, &service.ListFleetParams{Limit: &limit})
	check(err)
	absent, err := client.GetRatingWithResponse(ctx, "did:svc:12345")
	check(err)

	text, err := json.Marshal(map[string]any{
		"letter":   rating.JSON200.Mcr,
		"average":  rating.JSON200.AverageRevenuePerEvent,
		"cents":    revenue.Measure.UsdCents,
		"machines": len(fleet.JSON200.Machines),
		"absent":   absent.StatusCode(),
	})
	check(err)
	fmt.Println(string(text))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
