"""FastAPI peer of the hot reads: the same routes and response shapes, all in memory, with a rate limiter that never rejects."""

import json
import os
import re

from fastapi import FastAPI, HTTPException, Request, Response
from pydantic import BaseModel
from slowapi import Limiter
from slowapi.util import get_remote_address

with open(os.environ["BODY_FILE"], encoding="utf-8") as file:
    RECORD = json.load(file)

DID = re.compile(r"did:svc:([1-9][0-9]{0,77})")
MACHINE_ID = re.compile(r"[1-9][0-9]{0,77}")
limiter = Limiter(key_func=get_remote_address)
app = FastAPI()
app.state.limiter = limiter


class McrRecord(BaseModel):
    did: str
    machine_id: str
    mcr_score: int
    mcr: str
    mcr_degraded: bool
    bond_status: str
    negative_flag: bool
    event_count: int
    revenue_event_count: int
    activity_event_count: int
    revenue_trend: str | None
    total_revenue: int
    average_revenue_per_event: float | None
    last_updated: int | None
    summary: str


@app.get("/mcr/{did}")
@limiter.limit("1000000000/minute")
async def mcr(request: Request, did: str) -> McrRecord:
    match = DID.fullmatch(did)
    if match is None:
        raise HTTPException(400, "Invalid machine DID format")
    return McrRecord(**RECORD)


class HomeChain(BaseModel):
    kind: str
    chainId: str


class Account(BaseModel):
    kind: str
    address: str


class Topic(BaseModel):
    status: str


class Verification(BaseModel):
    kyb: Topic
    chip: Topic


class VerifyRecord(BaseModel):
    machineId: str
    machineDid: str
    homeChain: HomeChain
    didController: Account
    operator: Account
    verification: Verification


@app.get("/v1/verify/machines/{machine_id}")
@limiter.limit("1000000000/minute")
async def verify(request: Request, response: Response, machine_id: str) -> VerifyRecord:
    if MACHINE_ID.fullmatch(machine_id) is None:
        raise HTTPException(400, {"code": "INVALID_MACHINE_ID", "message": "The machine id is not valid."})
    response.headers["Cache-Control"] = "no-store"
    response.headers["Pragma"] = "no-cache"
    return VerifyRecord(**RECORD)
