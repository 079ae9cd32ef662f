"""Calls of the client that openapi-python-client makes of the OpenAPI document, synchronous and asynchronous."""

import asyncio
import json
import sys

from generated import Client
from generated.api.machines import get_explanation, get_rating
from generated.api.operators import list_fleet
from generated.models import McrRecord, RevenueFactorEntry

base_url, machine_id, owner = sys.argv[1:]
client = Client(base_url=base_url)

rating = get_rating.sync(f"did:svc:{machine_id}", client=client)
assert isinstance(rating, McrRecord)
explanation = asyncio.run(get_explanation.asyncio(f"did:svc:{machine_id}", client=client))
revenue = next(factor for factor in explanation.factors if isinstance(factor, RevenueFactorEntry))
fleet = list_fleet.sync(owner, client=client, limit=1)
absent = get_rating.sync_detailed("did:svc:12345", client=client)
print(
    json.dumps(
        {
            "letter": rating.mcr,
            "average": rating.average_revenue_per_event,
            "cents": revenue.measure.usd_cents,
            "machines": len(fleet.machines),
            "absent": int(absent.status_code),
        }
    )
)
