/** Calls of the client that `openapi-typescript` and `openapi-fetch` make of the OpenAPI document. Compiled in strict mode, then run. */
import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';

const [baseUrl = '', id = '', owner = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl });

const rating = await client.GET('/mcr/{did}', { params: { path: { did: `did:svc:${id}` } } });
if (rating.data === undefined) throw new Error('no rating');
const average: number | null = rating.data.average_revenue_per_event;

const explanation = await client.GET('/mcr/{did}/explanation', { params: { path: { did: `did:svc:${id}` } } });
const revenue = explanation.data?.factors.find((factor) => factor.name === 'revenue');
const cents: number | undefined = revenue?.measure.usd_cents;

const fleet = await client.GET('/operator/{did}/machines', {
  params: { path: { did: owner }, query: { limit: 1 } },
});
const absent = await client.GET('/mcr/{did}', { params: { path: { did: 'did:svc:12345' } } });

const [letter, machines] = [rating.data.mcr, fleet.data?.machines.length];
process.stdout.write(`${JSON.stringify({ letter, average, cents, machines, absent: absent.response.status })}\n`);
